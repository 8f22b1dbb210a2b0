//! The ledger of stock (kardex).

use std::collections::HashMap;

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{Postgres, QueryBuilder, Row};
use svc_core::api::movimientos_inventario::{Movement, MovementFilter, Movements, UNKNOWN_KIND};
use svc_core::backoffice::import::MovementRecord;
use svc_core::domain::money::Money;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::MovementKind;
use svc_core::operation::Query;
use svc_core::store::{ActiveWarehouse, GoodsGone, ListReader, MovementContext, NewMovement, StoreError};

use crate::columns::{instant, money, money_or_null, quantity};
use crate::copy::Copy;
use crate::error::store_error;
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

const SELECT: &str = "SELECT m.clave, m.fecha, m.tipo, m.producto, coalesce(p.sku, m.sku), m.cantidad, m.existencia_anterior, \
                      m.existencia_actual, m.almacen, m.almacen_destino, m.venta, m.compra, m.costo_unitario, m.importe, \
                      m.referencia \
                      FROM movimientos_inventario m \
                      LEFT JOIN productos p ON p.empresa = m.empresa AND p.clave = m.producto";

fn movement(row: &PgRow) -> Result<Movement, sqlx::Error> {
    let kind = MovementKind::parse(row.try_get(2)?);
    Ok(Movement {
        clave: row.try_get(0)?,
        fecha: instant(row, 1)?,
        tipo: kind.map_or(UNKNOWN_KIND, MovementKind::word),
        sentido: kind.and_then(MovementKind::direction),
        producto: row.try_get(3)?,
        sku: row.try_get(4)?,
        cantidad: quantity(row, 5)?,
        existencia_anterior: quantity(row, 6)?,
        existencia_actual: quantity(row, 7)?,
        almacen: row.try_get(8)?,
        almacen_destino: row.try_get(9)?,
        venta: row.try_get(10)?,
        compra: row.try_get(11)?,
        costo_unitario: money_or_null(row, 12)?,
        importe: money_or_null(row, 13)?,
        referencia: row.try_get(14)?,
    })
}

#[async_trait]
impl ListReader<Movements> for PostgresReader<'_> {
    async fn page(&self, query: &Query<MovementFilter>) -> Result<Vec<Movement>, StoreError> {
        use MovementFilter as F;
        let mut page = Page::new(SELECT, "m.", self.empresa);
        let few = query.filters.iter().any(|filter| matches!(filter, F::Clave(_) | F::Venta(_)));
        for filter in &query.filters {
            match filter {
                F::Clave(clave) => page.compare("m.clave = ", clave),
                F::Sku(sku) if few => page.compare("coalesce(p.sku, m.sku) = ", sku),
                F::Sku(sku) => of_sku(&mut page, sku, query),
                F::Venta(venta) => page.compare("m.venta = ", venta),
                F::Tipo(tipo) => page.compare("m.tipo = ", tipo),
            }
        }
        page.fetch(self, query, movement).await
    }
}

/// The next movements that `coalesce(p.sku, m.sku)` makes the SKU's: of the products that have it, and of those that are
/// gone (or lost theirs) and for which it was written down. Each ledger is read from its index no further than the page
/// can reach; `escritos` steps from product to product of the written SKU.
fn of_sku(page: &mut Page, sku: &str, query: &Query<MovementFilter>) {
    let sql = page.and();
    sql.push("m.clave = ANY (ARRAY(WITH RECURSIVE dado AS (SELECT ").push_bind(sku.to_owned());
    sql.push(
        "::text AS sku), escritos (producto) AS (\
         SELECT min(x.producto) FROM movimientos_inventario x WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) \
         UNION ALL \
         SELECT (SELECT min(x.producto) FROM movimientos_inventario x \
         WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto > e.producto) \
         FROM escritos e WHERE e.producto IS NOT NULL) \
         SELECT k.clave FROM productos s CROSS JOIN LATERAL (SELECT x.clave FROM movimientos_inventario x \
         WHERE x.empresa = $1 AND x.producto = s.clave",
    );
    next_movements(sql, query);
    sql.push(
        ") k WHERE s.empresa = $1 AND s.sku = (SELECT sku FROM dado) \
         UNION ALL \
         SELECT k.clave FROM escritos e CROSS JOIN LATERAL (SELECT x.clave FROM movimientos_inventario x \
         WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto = e.producto",
    );
    next_movements(sql, query);
    sql.push(
        ") k WHERE NOT EXISTS (SELECT FROM productos s \
         WHERE s.empresa = $1 AND s.clave = e.producto AND s.sku IS NOT NULL) \
         UNION ALL \
         (SELECT x.clave FROM movimientos_inventario x \
         WHERE x.empresa = $1 AND x.sku = (SELECT sku FROM dado) AND x.producto IS NULL",
    );
    next_movements(sql, query);
    sql.push(")))");
}

/// Ends a statement over movements `x`, so that it gives as many of them as the page can hold.
fn next_movements(sql: &mut QueryBuilder<Postgres>, query: &Query<MovementFilter>) {
    for filter in &query.filters {
        if let MovementFilter::Tipo(tipo) = filter {
            sql.push(" AND x.tipo = ").push_bind(*tipo);
        }
    }
    if let Some(after) = query.after {
        sql.push(" AND x.clave > ").push_bind(after);
    }
    sql.push(" ORDER BY x.clave LIMIT ").push_bind(i64::from(query.limit) + 1);
}

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

    /// What a sale took. A warehouse is written by its clave, in older lines by its code: the clave comes first.
    pub(crate) async fn read_goods_gone(&mut self, venta: i64) -> Result<Vec<GoodsGone>, StoreError> {
        let rows = sqlx::query(
            "SELECT a.clave, a.codigo, a.sucursal, m.producto, m.sku, m.cantidad, coalesce(m.costo_unitario, 0)
             FROM movimientos_inventario m
             CROSS JOIN LATERAL (SELECT clave, codigo, sucursal FROM almacenes
                                 WHERE empresa = $1 AND (clave::text = m.almacen OR codigo = m.almacen)
                                 ORDER BY clave::text = m.almacen DESC LIMIT 1) a
             WHERE m.empresa = $1 AND m.venta = $2 AND m.tipo = 'venta'
               AND EXISTS (SELECT FROM productos p WHERE p.empresa = $1 AND p.clave = m.producto)
             ORDER BY m.clave",
        )
        .bind(self.empresa)
        .bind(venta)
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

    /// Writes movements. One that names its product by a SKU which no product has keeps the SKU alone; one that names it
    /// by clave keeps the SKU that the product has now.
    pub(crate) async fn copy_movements(&mut self, rows: &[MovementRecord], now: Timestamp) -> Result<(), StoreError> {
        let unnamed = rows.iter().filter(|row| row.producto.is_none());
        let products = self.known_skus(unnamed.filter_map(|row| row.sku.as_deref())).await?;
        let written = self.skus_of(rows.iter().filter(|row| row.sku.is_none()).filter_map(|row| row.producto)).await?;
        let claves = self.claves("movimientos_inventario", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            let product = row.producto.or_else(|| products.get(row.sku.as_deref()?).copied());
            let sku = row.sku.as_deref().or_else(|| written.get(&product?).map(String::as_str));
            copy.value(self.empresa).value(clave).value(row.fecha.unwrap_or(now)).value(&*row.tipo);
            copy.optional(product).optional(sku).value(row.cantidad).value(row.before()).value(row.after());
            copy.value(&*row.almacen).optional(row.almacen_destino.as_deref());
            copy.optional(row.venta).optional(row.compra).optional(row.costo_unitario).optional(row.amount());
            copy.optional(row.referencia.as_deref()).end();
        }
        copy.send(
            self.connection(),
            "COPY movimientos_inventario (empresa, clave, fecha, tipo, producto, sku, cantidad, existencia_anterior, \
             existencia_actual, almacen, almacen_destino, venta, compra, costo_unitario, importe, referencia) FROM STDIN",
        )
        .await
    }

    /// The SKUs of these products, of those that have one.
    async fn skus_of(
        &mut self,
        products: impl Iterator<Item = i64> + Send,
    ) -> Result<HashMap<i64, String>, StoreError> {
        let products: Vec<i64> = products.collect();
        if products.is_empty() {
            return Ok(HashMap::new());
        }
        let found: Vec<(i64, String)> = sqlx::query_as(
            "SELECT clave, sku FROM productos WHERE empresa = $1 AND clave = ANY ($2) AND sku IS NOT NULL",
        )
        .bind(self.empresa)
        .bind(products)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        Ok(found.into_iter().collect())
    }
}
