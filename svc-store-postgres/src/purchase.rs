//! Purchase orders, accounts payable and suppliers.

use async_trait::async_trait;
use rust_decimal::Decimal;
use sqlx::postgres::PgRow;
use svc_core::domain::accounting::OpenedPayable;
use svc_core::domain::payable::PayableTaxes;
use svc_core::domain::purchase::{Arrival, OrderedLine};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{PayableStatus, ProductKind, PurchaseStatus};
use svc_core::store::{
    NewPayablePayment, NewPurchase, NewPurchaseLine, OrderBill, PaidPayable, PurchaseOrder, PurchaseTx, StoreError,
    StoredPayable,
};

use crate::part::columns_in;
use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(PurchaseOrder { estatus, proveedor, sucursal, almacen, moneda, tipo_cambio, total, impuestos: .., cxp });

impl FromRow for OrderedLine {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let producto: Option<i64> = row.read("producto")?;
        let sku: Option<String> = row.read("sku")?;
        Ok(Self {
            clave: row.read("clave")?,
            renglon: row.read("renglon")?,
            producto: producto.map(|producto| (producto, sku)),
            cantidad: row.read("cantidad")?,
            recibida: row.read("cantidad_recibida")?,
            subtotal: row.read("subtotal")?,
            descuento: row.read("descuento")?,
            ieps: row.read("ieps")?,
        })
    }
}

impl PostgresTx {
    async fn insert_purchase_lines(&mut self, compra: i64, lines: &[NewPurchaseLine]) -> Result<(), StoreError> {
        let primero = self.next("compras_renglones", lines.len()).await?;
        self.run(sql!(
            "INSERT INTO compras_renglones (
                 empresa, clave, compra, renglon, producto, descripcion, unidad, cantidad, costo_unitario,
                 descuento, subtotal, iva, ieps, retencion_isr, retencion_iva, total
             )
             SELECT
                 :empresa, :primero + n - 1, :compra, n, producto, descripcion, unidad, cantidad, costo_unitario,
                 descuento, subtotal, iva, ieps, retencion_isr, retencion_iva, total
             FROM unnest(
                 :producto::bigint[], :descripcion::text[], :unidad::text[], :cantidad::numeric[],
                 :costo_unitario::numeric[], :descuento::numeric[], :subtotal::numeric[], :iva::numeric[],
                 :ieps::numeric[], :retencion_isr::numeric[], :retencion_iva::numeric[], :total::numeric[]
             ) WITH ORDINALITY AS r (
                 producto, descripcion, unidad, cantidad,
                 costo_unitario, descuento, subtotal, iva,
                 ieps, retencion_isr, retencion_iva, total, n
             )",
            empresa: self.empresa,
            primero,
            compra;
            for line in lines {
                producto: line.product.clave,
                descripcion,
                unidad: line.product.unidad.as_deref(),
                cantidad,
                costo_unitario,
                descuento: line.amounts.descuento,
                subtotal: line.amounts.subtotal,
                iva: line.amounts.iva,
                ieps: line.amounts.ieps,
                retencion_isr: line.amounts.isr_retenido,
                retencion_iva: line.amounts.iva_retenido(),
                total: line.amounts.total,
            }
        ))
        .await
    }
}

from_row!(OrderBill { cxp, capturada });

from_row!(PaidPayable { cxp, cuenta_bancaria, cancelado });

from_row!(StoredPayable {
    folio,
    tipo,
    estatus,
    proveedor,
    compra,
    factura,
    uuid,
    fecha,
    vencimiento,
    moneda,
    tipo_cambio,
    total,
    pagado,
    saldo,
    impuestos: ..,
    sucursal,
    operaciones,
    concepto,
    apertura: ..
});

impl FromRow for Option<OpenedPayable> {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let saldo: Option<Decimal> = row.read("apertura")?;
        let Some(saldo) = saldo else { return Ok(None) };
        Ok(Some(OpenedPayable {
            saldo,
            iva: row.read("apertura_iva")?,
            retencion_isr: row.read("apertura_retencion_isr")?,
            retencion_iva: row.read("apertura_retencion_iva")?,
        }))
    }
}

#[async_trait]
impl PurchaseTx for PostgresTx {
    async fn insert_purchase(&mut self, purchase: &NewPurchase<'_>) -> Result<i64, StoreError> {
        let clave = self.next("compras", 1).await?;
        self.run(sql!(
            "INSERT INTO compras (
                 empresa, clave, folio, estatus, proveedor, fecha, fecha_entrega, sucursal, almacen,
                 moneda, tipo_cambio, subtotal, descuento, impuestos, ieps, retencion_isr, retencion_iva, total,
                 comentarios, modificado
             )
             VALUES (
                 :empresa, :clave::bigint, coalesce(:folio, :clave::bigint::text), :estatus, :proveedor, :fecha,
                 :fecha_entrega, :sucursal, :almacen,
                 :moneda, :tipo_cambio, :subtotal, :descuento, :impuestos, :ieps, :retencion_isr, :retencion_iva,
                 :total, :comentarios, :modificado
             )",
            empresa: self.empresa,
            clave,
            estatus: NewPurchase::ESTATUS,
            subtotal: purchase.amounts.subtotal,
            descuento: purchase.amounts.descuento,
            impuestos: purchase.amounts.impuestos(),
            ieps: purchase.amounts.ieps,
            retencion_isr: purchase.amounts.isr_retenido,
            retencion_iva: purchase.amounts.iva_retenido(),
            total: purchase.amounts.total,
            modificado: purchase.creada;
            from purchase {
                folio, proveedor, fecha, fecha_entrega, sucursal, almacen, moneda, tipo_cambio, comentarios
            }
        ))
        .await?;
        self.insert_purchase_lines(clave, purchase.lines).await?;
        Ok(clave)
    }

    async fn purchase(&mut self, clave: i64) -> Result<Option<PurchaseOrder>, StoreError> {
        self.optional(sql!(
            "SELECT
                 estatus, proveedor, sucursal, moneda, tipo_cambio, total, cxp,
                 impuestos - ieps AS iva, ieps, retencion_isr, retencion_iva,
                 (SELECT codigo FROM almacenes a WHERE a.empresa = :empresa AND a.clave = c.almacen) AS almacen
             FROM compras c
             WHERE empresa = :empresa AND clave = :clave
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn bill_of_purchase(&mut self, compra: i64, cxp: Option<i64>) -> Result<Option<OrderBill>, StoreError> {
        self.optional(sql!(
            "SELECT f.cxp,
                    EXISTS (
                        SELECT FROM cxp
                        WHERE empresa = :empresa AND clave = f.cxp AND compra = :compra AND apertura IS NULL
                    ) AS capturada
             FROM (
                 SELECT coalesce(:cxp::bigint, min(clave)) AS cxp
                 FROM cxp
                 WHERE empresa = :empresa AND compra = :compra AND apertura IS NOT NULL AND estatus <> :cancelado
             ) f
             WHERE f.cxp IS NOT NULL",
            empresa: self.empresa,
            compra,
            cxp,
            cancelado: PayableStatus::Cancelado,
        ))
        .await
    }

    async fn ordered_lines(&mut self, compra: i64) -> Result<Vec<OrderedLine>, StoreError> {
        self.many(sql!(
            "SELECT
                 r.clave, r.renglon, p.clave AS producto, p.sku, r.cantidad, r.cantidad_recibida, r.subtotal,
                 r.descuento, r.ieps
             FROM compras_renglones r
             LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto AND p.tipo = :normal
             WHERE r.empresa = :empresa AND r.compra = :compra
             ORDER BY r.renglon",
            empresa: self.empresa,
            compra,
            normal: ProductKind::Normal,
        ))
        .await
    }

    async fn receive_lines(&mut self, arrivals: &[Arrival]) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE compras_renglones r
             SET cantidad_recibida = a.cantidad_recibida
             FROM unnest(:clave::bigint[], :cantidad_recibida::numeric[]) AS a (clave, cantidad_recibida)
             WHERE r.empresa = :empresa AND r.clave = a.clave",
            empresa: self.empresa;
            for arrival in arrivals { clave: arrival.line.clave, cantidad_recibida: arrival.received() }
        ))
        .await
    }

    async fn update_purchase(
        &mut self,
        clave: i64,
        estatus: PurchaseStatus,
        cxp: Option<i64>,
        modificado: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE compras
             SET estatus = :estatus, cxp = :cxp, modificado = :modificado
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            estatus,
            cxp,
            modificado,
        ))
        .await
    }

    async fn insert_payable(&mut self, row: &StoredPayable, now: Timestamp) -> Result<i64, StoreError> {
        let clave = self.next("cxp", 1).await?;
        self.run(sql!(
            columns_in!(
                "INSERT INTO cxp (
                     empresa, clave, folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento,
                     moneda, tipo_cambio, total, pagado, saldo, {PayableTaxes}, sucursal, operaciones, concepto, modificado
                 )
                 VALUES (
                     :empresa, :clave::bigint, coalesce(:folio, :clave::bigint::text), :tipo, :estatus, :proveedor,
                     :compra, :factura, :uuid, :fecha, :vencimiento,
                     :moneda, :tipo_cambio, :total, :pagado, :saldo, {:PayableTaxes}, :sucursal, :operaciones, :concepto,
                     :ahora
                 )",
                PayableTaxes
            ),
            empresa: self.empresa,
            clave,
            ahora: now;
            from row {
                folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento, moneda, tipo_cambio,
                total, pagado, saldo, sucursal, operaciones, concepto;
                ..impuestos: PayableTaxes
            }
        ))
        .await?;
        Ok(clave)
    }

    async fn lock_payable(&mut self, cxp: i64) -> Result<Option<StoredPayable>, StoreError> {
        self.optional(sql!(
            columns_in!(
                "SELECT folio, tipo, estatus, proveedor, compra, factura, uuid, fecha, vencimiento, moneda, tipo_cambio,
                        total, pagado, saldo, {PayableTaxes}, sucursal, operaciones, concepto, apertura, apertura_iva,
                        apertura_retencion_isr, apertura_retencion_iva
                 FROM cxp
                 WHERE empresa = :empresa AND clave = :cxp
                 FOR NO KEY UPDATE",
                PayableTaxes
            ),
            empresa: self.empresa,
            cxp,
        ))
        .await
    }

    async fn set_payable_opening(&mut self, cxp: i64, apertura: OpenedPayable) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE cxp
             SET apertura = :saldo, apertura_iva = :iva, apertura_retencion_isr = :retencion_isr,
                 apertura_retencion_iva = :retencion_iva
             WHERE empresa = :empresa AND clave = :cxp",
            empresa: self.empresa,
            cxp;
            from apertura { saldo, iva, retencion_isr, retencion_iva }
        ))
        .await
    }

    async fn update_payable(&mut self, cxp: i64, row: &StoredPayable, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            columns_in!(
                "UPDATE cxp
                 SET folio = coalesce(:folio, clave::text), estatus = :estatus, proveedor = :proveedor, factura = :factura,
                     uuid = :uuid, fecha = :fecha, vencimiento = :vencimiento, moneda = :moneda,
                     tipo_cambio = :tipo_cambio, total = :total, pagado = :pagado, saldo = :saldo,
                     ({PayableTaxes}) = ({:PayableTaxes}),
                     sucursal = :sucursal, operaciones = :operaciones, concepto = :concepto, modificado = :ahora
                 WHERE empresa = :empresa AND clave = :cxp",
                PayableTaxes
            ),
            empresa: self.empresa,
            cxp,
            ahora: now;
            from row {
                folio, estatus, proveedor, factura, uuid, fecha, vencimiento, moneda, tipo_cambio, total, pagado, saldo,
                sucursal, operaciones, concepto;
                ..impuestos: PayableTaxes
            }
        ))
        .await
    }

    async fn cancel_payable(&mut self, cxp: i64, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE cxp
             SET estatus = :cancelado, saldo = 0, modificado = :ahora
             WHERE empresa = :empresa AND clave = :cxp",
            empresa: self.empresa,
            cxp,
            cancelado: PayableStatus::Cancelado,
            ahora: now,
        ))
        .await
    }

    async fn payments_of_payable(&mut self, cxp: i64) -> Result<Vec<i64>, StoreError> {
        self.values(sql!(
            "SELECT clave
             FROM cxp_pagos
             WHERE empresa = :empresa AND cxp = :cxp AND NOT cancelado
             ORDER BY clave",
            empresa: self.empresa,
            cxp,
        ))
        .await
    }

    async fn payable_payment(&mut self, pago: i64) -> Result<Option<PaidPayable>, StoreError> {
        self.optional(sql!(
            "SELECT cxp, cuenta_bancaria, cancelado
             FROM cxp_pagos
             WHERE empresa = :empresa AND clave = :pago",
            empresa: self.empresa,
            pago,
        ))
        .await
    }

    async fn cancel_payable_payment(&mut self, pago: i64, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH pago AS (
                 UPDATE cxp_pagos
                 SET cancelado = true
                 WHERE empresa = :empresa AND clave = :pago AND NOT cancelado
                 RETURNING cxp, cuenta_bancaria, importe, coalesce(monto, importe) AS monto
             ), cuenta AS (
                 UPDATE cuentas_bancarias c
                 SET saldo = c.saldo + p.monto
                 FROM pago p
                 WHERE c.empresa = :empresa AND c.clave = p.cuenta_bancaria
             )
             UPDATE cxp x
             SET estatus = :pendiente, pagado = x.pagado - p.importe, saldo = x.saldo + p.importe, modificado = :ahora
             FROM pago p
             WHERE x.empresa = :empresa AND x.clave = p.cxp",
            empresa: self.empresa,
            pago,
            pendiente: PayableStatus::Pendiente,
            ahora: now,
        ))
        .await
    }

    async fn is_payable_paid(&mut self, payment: &NewPayablePayment<'_>) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (
                 SELECT FROM cxp_pagos
                 WHERE empresa = :empresa AND cxp = :cxp AND NOT cancelado AND fecha = :fecha AND abs(importe) = abs(:importe)
                   AND cuenta_bancaria IS NOT DISTINCT FROM :cuenta_bancaria AND referencia = :referencia
             )",
            empresa: self.empresa;
            from payment { cxp, fecha, importe, cuenta_bancaria, referencia }
        ))
        .await
    }

    async fn pay_payable(&mut self, payment: &NewPayablePayment<'_>, now: Timestamp) -> Result<i64, StoreError> {
        let clave = self.next("cxp_pagos", 1).await?;
        self.run(sql!(
            "WITH cuenta AS (
                 UPDATE cuentas_bancarias
                 SET saldo = saldo - coalesce(:monto, :importe)
                 WHERE empresa = :empresa AND clave = :cuenta_bancaria
             ), deuda AS (
                 UPDATE cxp
                 SET estatus = CASE WHEN saldo = :importe THEN :pagado ELSE estatus END,
                     pagado = pagado + :importe,
                     saldo = saldo - :importe,
                     modificado = :ahora
                 WHERE empresa = :empresa AND clave = :cxp
             )
             INSERT INTO cxp_pagos (
                 empresa, clave, cxp, fecha, importe, cuenta_bancaria, referencia, creado, tipo_cambio, monto
             )
             VALUES (
                 :empresa, :clave, :cxp, :fecha, :importe, :cuenta_bancaria, :referencia, :ahora, :tipo_cambio, :monto
             )",
            empresa: self.empresa,
            clave,
            ahora: now,
            pagado: PayableStatus::Pagado;
            from payment { cxp, fecha, importe, cuenta_bancaria, referencia, tipo_cambio, monto }
        ))
        .await?;
        Ok(clave)
    }

    async fn is_supplier(&mut self, proveedor: i64) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (
                 SELECT FROM proveedores
                 WHERE empresa = :empresa AND clave = :proveedor AND estatus <> 'eliminado'
             )",
            empresa: self.empresa,
            proveedor,
        ))
        .await
    }
}
