//! Warehouses and stock.

use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::stock::Holding;
use svc_core::domain::time::Timestamp;
use svc_core::store::{ActiveWarehouse, GoodsGone, MovementContext, NewMovement, StockTx, StoreError};

use crate::columns::quantity;
use crate::error::store_error;
use crate::numbered::numbered;
use crate::transaction::PostgresTx;

impl PostgresTx {
    async fn active_warehouse(
        &mut self,
        query: sqlx::query::Query<'_, sqlx::Postgres, sqlx::postgres::PgArguments>,
    ) -> Result<Option<ActiveWarehouse>, StoreError> {
        let row = query.fetch_optional(self.connection()).await.map_err(store_error)?;
        let read = |row: &PgRow| {
            Ok(ActiveWarehouse { clave: row.try_get(0)?, codigo: row.try_get(1)?, sucursal: row.try_get(2)? })
        };
        row.as_ref().map(read).transpose().map_err(store_error)
    }

    /// All of them or, where one has no record, none. Locked in the order of their products, so that two transactions that want the same
    /// ones do not deadlock.
    async fn locked(&mut self, almacen: i64, productos: &[i64]) -> Result<Vec<Holding>, StoreError> {
        let rows = sqlx::query(
            "SELECT clave, producto, existencia, apartado FROM inventario
             WHERE empresa = $1 AND almacen = $2 AND producto = ANY ($3)
               AND cardinality($3) = (SELECT count(*) FROM inventario x
                                      WHERE x.empresa = $1 AND x.almacen = $2 AND x.producto = ANY ($3))
             ORDER BY producto FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(almacen)
        .bind(productos)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        let read = |row: &PgRow| {
            let (existencia, apartado) = (quantity(row, 2)?, quantity(row, 3)?);
            Ok(Holding { clave: row.try_get(0)?, producto: row.try_get(1)?, existencia, apartado })
        };
        rows.iter().map(read).collect::<Result<_, _>>().map_err(store_error)
    }

    /// Gives each of these products that has no record in the warehouse an empty one.
    async fn insert_empty_stock(&mut self, almacen: i64, productos: &[i64]) -> Result<(), StoreError> {
        let query = sqlx::query(numbered!(
            "SELECT $1, 'inventario', count(*) FROM unnest($3::bigint[]) AS p (producto) WHERE NOT EXISTS (
                 SELECT FROM inventario x WHERE x.empresa = $1 AND x.producto = p.producto AND x.almacen = $2)
             HAVING count(*) > 0",
            " INSERT INTO inventario (empresa, clave, producto, almacen)
              SELECT $1, u.valor - row_number() OVER (ORDER BY p.producto DESC) + 1, p.producto, $2
              FROM numero u, unnest($3::bigint[]) AS p (producto) WHERE NOT EXISTS (
                  SELECT FROM inventario x WHERE x.empresa = $1 AND x.producto = p.producto AND x.almacen = $2)
              ORDER BY p.producto
              ON CONFLICT (empresa, producto, almacen) DO NOTHING"
        ))
        .bind(self.empresa)
        .bind(almacen)
        .bind(productos);
        self.run(query).await
    }
}

#[async_trait]
impl StockTx for PostgresTx {
    async fn is_branch(&mut self, sucursal: i64) -> Result<bool, StoreError> {
        let statement =
            "SELECT EXISTS (SELECT FROM sucursales WHERE empresa = $1 AND clave = $2 AND estatus = 'activo')";
        self.exists(statement, sucursal).await
    }

    async fn warehouse(&mut self, codigo: &str) -> Result<Option<ActiveWarehouse>, StoreError> {
        let query = sqlx::query(
            "SELECT clave, codigo, sucursal FROM almacenes WHERE empresa = $1 AND codigo = $2 AND estatus = 'activo'",
        );
        self.active_warehouse(query.bind(self.empresa).bind(codigo.to_owned())).await
    }

    async fn warehouse_of_clave(&mut self, clave: i64) -> Result<Option<ActiveWarehouse>, StoreError> {
        let query = sqlx::query(
            "SELECT clave, codigo, sucursal FROM almacenes WHERE empresa = $1 AND clave = $2 AND estatus = 'activo'",
        );
        self.active_warehouse(query.bind(self.empresa).bind(clave)).await
    }

    async fn any_warehouse(&mut self, clave: i64) -> Result<Option<ActiveWarehouse>, StoreError> {
        let query = sqlx::query("SELECT clave, codigo, sucursal FROM almacenes WHERE empresa = $1 AND clave = $2");
        self.active_warehouse(query.bind(self.empresa).bind(clave)).await
    }

    async fn main_warehouse(&mut self, sucursal: i64) -> Result<Option<ActiveWarehouse>, StoreError> {
        let query = sqlx::query(
            "SELECT clave, codigo, sucursal FROM almacenes WHERE empresa = $1 AND sucursal = $2 AND estatus = 'activo'
             ORDER BY principal DESC, clave LIMIT 1",
        );
        self.active_warehouse(query.bind(self.empresa).bind(sucursal)).await
    }

    async fn unset_other_main_warehouses(&mut self, almacen: i64) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE almacenes SET principal = false WHERE empresa = $1 AND clave <> $2 AND principal
               AND sucursal = (SELECT sucursal FROM almacenes WHERE empresa = $1 AND clave = $2)",
        );
        self.run(query.bind(self.empresa).bind(almacen)).await
    }

    async fn lock_stock(&mut self, almacen: i64, productos: &[i64]) -> Result<Vec<Holding>, StoreError> {
        // Missing rows are inserted before any is locked: a transaction that holds row locks then never waits for the
        // counter, so two transactions that need the same new products wait for each other and do not deadlock.
        let locked = self.locked(almacen, productos).await?;
        if !locked.is_empty() {
            return Ok(locked);
        }
        self.insert_empty_stock(almacen, productos).await?;
        self.locked(almacen, productos).await
    }

    async fn save_stock(
        &mut self,
        almacen: i64,
        rows: &[Holding],
        movements: &[NewMovement<'_>],
        context: &MovementContext<'_>,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        self.write_stock(almacen, rows, movements, context, now).await
    }

    async fn goods_gone(&mut self, venta: i64) -> Result<Vec<GoodsGone>, StoreError> {
        self.read_goods_gone(venta).await
    }
}
