use async_trait::async_trait;
use rust_decimal::Decimal;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::api::almacenes::{Warehouse, WarehouseFilter, Warehouses};
use svc_core::api::inventario::{Stock, StockFilter, Stocks};
use svc_core::api::sucursales::{Branch, BranchFilter, Branches};
use svc_core::backoffice::import::{BranchRecord, MovementRecord, StockRecord, WarehouseRecord};
use svc_core::domain::stock::{Holding, available};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{Status, WarehouseStatus};
use svc_core::operation::Query;
use svc_core::store::{ActiveWarehouse, GoodsGone, ListReader, MovementContext, NewMovement, StockTx, StoreError};

use crate::columns::{instant_or_null, quantity};
use crate::copy::Copy;
use crate::error::store_error;
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

fn branch(row: &PgRow) -> Result<Branch, sqlx::Error> {
    Ok(Branch { clave: row.try_get(0)?, nombre: row.try_get(1)?, cp: row.try_get(2)?, estatus: row.try_get(3)? })
}

fn warehouse(row: &PgRow) -> Result<Warehouse, sqlx::Error> {
    Ok(Warehouse {
        clave: row.try_get(0)?,
        codigo: row.try_get(1)?,
        nombre: row.try_get(2)?,
        sucursal: row.try_get(3)?,
        principal: row.try_get(4)?,
        estatus: row.try_get(5)?,
    })
}

fn stock(row: &PgRow) -> Result<Stock, sqlx::Error> {
    let (existencia, apartado, minimo) = (quantity(row, 5)?, quantity(row, 6)?, quantity(row, 7)?);
    Ok(Stock {
        clave: row.try_get(0)?,
        producto: row.try_get(1)?,
        sku: row.try_get(2)?,
        almacen: row.try_get(3)?,
        sucursal: row.try_get(4)?,
        existencia,
        apartado,
        minimo,
        disponible: available(existencia, apartado, minimo),
        modificado: instant_or_null(row, 8)?,
    })
}

#[async_trait]
impl ListReader<Branches> for PostgresReader<'_> {
    async fn page(&self, query: &Query<BranchFilter>) -> Result<Vec<Branch>, StoreError> {
        let mut page = Page::new("SELECT clave, nombre, cp, estatus FROM sucursales", "", self.empresa);
        for filter in &query.filters {
            match filter {
                BranchFilter::Clave(clave) => page.compare("clave = ", clave),
                BranchFilter::Estatus(estatus) => page.compare("estatus = ", estatus),
            }
        }
        page.fetch(self, query, branch).await
    }
}

#[async_trait]
impl ListReader<Warehouses> for PostgresReader<'_> {
    async fn page(&self, query: &Query<WarehouseFilter>) -> Result<Vec<Warehouse>, StoreError> {
        const SELECT: &str = "SELECT clave, codigo, nombre, sucursal, principal, estatus FROM almacenes";
        let mut page = Page::new(SELECT, "", self.empresa);
        for filter in &query.filters {
            match filter {
                WarehouseFilter::Clave(clave) => page.compare("clave = ", clave),
                WarehouseFilter::Codigo(codigo) => page.compare("codigo = ", codigo),
                WarehouseFilter::Sucursal(sucursal) => page.compare("sucursal = ", sucursal),
                WarehouseFilter::Principal(principal) => page.compare("principal = ", principal),
                WarehouseFilter::Estatus(estatus) => page.compare("estatus = ", estatus),
            }
        }
        if !query.filters.iter().any(|filter| matches!(filter, WarehouseFilter::Estatus(_))) {
            page.only("estatus <> 'eliminado'");
        }
        page.fetch(self, query, warehouse).await
    }
}

#[async_trait]
impl ListReader<Stocks> for PostgresReader<'_> {
    async fn page(&self, query: &Query<StockFilter>) -> Result<Vec<Stock>, StoreError> {
        use StockFilter as F;
        const SELECT: &str = "SELECT x.clave, x.producto, p.sku, a.codigo, a.sucursal, x.existencia, x.apartado, x.minimo, \
                              x.modificado \
                              FROM inventario x \
                              JOIN productos p ON p.empresa = x.empresa AND p.clave = x.producto \
                              JOIN almacenes a ON a.empresa = x.empresa AND a.clave = x.almacen";
        let mut page = Page::new(SELECT, "x.", self.empresa);
        let few = query.filters.iter().any(|filter| matches!(filter, F::Clave(_) | F::Sku(_) | F::Almacen(_)));
        for filter in &query.filters {
            match filter {
                F::Clave(clave) => page.compare("x.clave = ", clave),
                F::Sku(sku) => page.with(
                    "x.producto = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = ",
                    sku,
                    "))",
                ),
                // A code is one warehouse's: its index gives the rows in the order of the page.
                F::Almacen(codigo) => {
                    page.with("x.almacen = (SELECT clave FROM almacenes WHERE empresa = $1 AND codigo = ", codigo, ")");
                }
                F::Sucursal(sucursal) if few => page.compare("a.sucursal = ", sucursal),
                F::Sucursal(sucursal) => of_branch(&mut page, *sucursal, query),
                F::ModificadoDesde(from) => page.compare("x.modificado >= ", from),
            }
        }
        page.fetch(self, query, stock).await
    }
}

/// The next rows of each of a branch's warehouses: each is read from its index no further than the page can reach.
fn of_branch(page: &mut Page, sucursal: i64, query: &Query<StockFilter>) {
    let sql = page.and();
    sql.push(
        "x.clave = ANY (ARRAY(SELECT k.clave FROM almacenes w CROSS JOIN LATERAL (\
         SELECT i.clave FROM inventario i WHERE i.empresa = $1 AND i.almacen = w.clave",
    );
    for filter in &query.filters {
        if let StockFilter::ModificadoDesde(from) = filter {
            sql.push(" AND i.modificado >= ").push_bind(*from);
        }
    }
    if let Some(after) = query.after {
        sql.push(" AND i.clave > ").push_bind(after);
    }
    sql.push(" ORDER BY i.clave LIMIT ").push_bind(i64::from(query.limit) + 1);
    sql.push(") k WHERE w.empresa = $1 AND w.sucursal = ").push_bind(sucursal).push("))");
}

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

    /// Locked in the order of their products, so that two transactions that want the same ones wait and do not collide.
    async fn locked(&mut self, almacen: i64, productos: &[i64]) -> Result<Vec<Holding>, StoreError> {
        let rows = sqlx::query(
            "SELECT clave, producto, existencia, apartado FROM inventario
             WHERE empresa = $1 AND almacen = $2 AND producto = ANY ($3) ORDER BY producto FOR NO KEY UPDATE",
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

    async fn insert_empty_stock(&mut self, almacen: i64, productos: Vec<i64>) -> Result<(), StoreError> {
        let first = self.next("inventario", productos.len()).await?;
        let query = sqlx::query(
            "INSERT INTO inventario (empresa, clave, producto, almacen)
             SELECT $1, $2 + n - 1, producto, $3 FROM unnest($4::bigint[]) WITH ORDINALITY AS p (producto, n)
             ON CONFLICT (empresa, producto, almacen) DO NOTHING",
        )
        .bind(self.empresa)
        .bind(first)
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

    async fn lock_stock(&mut self, almacen: i64, productos: &[i64]) -> Result<Vec<Holding>, StoreError> {
        // What is not held yet is written down before anything is locked: whoever holds locks never waits for the counter,
        // so two transactions that find the same products new wait for each other and do not collide.
        let missing: Vec<i64> = sqlx::query_scalar(
            "SELECT producto FROM unnest($3::bigint[]) AS p (producto) WHERE NOT EXISTS (
                 SELECT FROM inventario x WHERE x.empresa = $1 AND x.producto = p.producto AND x.almacen = $2)
             ORDER BY producto",
        )
        .bind(self.empresa)
        .bind(almacen)
        .bind(productos)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        if !missing.is_empty() {
            self.insert_empty_stock(almacen, missing).await?;
        }
        self.locked(almacen, productos).await
    }

    async fn save_stock(&mut self, rows: &[Holding], modificado: Timestamp) -> Result<(), StoreError> {
        let claves: Vec<i64> = rows.iter().map(|row| row.clave).collect();
        let stocks: Vec<Decimal> = rows.iter().map(|row| row.existencia.get()).collect();
        let reserved: Vec<Decimal> = rows.iter().map(|row| row.apartado.get()).collect();
        let query = sqlx::query(
            "UPDATE inventario x SET existencia = c.existencia, apartado = c.apartado, modificado = $2
             FROM unnest($3::bigint[], $4::numeric[], $5::numeric[]) AS c (clave, existencia, apartado)
             WHERE x.empresa = $1 AND x.clave = c.clave",
        )
        .bind(self.empresa)
        .bind(modificado.get())
        .bind(claves)
        .bind(stocks)
        .bind(reserved);
        self.run(query).await
    }

    async fn insert_movements(
        &mut self,
        almacen: i64,
        rows: &[NewMovement<'_>],
        context: &MovementContext<'_>,
        fecha: Timestamp,
    ) -> Result<i64, StoreError> {
        self.write_movements(almacen, rows, context, fecha).await
    }

    async fn goods_gone(&mut self, venta: i64) -> Result<Vec<GoodsGone>, StoreError> {
        self.read_goods_gone(venta).await
    }

    async fn import_branches(&mut self, rows: &[BranchRecord]) -> Result<(), StoreError> {
        let claves = self.claves("sucursales", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave).optional(row.nombre.as_deref()).optional(row.cp.as_deref());
            copy.value(row.estatus.unwrap_or(Status::Activo).word()).end();
        }
        copy.send(self.connection(), "COPY sucursales (empresa, clave, nombre, cp, estatus) FROM STDIN").await
    }

    async fn import_warehouses(&mut self, rows: &[WarehouseRecord]) -> Result<(), StoreError> {
        let claves = self.claves("almacenes", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave).value(&*row.codigo).optional(row.nombre.as_deref());
            copy.value(row.sucursal.unwrap_or(0)).value(row.principal.unwrap_or(false));
            copy.value(row.estatus.unwrap_or(WarehouseStatus::Activo).word()).end();
        }
        copy.send(
            self.connection(),
            "COPY almacenes (empresa, clave, codigo, nombre, sucursal, principal, estatus) FROM STDIN",
        )
        .await
    }

    async fn import_stock(&mut self, rows: &[StockRecord], now: Timestamp) -> Result<(), StoreError> {
        let warehouses = self.warehouses(rows.iter().map(|row| &*row.almacen)).await?;
        let products = self.products_by_sku(rows.iter().map(|row| (row.producto, row.sku.as_deref()))).await?;
        let claves = self.claves("inventario", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for ((row, clave), product) in rows.iter().zip(claves).zip(products) {
            copy.value(self.empresa).value(clave).optional(product).optional(warehouses.get(&*row.almacen));
            copy.value(row.existencia.unwrap_or_default()).value(row.apartado.unwrap_or_default());
            copy.value(row.minimo.unwrap_or_default()).value(row.modificado.unwrap_or(now)).end();
        }
        copy.send(
            self.connection(),
            "COPY inventario (empresa, clave, producto, almacen, existencia, apartado, minimo, modificado) FROM STDIN",
        )
        .await
    }

    async fn import_movements(&mut self, rows: &[MovementRecord], now: Timestamp) -> Result<(), StoreError> {
        self.copy_movements(rows, now).await
    }
}
