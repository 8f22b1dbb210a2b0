//! Sales documents and their lines, and sales that become invoices.

mod division;
mod insert;

use async_trait::async_trait;
use rust_decimal::Decimal;
use sqlx::postgres::PgRow;
use svc_core::domain::accounting::{IncomeByRate, IncomePart, SaleIncome};
use svc_core::domain::cfdi::Line;
use svc_core::domain::invoice::{LockedSale, SaleInvoice};
use svc_core::domain::line_details::LineDetails;
use svc_core::domain::money::Money;
use svc_core::domain::order::{FulfilmentLine, OrderPart, PricedLine};
use svc_core::domain::quantity::Rate;
use svc_core::domain::tax::{Amounts, LineRates};
use svc_core::domain::text::printed_folio;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{Fulfilment, PaymentOrigin, ProductKind, ReceivableStatus, SaleKind};
use svc_core::store::{InvoicedSale, NewSale, Numbered, PaymentTx as _, SaleGoods, SaleTx, StoreError};

use crate::part::columns_in;
use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(FulfilmentLine { renglon, cantidad, cantidad_surtida, total });
from_row!(PricedLine {
    renglon,
    cantidad,
    cantidad_surtida,
    precio_unitario,
    descuento,
    rates: ..,
    details: ..,
    amounts: ..
});
from_row!(Line {
    renglon,
    sku,
    descripcion,
    cantidad,
    unidad,
    unidad_sat,
    codigo_sat,
    objeto_impuesto,
    precio_unitario,
    rates: ..,
    details: ..,
    amounts: ..,
});

from_row!(LockedSale {
    clave,
    tipo,
    folio,
    origen,
    cancelada,
    factura: ..,
    facturada,
    surtido: "surtido_estatus",
    facturando,
    sucursal,
    almacen,
    cliente,
    cliente_rfc,
    moneda,
    tipo_cambio,
    condicion_pago,
    dias_credito,
    forma_pago_sat,
    metodo_pago_sat,
    uso_cfdi,
    amounts: ..,
    ingresos: ..,
    saldo,
    con_anticipos,
    con_cuenta,
});
from_row!(SaleIncome { by_rate: .., cero: "renglones_cero", exentos: "renglones_exentos" });

/// How a line says that it is taxed at 0 %, or exempt.
const ZERO_RATE: &str = "0.000000";
const EXEMPT: &str = "exento";

impl FromRow for IncomeByRate {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            cero: IncomePart { subtotal: row.read("subtotal_cero")?, descuento: row.read("descuento_cero")? },
            exento: IncomePart { subtotal: row.read("subtotal_exento")?, descuento: row.read("descuento_exento")? },
            exportacion: false,
        })
    }
}

from_row!(SaleInvoice {
    clave: "factura",
    origen: "factura_origen",
    estatus: "factura_estatus",
    serie: "factura_serie",
    folio: "factura_folio",
    uuid: "factura_uuid",
});
from_row!(SaleGoods { renglon, producto, sku, cantidad });

/// The columns of a LEFT JOIN with the registry.
impl FromRow for Option<SaleInvoice> {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let factura: Option<i64> = row.read("factura")?;
        factura.map(|_| SaleInvoice::from_row(row)).transpose()
    }
}

#[async_trait]
impl SaleTx for PostgresTx {
    async fn next_folio(&mut self, tipo: &'static str, serie: &str) -> Result<i64, StoreError> {
        self.next(&folio_series(tipo, serie), 1).await
    }

    async fn insert_sale(&mut self, sale: &NewSale<'_>) -> Result<Numbered, StoreError> {
        self.write_sale(sale).await
    }

    async fn order_lines(&mut self, clave: i64) -> Result<Vec<FulfilmentLine>, StoreError> {
        self.many(sql!(
            "SELECT renglon, cantidad, cantidad_surtida, total
             FROM ventas_renglones
             WHERE empresa = :empresa AND venta = :clave
             ORDER BY renglon",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn set_fulfilment(
        &mut self,
        clave: i64,
        lines: &[FulfilmentLine],
        fulfilment: Fulfilment,
        monto_surtido: Money,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE ventas_renglones r
             SET cantidad_surtida = l.cantidad_surtida
             FROM unnest(:renglon::bigint[], :cantidad_surtida::numeric[]) AS l (renglon, cantidad_surtida)
             WHERE r.empresa = :empresa AND r.venta = :clave AND r.renglon = l.renglon",
            empresa: self.empresa,
            clave;
            for line in lines { renglon, cantidad_surtida }
        ))
        .await?;
        self.run(sql!(
            "UPDATE ventas
             SET surtido_estatus = :surtido_estatus, monto_surtido = :monto_surtido, modificado = :ahora
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            surtido_estatus: fulfilment,
            monto_surtido,
            ahora: now,
        ))
        .await
    }

    async fn priced_lines(&mut self, clave: i64) -> Result<Vec<PricedLine>, StoreError> {
        self.many(sql!(
            columns_in!(
                "SELECT renglon, cantidad, cantidad_surtida, precio_unitario, {LineRates}, {LineDetails},
                        {Amounts}
                 FROM ventas_renglones
                 WHERE empresa = :empresa AND venta = :clave
                 ORDER BY renglon",
                LineRates,
                LineDetails,
                Amounts
            ),
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn divide_order(
        &mut self,
        clave: i64,
        handed: &OrderPart,
        left: &OrderPart,
        now: Timestamp,
    ) -> Result<i64, StoreError> {
        self.write_division(clave, handed, left, now).await
    }

    async fn turn_into_order(
        &mut self,
        clave: i64,
        folio: i64,
        almacen: i64,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH cuentas AS (
                 UPDATE cxc
                 SET modificado = :ahora
                 WHERE empresa = :empresa AND venta = :clave
             ), renglones AS (
                 UPDATE ventas_renglones
                 SET cantidad_surtida = 0
                 WHERE empresa = :empresa AND venta = :clave AND cantidad_surtida <> 0
             )
             UPDATE ventas
             SET tipo = :pedido, serie = NULL, folio = :folio, almacen = coalesce(almacen, :almacen),
                 surtido_estatus = :pendiente, monto_surtido = 0, facturando = NULL, modificado = :ahora,
                 tipo_creado = coalesce(tipo_creado, tipo)
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            folio,
            almacen,
            pedido: SaleKind::Pedido,
            pendiente: Fulfilment::Pendiente,
            ahora: now,
        ))
        .await
    }

    async fn set_sale_cancelled(&mut self, clave: i64, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE ventas
             SET cancelada = true, fecha_cancelacion = :ahora, saldo = 0, facturando = NULL, modificado = :ahora
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            ahora: now,
        ))
        .await
    }

    async fn set_sale_invoice(&mut self, clave: i64, factura: i64, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE ventas
             SET factura = :factura, modificado = :ahora
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            factura,
            ahora: now,
        ))
        .await
    }

    async fn lock_sale(&mut self, clave: i64) -> Result<Option<LockedSale>, StoreError> {
        self.run(sql!(
            "SELECT FROM ventas WHERE empresa = :empresa AND clave = :clave FOR NO KEY UPDATE",
            empresa: self.empresa,
            clave,
        ))
        .await?;
        // A separate statement sees what the previous holder of the lock wrote to the registry.
        self.optional(sql!(
            "SELECT
                 v.clave, v.tipo, v.folio, v.origen, v.cancelada, v.surtido_estatus, v.facturando, v.sucursal,
                 v.almacen, v.cliente, c.rfc AS cliente_rfc, v.moneda, v.tipo_cambio, v.condicion_pago,
                 v.dias_credito::bigint,
                 v.forma_pago_sat, v.metodo_pago_sat, v.uso_cfdi,
                 v.subtotal, v.descuento, v.impuestos - r.ieps - r.locales_trasladados AS iva, r.ieps, v.retenciones,
                 r.isr_retenido, r.locales_trasladados, r.locales_retenidos, v.total, v.saldo,
                 r.subtotal_cero, r.descuento_cero, r.subtotal_exento, r.descuento_exento,
                 r.renglones_cero, r.renglones_exentos,
                 v.factura IS NOT NULL OR v.uuid IS NOT NULL AS facturada,
                 f.clave AS factura, f.origen AS factura_origen, f.estatus AS factura_estatus,
                 f.serie AS factura_serie, f.folio AS factura_folio, f.uuid AS factura_uuid,
                 EXISTS (
                     SELECT FROM anticipos_ventas a WHERE a.empresa = :empresa AND a.venta = :clave
                 ) AS con_anticipos,
                 EXISTS (
                     SELECT FROM cxc x WHERE x.empresa = :empresa AND x.venta = :clave AND x.estatus <> :cancelado
                 ) AS con_cuenta
             FROM ventas v
             LEFT JOIN facturas f ON f.empresa = v.empresa AND f.clave = v.factura
             LEFT JOIN clientes c ON c.empresa = v.empresa AND c.clave = v.cliente
             CROSS JOIN LATERAL (
                 SELECT coalesce(sum(ieps), 0) AS ieps, coalesce(sum(isr_retenido), 0) AS isr_retenido,
                        coalesce(sum(locales_trasladados), 0) AS locales_trasladados,
                        coalesce(sum(locales_retenidos), 0) AS locales_retenidos,
                        coalesce(sum(subtotal) FILTER (WHERE iva_tasa = :cero), 0) AS subtotal_cero,
                        coalesce(sum(descuento) FILTER (WHERE iva_tasa = :cero), 0) AS descuento_cero,
                        coalesce(sum(subtotal) FILTER (WHERE iva_tasa = :exento OR iva_tasa IS NULL AND iva = 0), 0)
                          AS subtotal_exento,
                        coalesce(sum(descuento) FILTER (WHERE iva_tasa = :exento OR iva_tasa IS NULL AND iva = 0), 0)
                          AS descuento_exento,
                        coalesce(array_agg(renglon) FILTER (WHERE iva_tasa = :cero), '{}') AS renglones_cero,
                        coalesce(array_agg(renglon) FILTER (WHERE iva_tasa = :exento OR iva_tasa IS NULL AND iva = 0), '{}')
                          AS renglones_exentos
                 FROM ventas_renglones
                 WHERE empresa = :empresa AND venta = :clave
             ) r
             WHERE v.empresa = :empresa AND v.clave = :clave",
            empresa: self.empresa,
            clave,
            cero: ZERO_RATE,
            exento: EXEMPT,
            cancelado: ReceivableStatus::Cancelado,
        ))
        .await
    }

    async fn sale_goods(&mut self, clave: i64) -> Result<Vec<SaleGoods>, StoreError> {
        self.many(sql!(
            "SELECT r.renglon, p.clave AS producto, p.sku, r.cantidad
             FROM ventas_renglones r
             JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto
             WHERE r.empresa = :empresa AND r.venta = :clave AND coalesce(r.con_existencia, p.tipo = :normal)
             ORDER BY r.renglon",
            empresa: self.empresa,
            clave,
            normal: ProductKind::Normal,
        ))
        .await
    }

    async fn turn_into_invoice(
        &mut self,
        clave: i64,
        invoiced: &InvoicedSale<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        // Receivables show the sale's type, those too that were cancelled before.
        self.run(sql!(
            "WITH cuentas AS (
                 UPDATE cxc
                 SET modificado = :ahora
                 WHERE empresa = :empresa AND venta = :clave AND estatus = :cancelado
             ), antes AS (
                 INSERT INTO ventas_previas (
                     empresa, factura, venta, tipo, tipo_creado, serie, folio, vencimiento, forma_pago_sat,
                     metodo_pago_sat, uso_cfdi, surtido_estatus, monto_surtido, vencimiento_cxc
                 )
                 SELECT :empresa, :factura, clave, tipo, tipo_creado, serie, folio, vencimiento, forma_pago_sat,
                        metodo_pago_sat, uso_cfdi, surtido_estatus, monto_surtido,
                        (SELECT max(vencimiento)
                         FROM cxc
                         WHERE empresa = :empresa AND venta = :clave AND estatus <> :cancelado)
                 FROM ventas
                 WHERE empresa = :empresa AND clave = :clave
             )
             UPDATE ventas
             SET tipo = :tipo, factura = :factura, uuid = NULL, serie = :serie, folio = :folio,
                 vencimiento = coalesce(:vencimiento, vencimiento),
                 forma_pago_sat = :forma_pago_sat, metodo_pago_sat = :metodo_pago_sat, uso_cfdi = :uso_cfdi,
                 surtido_estatus = NULL, monto_surtido = NULL, facturando = NULL, modificado = :ahora,
                 anticipo_contado = :anticipo_contado, tipo_creado = coalesce(tipo_creado, tipo)
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            tipo: SaleKind::Factura,
            forma_pago_sat: invoiced.terms.forma_pago_sat,
            metodo_pago_sat: invoiced.terms.metodo_pago_sat,
            uso_cfdi: invoiced.terms.uso_cfdi,
            ahora: now,
            cancelado: ReceivableStatus::Cancelado;
            from invoiced { factura, serie, folio, vencimiento, anticipo_contado }
        ))
        .await
    }

    async fn invoice_receivable(
        &mut self,
        clave: i64,
        folio: &str,
        invoiced: &InvoicedSale<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE cxc
             SET folio = :folio, tipo_venta = :tipo_venta, factura = :factura, uuid = NULL,
                 metodo_pago_sat = :metodo_pago_sat, vencimiento = coalesce(:vencimiento, vencimiento),
                 modificado = :ahora
             WHERE empresa = :empresa AND venta = :clave AND estatus <> :cancelado",
            empresa: self.empresa,
            clave,
            folio,
            tipo_venta: SaleKind::Factura,
            factura: invoiced.factura,
            metodo_pago_sat: invoiced.terms.metodo_pago_sat,
            vencimiento: invoiced.vencimiento,
            ahora: now,
            cancelado: ReceivableStatus::Cancelado,
        ))
        .await
    }

    async fn set_exchange_rate(&mut self, clave: i64, tipo_cambio: Rate, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH cuenta AS (
                 UPDATE cxc
                 SET tipo_cambio = :tipo_cambio, modificado = :ahora
                 WHERE empresa = :empresa AND venta = :clave
             )
             UPDATE ventas
             SET tipo_cambio = :tipo_cambio, modificado = :ahora
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            tipo_cambio,
            ahora: now,
        ))
        .await
    }

    async fn set_invoicing(&mut self, clave: i64, since: Option<Timestamp>) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE ventas SET facturando = :desde WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            desde: since,
        ))
        .await
    }

    async fn advances(&mut self, cliente: i64, moneda: &str) -> Result<Decimal, StoreError> {
        let unapplied = self.funds(cliente, moneda, PaymentOrigin::Anticipo).await?;
        // What was applied to the sale itself is paid, so it is not reserved any more.
        let counted: Decimal = self
            .value(sql!(
                "SELECT coalesce(sum(greatest(least(v.anticipo_contado - p.aplicado, v.saldo), 0)), 0)
                 FROM ventas v
                 CROSS JOIN LATERAL (
                     SELECT coalesce(sum(importe), 0) AS aplicado
                     FROM cxc_pagos
                     WHERE empresa = :empresa AND venta = v.clave AND origen = :anticipo AND NOT cancelado
                 ) p
                 WHERE v.empresa = :empresa AND v.cliente = :cliente AND v.moneda = :moneda AND NOT v.cancelada
                   AND v.saldo > 0 AND v.anticipo_contado IS NOT NULL",
                empresa: self.empresa,
                cliente,
                moneda,
                anticipo: PaymentOrigin::Anticipo,
            ))
            .await?;
        Ok(unapplied - counted)
    }
}

/// A line with the clave of its sale.
struct LineOf(i64, Line);

impl FromRow for LineOf {
    fn from_row(row: &sqlx::postgres::PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self(row.read("venta")?, FromRow::from_row(row)?))
    }
}

impl PostgresTx {
    /// The lines of these sales as tax documents need them, with the clave of the sale.
    pub(crate) async fn read_lines(&mut self, ventas: &[i64]) -> Result<Vec<(i64, Line)>, StoreError> {
        let lines = self.many(sql!(
            columns_in!(
                "SELECT venta, renglon, sku,
                        coalesce(
                            descripcion,
                            (
                                SELECT coalesce(p.descripcion, ventas_renglones.sku, p.sku)
                                FROM productos p
                                WHERE p.empresa = :empresa AND p.clave = ventas_renglones.producto
                            ),
                            sku
                        ) AS descripcion,
                        cantidad, unidad, unidad_sat, codigo_sat, objeto_impuesto,
                        precio_unitario, {LineRates}, {LineDetails}, {Amounts}
                 FROM ventas_renglones
                 WHERE empresa = :empresa AND venta = ANY (:ventas)
                 ORDER BY venta, renglon",
                LineRates,
                LineDetails,
                Amounts
            ),
            empresa: self.empresa,
            ventas,
        ));
        Ok(lines.await?.into_iter().map(|LineOf(venta, line)| (venta, line)).collect())
    }
}

from_row! {
    /// Series and number of a sale.
    pub(crate) struct SaleNumber { serie: Option<String>, numero: i64 }
}

impl SaleNumber {
    /// Series and number in one text, as people write them.
    pub(crate) fn printed(&self) -> String {
        printed_folio(self.serie.as_deref().unwrap_or_default(), self.numero)
    }
}

/// The name of the counter of folios of a type and series.
pub(crate) fn folio_series(tipo: &str, serie: &str) -> String {
    format!("folio:{tipo}:{serie}")
}
