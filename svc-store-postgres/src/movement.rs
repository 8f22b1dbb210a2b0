//! The ledger of stock (kardex).

use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::money::Money;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::MovementKind;
use svc_core::store::{ActiveWarehouse, GoodsGone, MovementContext, NewMovement, StoreError};

use crate::columns::{money, quantity};
use crate::error::store_error;
use crate::transaction::PostgresTx;

impl PostgresTx {
    /// Writes lines of a warehouse's ledger, which names the warehouse by its clave.
    pub(crate) async fn write_movements(
        &mut self,
        almacen: i64,
        rows: &[NewMovement<'_>],
        context: &MovementContext<'_>,
        fecha: Timestamp,
    ) -> Result<i64, StoreError> {
        let first = self.next("movimientos_inventario", rows.len()).await?;
        let query = sqlx::query(
            "INSERT INTO movimientos_inventario (empresa, clave, fecha, tipo, producto, sku, cantidad, existencia_anterior,
                 existencia_actual, costo_unitario, importe, almacen, almacen_destino, venta, compra, referencia)
             SELECT $1, $2 + n - 1, $3, tipo, producto, sku, cantidad, anterior, actual, costo, importe,
                    $4::bigint::text, $5::bigint::text, $6, $7, $8
             FROM unnest($9::text[], $10::bigint[], $11::text[], $12::numeric[], $13::numeric[], $14::numeric[],
                         $15::numeric[], $16::numeric[])
                  WITH ORDINALITY AS m (tipo, producto, sku, cantidad, anterior, actual, costo, importe, n)",
        )
        .bind(self.empresa)
        .bind(first)
        .bind(fecha.get())
        .bind(almacen)
        .bind(context.almacen_destino)
        .bind(context.venta)
        .bind(context.compra)
        .bind(context.referencia)
        .bind(rows.iter().map(|row| row.tipo.word()).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.producto).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.sku).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.cantidad.get()).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.existencia_anterior.get()).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.existencia_actual.get()).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.costo_unitario.get()).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.importe.map(Money::get)).collect::<Vec<_>>());
        self.run(query).await?;
        Ok(first)
    }

    /// What a sale took.
    pub(crate) async fn read_goods_gone(&mut self, venta: i64) -> Result<Vec<GoodsGone>, StoreError> {
        self.goods(venta, &[MovementKind::Venta], None, true).await
    }

    /// What a sale took and credit notes have not brought back, by warehouse, product and cost.
    pub(crate) async fn read_goods_not_back(&mut self, venta: i64) -> Result<Vec<GoodsGone>, StoreError> {
        let kinds = [MovementKind::Venta, MovementKind::DevolucionNotaCredito, MovementKind::CancelacionNotaCredito];
        self.goods(venta, &kinds, None, false).await
    }

    /// What the credit note of that folio brought back.
    pub(crate) async fn read_goods_back(&mut self, venta: i64, folio: &str) -> Result<Vec<GoodsGone>, StoreError> {
        self.goods(venta, &[MovementKind::DevolucionNotaCredito], Some(folio), true).await
    }

    /// The movements of these kinds of a sale, one by one or added up, in which what comes back beside what leaves counts as negative. A
    /// warehouse is written by its clave, in older lines by its code: the clave comes first.
    async fn goods(
        &mut self,
        venta: i64,
        kinds: &[MovementKind],
        referencia: Option<&str>,
        one_by_one: bool,
    ) -> Result<Vec<GoodsGone>, StoreError> {
        let back = if one_by_one { None } else { Some(MovementKind::DevolucionNotaCredito.word()) };
        let rows = sqlx::query(
            "SELECT a.clave, a.codigo, a.sucursal, m.producto, m.sku,
                    sum(CASE WHEN m.tipo = $5 THEN -m.cantidad ELSE m.cantidad END), coalesce(m.costo_unitario, 0)
             FROM movimientos_inventario m
             CROSS JOIN LATERAL (SELECT clave, codigo, sucursal FROM almacenes
                                 WHERE empresa = $1 AND (clave::text = m.almacen OR codigo = m.almacen)
                                 ORDER BY clave::text = m.almacen DESC LIMIT 1) a
             WHERE m.empresa = $1 AND m.venta = $2 AND m.tipo = ANY ($3) AND ($4::text IS NULL OR m.referencia = $4)
               AND EXISTS (SELECT FROM productos p WHERE p.empresa = $1 AND p.clave = m.producto)
             GROUP BY 1, 2, 3, 4, 5, 7, CASE WHEN $5::text IS NULL THEN m.clave END
             HAVING sum(CASE WHEN m.tipo = $5 THEN -m.cantidad ELSE m.cantidad END) > 0
             ORDER BY min(m.clave)",
        )
        .bind(self.empresa)
        .bind(venta)
        .bind(kinds.iter().map(|kind| kind.word()).collect::<Vec<_>>())
        .bind(referencia)
        .bind(back)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        let read = |row: &PgRow| {
            Ok(GoodsGone {
                almacen: ActiveWarehouse { clave: row.try_get(0)?, codigo: row.try_get(1)?, sucursal: row.try_get(2)? },
                producto: row.try_get(3)?,
                sku: row.try_get(4)?,
                cantidad: quantity(row, 5)?,
                costo_unitario: money(row, 6)?,
            })
        };
        rows.iter().map(read).collect::<Result<_, _>>().map_err(store_error)
    }
}
