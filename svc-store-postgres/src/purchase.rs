//! Purchase orders and their lines.

use async_trait::async_trait;
use rust_decimal::Decimal;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::purchase::{Arrival, OrderedLine};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{ProductKind, PurchaseStatus};
use svc_core::store::{NewPurchase, NewPurchaseLine, PurchaseOrder, PurchaseTx, StoreError};

use crate::columns::{money, quantity, rate, word};
use crate::error::store_error;
use crate::transaction::PostgresTx;

fn purchase_order(row: &PgRow) -> Result<PurchaseOrder, sqlx::Error> {
    Ok(PurchaseOrder {
        estatus: word(row, 0, PurchaseStatus::of)?,
        proveedor: row.try_get(1)?,
        sucursal: row.try_get(2)?,
        moneda: row.try_get(3)?,
        tipo_cambio: rate(row, 4)?,
        total: money(row, 5)?,
        cxp: row.try_get(6)?,
        almacen: row.try_get(7)?,
        impuestos: money(row, 8)?,
    })
}

fn ordered_line(row: &PgRow) -> Result<OrderedLine, sqlx::Error> {
    let producto: Option<i64> = row.try_get(2)?;
    let sku: Option<String> = row.try_get(3)?;
    Ok(OrderedLine {
        clave: row.try_get(0)?,
        renglon: row.try_get(1)?,
        producto: producto.map(|producto| (producto, sku)),
        cantidad: quantity(row, 4)?,
        recibida: quantity(row, 5)?,
        subtotal: money(row, 6)?,
        descuento: money(row, 7)?,
    })
}

impl PostgresTx {
    async fn insert_purchase_lines(&mut self, compra: i64, lines: &[NewPurchaseLine]) -> Result<(), StoreError> {
        let first = self.next("compras_renglones", lines.len()).await?;
        let decimals = |value: fn(&NewPurchaseLine) -> Decimal| lines.iter().map(value).collect::<Vec<_>>();
        let query = sqlx::query(
            "INSERT INTO compras_renglones (empresa, clave, compra, renglon, producto, descripcion, unidad, cantidad,
                 costo_unitario, descuento, subtotal, iva, total)
             SELECT $1, $2 + n - 1, $3, n, producto, descripcion, unidad, cantidad, costo, descuento, subtotal, iva, total
             FROM unnest($4::bigint[], $5::text[], $6::text[], $7::numeric[], $8::numeric[], $9::numeric[], $10::numeric[],
                         $11::numeric[], $12::numeric[])
                  WITH ORDINALITY AS r (producto, descripcion, unidad, cantidad, costo, descuento, subtotal, iva, total, n)",
        )
        .bind(self.empresa)
        .bind(first)
        .bind(compra)
        .bind(lines.iter().map(|line| line.product.clave).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.descripcion.as_deref()).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.product.unidad.as_deref()).collect::<Vec<_>>())
        .bind(decimals(|line| line.cantidad.get()))
        .bind(decimals(|line| line.costo_unitario.get()))
        .bind(decimals(|line| line.amounts.descuento.get()))
        .bind(decimals(|line| line.amounts.subtotal.get()))
        .bind(decimals(|line| line.amounts.impuestos.get()))
        .bind(decimals(|line| line.amounts.total.get()));
        self.run(query).await
    }
}

#[async_trait]
impl PurchaseTx for PostgresTx {
    async fn insert_purchase(&mut self, purchase: &NewPurchase<'_>) -> Result<i64, StoreError> {
        let clave = self.next("compras", 1).await?;
        let query = sqlx::query(
            "INSERT INTO compras (empresa, clave, folio, estatus, proveedor, fecha, fecha_entrega, sucursal, almacen, moneda,
                 tipo_cambio, subtotal, descuento, impuestos, total, comentarios, modificado)
             VALUES ($1, $2::bigint, coalesce($3, $2::bigint::text), $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(purchase.folio)
        .bind(NewPurchase::ESTATUS.word())
        .bind(purchase.proveedor)
        .bind(purchase.fecha.get())
        .bind(purchase.fecha_entrega)
        .bind(purchase.sucursal)
        .bind(purchase.almacen)
        .bind(purchase.moneda)
        .bind(purchase.tipo_cambio.get())
        .bind(purchase.amounts.subtotal.get())
        .bind(purchase.amounts.descuento.get())
        .bind(purchase.amounts.impuestos.get())
        .bind(purchase.amounts.total.get())
        .bind(purchase.comentarios)
        .bind(purchase.creada.get());
        self.run(query).await?;
        self.insert_purchase_lines(clave, purchase.lines).await?;
        Ok(clave)
    }

    async fn purchase(&mut self, clave: i64) -> Result<Option<PurchaseOrder>, StoreError> {
        let row = sqlx::query(
            "SELECT estatus, proveedor, sucursal, moneda, tipo_cambio, total, cxp,
                 (SELECT codigo FROM almacenes a WHERE a.empresa = $1 AND a.clave = c.almacen), impuestos
             FROM compras c WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(clave)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(purchase_order).transpose().map_err(store_error)
    }

    async fn ordered_lines(&mut self, compra: i64) -> Result<Vec<OrderedLine>, StoreError> {
        let rows = sqlx::query(
            "SELECT r.clave, r.renglon, p.clave, p.sku, r.cantidad, r.cantidad_recibida, r.subtotal, r.descuento
             FROM compras_renglones r
             LEFT JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto AND p.tipo = $3
             WHERE r.empresa = $1 AND r.compra = $2 ORDER BY r.renglon",
        )
        .bind(self.empresa)
        .bind(compra)
        .bind(ProductKind::Normal.word())
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        rows.iter().map(ordered_line).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn receive_lines(&mut self, arrivals: &[Arrival]) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE compras_renglones r SET cantidad_recibida = a.recibida
             FROM unnest($2::bigint[], $3::numeric[]) AS a (clave, recibida)
             WHERE r.empresa = $1 AND r.clave = a.clave",
        )
        .bind(self.empresa)
        .bind(arrivals.iter().map(|arrival| arrival.line.clave).collect::<Vec<_>>())
        .bind(arrivals.iter().map(|arrival| arrival.received().get()).collect::<Vec<_>>());
        self.run(query).await
    }

    async fn update_purchase(
        &mut self,
        clave: i64,
        estatus: PurchaseStatus,
        cxp: Option<i64>,
        modificado: Timestamp,
    ) -> Result<(), StoreError> {
        let query =
            sqlx::query("UPDATE compras SET estatus = $3, cxp = $4, modificado = $5 WHERE empresa = $1 AND clave = $2")
                .bind(self.empresa)
                .bind(clave)
                .bind(estatus.word())
                .bind(cxp)
                .bind(modificado.get());
        self.run(query).await
    }
}
