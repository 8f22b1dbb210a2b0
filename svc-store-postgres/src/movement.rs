//! The ledger of stock (kardex), and stock as it is written with it.

use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::money::Money;
use svc_core::domain::stock::Holding;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::MovementKind;
use svc_core::store::{ActiveWarehouse, GoodsGone, MovementContext, NewMovement, StoreError};

use crate::columns::{money, quantity};
use crate::error::store_error;
use crate::numbered::numbered;
use crate::transaction::PostgresTx;

impl PostgresTx {
    /// Writes stock of a warehouse and lines of its ledger, which names the warehouse by its clave; gives the clave of the first line.
    pub(crate) async fn write_stock(
        &mut self,
        almacen: i64,
        stock: &[Holding],
        rows: &[NewMovement<'_>],
        context: &MovementContext<'_>,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let last: Option<i64> = sqlx::query_scalar(numbered!(
            "SELECT $1, 'movimientos_inventario', cardinality($11::text[]) WHERE cardinality($11::text[]) > 0",
            ", existencias AS (
                 UPDATE inventario x SET existencia = c.existencia, apartado = c.apartado, modificado = $2
                 FROM unnest($3::bigint[], $4::numeric[], $5::numeric[]) AS c (clave, existencia, apartado)
                 WHERE x.empresa = $1 AND x.clave = c.clave
             ), movimientos AS (
                 INSERT INTO movimientos_inventario (empresa, clave, fecha, tipo, producto, sku, cantidad, existencia_anterior,
                     existencia_actual, costo_unitario, importe, almacen, almacen_destino, venta, compra, referencia)
                 SELECT $1, u.valor - cardinality($11::text[]) + n, $2, tipo, producto, sku, cantidad, anterior, actual, costo, importe,
                        $6::bigint::text, $7::bigint::text, $8, $9, $10
                 FROM numero u, unnest($11::text[], $12::bigint[], $13::text[], $14::numeric[], $15::numeric[], $16::numeric[],
                                       $17::numeric[], $18::numeric[])
                      WITH ORDINALITY AS m (tipo, producto, sku, cantidad, anterior, actual, costo, importe, n)
             )
             SELECT valor FROM numero"
        ))
        .bind(self.empresa)
        .bind(now.get())
        .bind(stock.iter().map(|row| row.clave).collect::<Vec<_>>())
        .bind(stock.iter().map(|row| row.existencia.get()).collect::<Vec<_>>())
        .bind(stock.iter().map(|row| row.apartado.get()).collect::<Vec<_>>())
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
        .bind(rows.iter().map(|row| row.importe.map(Money::get)).collect::<Vec<_>>())
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        Ok(last.map(|last| last - rows.len() as i64 + 1))
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
