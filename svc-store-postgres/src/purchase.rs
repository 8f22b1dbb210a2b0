//! Purchase orders and their lines.

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use svc_core::domain::purchase::{Arrival, OrderedLine};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{ProductKind, PurchaseStatus};
use svc_core::store::{NewPurchase, NewPurchaseLine, PurchaseOrder, PurchaseTx, StoreError};

use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(PurchaseOrder { estatus, proveedor, sucursal, almacen, moneda, tipo_cambio, total, impuestos, cxp });

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
        })
    }
}

impl PostgresTx {
    async fn insert_purchase_lines(&mut self, compra: i64, lines: &[NewPurchaseLine]) -> Result<(), StoreError> {
        let primero = self.next("compras_renglones", lines.len()).await?;
        self.run(sql!(
            "INSERT INTO compras_renglones (
                 empresa, clave, compra, renglon, producto, descripcion, unidad, cantidad, costo_unitario,
                 descuento, subtotal, iva, total
             )
             SELECT
                 :empresa, :primero + n - 1, :compra, n, producto, descripcion, unidad, cantidad, costo_unitario,
                 descuento, subtotal, iva, total
             FROM unnest(
                 :producto::bigint[], :descripcion::text[], :unidad::text[], :cantidad::numeric[],
                 :costo_unitario::numeric[], :descuento::numeric[], :subtotal::numeric[], :iva::numeric[],
                 :total::numeric[]
             ) WITH ORDINALITY AS r (
                 producto, descripcion, unidad, cantidad,
                 costo_unitario, descuento, subtotal, iva,
                 total, n
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
                total: line.amounts.total,
            }
        ))
        .await
    }
}

#[async_trait]
impl PurchaseTx for PostgresTx {
    async fn insert_purchase(&mut self, purchase: &NewPurchase<'_>) -> Result<i64, StoreError> {
        let clave = self.next("compras", 1).await?;
        self.run(sql!(
            "INSERT INTO compras (
                 empresa, clave, folio, estatus, proveedor, fecha, fecha_entrega, sucursal, almacen,
                 moneda, tipo_cambio, subtotal, descuento, impuestos, total, comentarios, modificado
             )
             VALUES (
                 :empresa, :clave::bigint, coalesce(:folio, :clave::bigint::text), :estatus, :proveedor, :fecha,
                 :fecha_entrega, :sucursal, :almacen,
                 :moneda, :tipo_cambio, :subtotal, :descuento, :impuestos, :total, :comentarios, :modificado
             )",
            empresa: self.empresa,
            clave,
            folio: purchase.folio,
            estatus: NewPurchase::ESTATUS,
            proveedor: purchase.proveedor,
            fecha: purchase.fecha,
            fecha_entrega: purchase.fecha_entrega,
            sucursal: purchase.sucursal,
            almacen: purchase.almacen,
            moneda: purchase.moneda,
            tipo_cambio: purchase.tipo_cambio,
            subtotal: purchase.amounts.subtotal,
            descuento: purchase.amounts.descuento,
            impuestos: purchase.amounts.impuestos(),
            total: purchase.amounts.total,
            comentarios: purchase.comentarios,
            modificado: purchase.creada,
        ))
        .await?;
        self.insert_purchase_lines(clave, purchase.lines).await?;
        Ok(clave)
    }

    async fn purchase(&mut self, clave: i64) -> Result<Option<PurchaseOrder>, StoreError> {
        self.optional(sql!(
            "SELECT
                 estatus, proveedor, sucursal, moneda, tipo_cambio, impuestos, total, cxp,
                 (SELECT codigo FROM almacenes a WHERE a.empresa = :empresa AND a.clave = c.almacen) AS almacen
             FROM compras c
             WHERE empresa = :empresa AND clave = :clave
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn ordered_lines(&mut self, compra: i64) -> Result<Vec<OrderedLine>, StoreError> {
        self.many(sql!(
            "SELECT
                 r.clave, r.renglon, p.clave AS producto, p.sku, r.cantidad, r.cantidad_recibida, r.subtotal,
                 r.descuento
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
}
