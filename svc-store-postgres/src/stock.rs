//! Warehouses and stock.

use async_trait::async_trait;
use svc_core::domain::stock::Holding;
use svc_core::domain::time::Timestamp;
use svc_core::store::{ActiveWarehouse, GoodsGone, MovementContext, NewMovement, StockTx, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(ActiveWarehouse { clave: "almacen", codigo, sucursal });
from_row!(Holding { clave, producto, existencia, apartado });

impl PostgresTx {
    /// All of them or, where one has no record, none. Locked in the order of their products, so that two transactions that want the same
    /// ones do not deadlock.
    async fn locked(&mut self, almacen: i64, productos: &[i64]) -> Result<Vec<Holding>, StoreError> {
        self.many(sql!(
            "SELECT clave, producto, existencia, apartado
             FROM inventario
             WHERE empresa = :empresa AND almacen = :almacen AND producto = ANY (:productos)
               AND cardinality(:productos) = (
                   SELECT count(*)
                   FROM inventario x
                   WHERE x.empresa = :empresa AND x.almacen = :almacen AND x.producto = ANY (:productos)
               )
             ORDER BY producto
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            almacen,
            productos,
        ))
        .await
    }

    /// Gives each of these products that has no record in the warehouse an empty one.
    async fn insert_empty_stock(&mut self, almacen: i64, productos: &[i64]) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH numero AS (
                 INSERT INTO contadores AS c (empresa, serie, valor)
                 SELECT :empresa, 'inventario', count(*)
                 FROM unnest(:productos::bigint[]) AS p (producto)
                 WHERE NOT EXISTS (
                     SELECT FROM inventario i
                     WHERE i.empresa = :empresa AND i.producto = p.producto AND i.almacen = :almacen
                 )
                 HAVING count(*) > 0
                 ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
                 RETURNING valor
             )
             INSERT INTO inventario (empresa, clave, producto, almacen)
             SELECT :empresa, n.valor - row_number() OVER (ORDER BY p.producto DESC) + 1, p.producto, :almacen
             FROM numero n, unnest(:productos::bigint[]) AS p (producto)
             WHERE NOT EXISTS (
                 SELECT FROM inventario i
                 WHERE i.empresa = :empresa AND i.producto = p.producto AND i.almacen = :almacen
             )
             ORDER BY p.producto
             ON CONFLICT (empresa, producto, almacen) DO NOTHING",
            empresa: self.empresa,
            almacen,
            productos,
        ))
        .await
    }
}

#[async_trait]
impl StockTx for PostgresTx {
    async fn is_branch(&mut self, sucursal: i64) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (
                 SELECT FROM sucursales
                 WHERE empresa = :empresa AND clave = :sucursal AND estatus = 'activo'
             )",
            empresa: self.empresa,
            sucursal,
        ))
        .await
    }

    async fn warehouse(&mut self, codigo: &str) -> Result<Option<ActiveWarehouse>, StoreError> {
        self.optional(sql!(
            "SELECT clave AS almacen, codigo, sucursal
             FROM almacenes
             WHERE empresa = :empresa AND codigo = :codigo AND estatus = 'activo'",
            empresa: self.empresa,
            codigo,
        ))
        .await
    }

    async fn warehouse_of_clave(&mut self, clave: i64) -> Result<Option<ActiveWarehouse>, StoreError> {
        self.optional(sql!(
            "SELECT clave AS almacen, codigo, sucursal
             FROM almacenes
             WHERE empresa = :empresa AND clave = :clave AND estatus = 'activo'",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn any_warehouse(&mut self, clave: i64) -> Result<Option<ActiveWarehouse>, StoreError> {
        self.optional(sql!(
            "SELECT clave AS almacen, codigo, sucursal
             FROM almacenes
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn main_warehouse(&mut self, sucursal: i64) -> Result<Option<ActiveWarehouse>, StoreError> {
        self.optional(sql!(
            "SELECT clave AS almacen, codigo, sucursal
             FROM almacenes
             WHERE empresa = :empresa AND sucursal = :sucursal AND estatus = 'activo'
             ORDER BY principal DESC, clave
             LIMIT 1",
            empresa: self.empresa,
            sucursal,
        ))
        .await
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
