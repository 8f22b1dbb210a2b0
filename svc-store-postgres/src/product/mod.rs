//! Products and their prices, warehouses and stock.

mod movement;
mod renamed;
mod worth;

use async_trait::async_trait;
use chrono::NaiveDate;
use svc_core::domain::cost::ProductValue;
use svc_core::domain::sale::{ListPrice, SaleProduct};
use svc_core::domain::stock::Holding;
use svc_core::domain::tax::LineRates;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{ProductKind, ProductStatus};
use svc_core::record::product::{FIRST_STATUS, FIRST_SUBKIND, ProductData};
use svc_core::record::{Kind, ToValue as _, Value};
use svc_core::store::{
    ActiveWarehouse, DeletedProducts, GoodsMovement, LockedGoods, MovementContext, OpenedStock, OthersReserved,
    ProductTx, Renamed, StockPlace, StockUpdate, StockWorth, StoreError,
};

use crate::part::columns_in;
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

/// The most products of a document.
const MAX_LINES: usize = 500;

from_row!(ListPrice { producto, lista, precio, iva_incluido, cantidad_minima, vigencia_desde, vigencia_hasta });

from_row!(SaleProduct {
    clave,
    sku,
    descripcion,
    activo,
    tipo,
    unidad,
    unidad_sat,
    codigo_sat,
    objeto_impuesto,
    iva_venta,
    iva_compra,
    rates: ..,
    costo,
});

from_row!(ActiveWarehouse { clave: "almacen", codigo, sucursal });
from_row!(Holding { clave, producto, existencia, apartado });
from_row!(ProductValue { producto, existencia: "en_total", valor, ultimo, costo });
from_row!(LockedGoods { holding: .., value: .. });
from_row!(OthersReserved { producto, antes, despues });

impl PostgresTx {
    /// The stock records, or none at all if one is missing. All transactions lock them in the order
    /// of the products, so that they do not deadlock.
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

    /// The stock records of these places with the values of their products, or none at all if one
    /// is missing. The values are locked before any stock record is, because the condition on their
    /// number is evaluated first, and each in ascending order, so that transactions do not
    /// deadlock.
    async fn locked_goods(&mut self, places: &[StockPlace]) -> Result<Vec<LockedGoods>, StoreError> {
        let statement = sql!(
            "WITH valores AS MATERIALIZED (
                 SELECT producto, existencia, valor, ultimo
                 FROM costos
                 WHERE empresa = :empresa AND producto = ANY (:producto)
                 ORDER BY producto
                 FOR NO KEY UPDATE
             )
             SELECT i.clave, i.producto, i.existencia, i.apartado, v.existencia AS en_total, v.valor, v.ultimo, p.costo
             FROM inventario i
             JOIN valores v ON v.producto = i.producto
             JOIN productos p ON p.empresa = i.empresa AND p.clave = i.producto
             WHERE i.empresa = :empresa
               AND (i.producto, i.almacen) IN (
                   SELECT l.producto, l.almacen
                   FROM unnest(:producto::bigint[], :almacen::bigint[]) AS l (producto, almacen)
               )
               AND (SELECT count(*) FROM valores) = (
                   SELECT count(DISTINCT l.producto)
                   FROM unnest(:producto::bigint[]) AS l (producto)
               )
               AND cardinality(:producto) = (
                   SELECT count(*)
                   FROM unnest(:producto::bigint[], :almacen::bigint[]) AS l (producto, almacen)
                   JOIN inventario x ON x.empresa = :empresa AND x.producto = l.producto AND x.almacen = l.almacen
               )
             ORDER BY i.almacen, i.producto
             FOR NO KEY UPDATE OF i",
            empresa: self.empresa;
            for place in places { producto, almacen }
        );
        // An import's tables grow, and a plan from its beginning would read them whole.
        let is_import = places.len() > MAX_LINES;
        self.many(if is_import { statement.planned_each_time() } else { statement }).await
    }

    /// Inserts the missing stock records and values, with zero stock; the last condition has the
    /// counter locked before any value.
    async fn insert_empty_stock(&mut self, places: &[StockPlace], now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH lugares AS MATERIALIZED (
                 SELECT l.producto, l.almacen
                 FROM unnest(:producto::bigint[], :almacen::bigint[]) AS l (producto, almacen)
                 WHERE NOT EXISTS (
                     SELECT FROM inventario i
                     WHERE i.empresa = :empresa AND i.producto = l.producto AND i.almacen = l.almacen
                 )
             ), numero AS (
                 INSERT INTO contadores AS c (empresa, serie, valor)
                 SELECT :empresa, 'inventario', count(*)
                 FROM lugares
                 HAVING count(*) > 0
                 ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
                 RETURNING valor
             ), existencias AS (
                 INSERT INTO inventario (empresa, clave, producto, almacen, modificado)
                 SELECT :empresa, n.valor - row_number() OVER (ORDER BY l.almacen DESC, l.producto DESC) + 1, l.producto,
                        l.almacen, :ahora
                 FROM numero n, lugares l
                 ORDER BY l.almacen, l.producto
                 ON CONFLICT (empresa, producto, almacen) DO NOTHING
             )
             INSERT INTO costos (empresa, producto)
             SELECT :empresa, l.producto
             FROM (SELECT DISTINCT producto FROM unnest(:producto::bigint[]) AS u (producto)) l
             WHERE NOT EXISTS (SELECT FROM costos c WHERE c.empresa = :empresa AND c.producto = l.producto)
               AND (SELECT count(*) FROM numero) >= 0
             ORDER BY l.producto
             ON CONFLICT (empresa, producto) DO NOTHING",
            empresa: self.empresa,
            ahora: now;
            for place in places { producto, almacen }
        ))
        .await
    }
}

#[async_trait]
impl ProductTx for PostgresTx {
    async fn insert_product(&mut self, data: &ProductData, creado: Timestamp) -> Result<i64, StoreError> {
        let word = |word: &'static str| Value::Text(word.into());
        let more = [
            ("estatus", word(FIRST_STATUS.word()), Kind::Text),
            ("subtipo", word(FIRST_SUBKIND.word()), Kind::Text),
            ("modificado", creado.to_value(), Kind::Instant),
        ];
        self.insert_stored(data, &more).await
    }

    async fn product(&mut self, clave: i64) -> Result<Option<ProductData>, StoreError> {
        self.lock_stored(clave).await
    }

    async fn live_product(&mut self, clave: i64) -> Result<Option<ProductData>, StoreError> {
        self.lock_stored_where(clave, "estatus <> 'eliminado'").await
    }

    async fn update_product(
        &mut self,
        clave: i64,
        data: &ProductData,
        modificado: Timestamp,
    ) -> Result<(), StoreError> {
        self.update_stored(clave, data, modificado).await
    }

    async fn is_active_sku(&mut self, sku: &str) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (SELECT FROM productos WHERE empresa = :empresa AND sku = :sku AND estatus = 'activo')",
            empresa: self.empresa,
            sku,
        ))
        .await
    }

    async fn mark_renamed(&mut self, renamed: Renamed, now: Timestamp) -> Result<(), StoreError> {
        self.write_renamed(renamed, now).await
    }

    async fn delete_product(&mut self, clave: i64, modificado: Timestamp) -> Result<bool, StoreError> {
        self.changed_one(sql!(
            "UPDATE productos
             SET estatus = :eliminado, modificado = :modificado
             WHERE empresa = :empresa AND clave = :clave AND estatus <> :eliminado",
            empresa: self.empresa,
            clave,
            modificado,
            eliminado: ProductStatus::Eliminado,
        ))
        .await
    }

    async fn is_usable_unit(&mut self, unidad: i64) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (
                 SELECT FROM unidades
                 WHERE empresa = :empresa AND clave = :unidad AND estatus = 'activo' AND clave_sat IS NOT NULL
             )",
            empresa: self.empresa,
            unidad,
        ))
        .await
    }

    async fn has_category(&mut self, categoria: i64) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (SELECT FROM categorias WHERE empresa = :empresa AND clave = :categoria)",
            empresa: self.empresa,
            categoria,
        ))
        .await
    }

    async fn sale_products(
        &mut self,
        claves: &[i64],
        skus: &[&str],
        deleted: DeletedProducts,
    ) -> Result<Vec<SaleProduct>, StoreError> {
        // A product has a key of the catalogue (`iva_venta`) instead of a rate of IVA.
        self.many(sql!(
            columns_in!(
                "SELECT
                     p.clave, p.sku, p.descripcion, p.estatus = :activo AS activo, p.tipo, u.nombre AS unidad,
                     u.clave_sat AS unidad_sat, p.codigo_sat, p.objeto_impuesto, p.iva_venta, p.iva_compra, p.costo,
                     NULL::text AS iva_tasa, {p.LineRates - iva_tasa}
                 FROM productos p
                 LEFT JOIN unidades u ON u.empresa = p.empresa AND u.clave = p.unidad
                 WHERE p.empresa = :empresa AND (p.clave = ANY (:claves) OR p.sku = ANY (:skus))
                   AND (p.estatus <> :eliminado
                        OR :con_existencia AND p.clave = ANY (:claves)
                           AND EXISTS (SELECT FROM inventario i
                                       WHERE i.empresa = :empresa AND i.producto = p.clave
                                         AND (i.existencia <> 0 OR i.apartado <> 0)))",
                LineRates
            ),
            empresa: self.empresa,
            claves,
            skus,
            con_existencia: deleted == DeletedProducts::WhileHeld,
            activo: ProductStatus::Activo,
            eliminado: ProductStatus::Eliminado,
        ))
        .await
    }

    async fn list_prices(
        &mut self,
        productos: &[i64],
        listas: &[i64],
        moneda: &str,
    ) -> Result<Vec<ListPrice>, StoreError> {
        self.many(sql!(
            "SELECT producto, lista, precio, iva_incluido, cantidad_minima, vigencia_desde, vigencia_hasta
             FROM precios
             WHERE empresa = :empresa AND producto = ANY (:productos) AND lista = ANY (:listas) AND moneda = :moneda
             ORDER BY clave",
            empresa: self.empresa,
            productos,
            listas,
            moneda,
        ))
        .await
    }

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

    async fn branch_postal_code(&mut self, sucursal: i64) -> Result<Option<String>, StoreError> {
        let found: Option<Option<String>> = self
            .optional_value(sql!(
                "SELECT cp FROM sucursales WHERE empresa = :empresa AND clave = :sucursal",
                empresa: self.empresa,
                sucursal,
            ))
            .await?;
        Ok(found.flatten())
    }

    async fn warehouse(&mut self, codigo: &str) -> Result<Option<ActiveWarehouse>, StoreError> {
        self.optional(sql!(
            "SELECT clave AS almacen, codigo, sucursal
             FROM almacenes
             WHERE empresa = :empresa AND codigo = :codigo AND estatus = 'activo'
             FOR KEY SHARE",
            empresa: self.empresa,
            codigo,
        ))
        .await
    }

    async fn warehouse_of_clave(&mut self, clave: i64) -> Result<Option<ActiveWarehouse>, StoreError> {
        self.optional(sql!(
            "SELECT clave AS almacen, codigo, sucursal
             FROM almacenes
             WHERE empresa = :empresa AND clave = :clave AND estatus = 'activo'
             FOR KEY SHARE",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn any_warehouse(&mut self, clave: i64) -> Result<Option<ActiveWarehouse>, StoreError> {
        self.optional(sql!(
            "SELECT clave AS almacen, codigo, sucursal
             FROM almacenes
             WHERE empresa = :empresa AND clave = :clave AND estatus <> 'eliminado'
             FOR KEY SHARE",
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
             LIMIT 1
             FOR KEY SHARE",
            empresa: self.empresa,
            sucursal,
        ))
        .await
    }

    async fn lock_branch(&mut self, sucursal: i64) -> Result<bool, StoreError> {
        let found: Option<i64> = self
            .optional_value(sql!(
                "SELECT clave FROM sucursales WHERE empresa = :empresa AND clave = :sucursal FOR NO KEY UPDATE",
                empresa: self.empresa,
                sucursal,
            ))
            .await?;
        Ok(found.is_some())
    }

    async fn unset_other_main_warehouses(&mut self, sucursal: i64, almacen: i64) -> Result<(), StoreError> {
        self.lock_branch(sucursal).await?;
        // A separate statement sees which warehouse the previous holder of the lock made the main
        // one.
        self.run(sql!(
            "UPDATE almacenes
             SET principal = false
             WHERE empresa = :empresa AND sucursal = :sucursal AND clave <> :almacen AND principal
               AND estatus <> 'eliminado'",
            empresa: self.empresa,
            sucursal,
            almacen,
        ))
        .await
    }

    async fn is_warehouse_stocked(&mut self, almacen: i64) -> Result<bool, StoreError> {
        // It waits for transactions that move stock, since each locks the warehouse FOR KEY SHARE.
        self.run(sql!(
            "SELECT FROM almacenes WHERE empresa = :empresa AND clave = :almacen FOR UPDATE",
            empresa: self.empresa,
            almacen,
        ))
        .await?;
        self.value(sql!(
            "SELECT EXISTS (
                 SELECT FROM inventario
                 WHERE empresa = :empresa AND almacen = :almacen AND (existencia <> 0 OR apartado <> 0)
             )",
            empresa: self.empresa,
            almacen,
        ))
        .await
    }

    async fn reserved_by_others(
        &mut self,
        almacen: i64,
        productos: &[i64],
        venta: i64,
    ) -> Result<Vec<OthersReserved>, StoreError> {
        // The conditions on `v` must be exactly those of the partial index.
        self.many(sql!(
            "SELECT
                 r.producto,
                 coalesce(sum(r.cantidad - r.cantidad_surtida) FILTER (WHERE v.clave < :venta), 0) AS antes,
                 coalesce(sum(r.cantidad - r.cantidad_surtida) FILTER (WHERE v.clave > :venta), 0) AS despues
             FROM ventas v
             JOIN ventas_renglones r ON r.empresa = v.empresa AND r.venta = v.clave
             JOIN productos p ON p.empresa = r.empresa AND p.clave = r.producto
             WHERE v.empresa = :empresa AND v.tipo = 'pedido' AND NOT v.cancelada AND v.surtido_estatus <> 'surtido'
               AND v.clave <> :venta AND r.producto = ANY (:productos) AND r.cantidad > r.cantidad_surtida
               AND coalesce(r.con_existencia, p.tipo = :normal)
               AND (
                   v.almacen = :almacen
                   OR v.almacen IS NULL AND EXISTS (
                       SELECT FROM almacenes a
                       WHERE a.empresa = :empresa AND a.clave = :almacen AND a.sucursal = v.sucursal AND a.principal
                   )
               )
             GROUP BY r.producto",
            empresa: self.empresa,
            almacen,
            productos,
            venta,
            normal: ProductKind::Normal,
        ))
        .await
    }

    async fn lock_stock(
        &mut self,
        almacen: i64,
        productos: &[i64],
        now: Timestamp,
    ) -> Result<Vec<Holding>, StoreError> {
        // Missing rows are inserted before any is locked. A transaction that holds row locks then
        // never waits for the counter, so two transactions that need the same new products do not
        // deadlock.
        let locked = self.locked(almacen, productos).await?;
        if !locked.is_empty() {
            return Ok(locked);
        }
        let places: Vec<StockPlace> = productos.iter().map(|&producto| StockPlace { almacen, producto }).collect();
        self.insert_empty_stock(&places, now).await?;
        self.locked(almacen, productos).await
    }

    async fn lock_goods(&mut self, places: &[StockPlace], now: Timestamp) -> Result<Vec<LockedGoods>, StoreError> {
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let locked = self.locked_goods(places).await?;
        if !locked.is_empty() {
            return Ok(locked);
        }
        self.insert_empty_stock(places, now).await?;
        self.locked_goods(places).await
    }

    async fn lock_movements(&mut self) -> Result<(), StoreError> {
        let _: Option<i64> = self
            .optional_value(sql!(
                "SELECT valor
                 FROM contadores
                 WHERE empresa = :empresa AND serie = 'movimientos_inventario'
                 FOR NO KEY UPDATE",
                empresa: self.empresa,
            ))
            .await?;
        Ok(())
    }

    async fn save_stock(
        &mut self,
        almacen: i64,
        update: &StockUpdate<'_>,
        context: &MovementContext<'_>,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        self.write_stock(almacen, update, context, now).await
    }

    async fn open_stock(
        &mut self,
        values: &[ProductValue],
        opened: &[OpenedStock],
        dia: NaiveDate,
    ) -> Result<(), StoreError> {
        self.run(
            sql!(
                "WITH aperturas AS (
                     INSERT INTO costos_aperturas AS a (empresa, producto, dia, existencia, valor)
                     SELECT :empresa, o.producto, :dia, o.existencia, o.valor
                     FROM unnest(:abierto::bigint[], :existencia::numeric[], :valor::numeric[])
                          AS o (producto, existencia, valor)
                     ON CONFLICT (empresa, producto, dia) DO UPDATE
                     SET existencia = a.existencia + excluded.existencia, valor = a.valor + excluded.valor
                 )
                 UPDATE costos c
                 SET existencia = v.existencia, valor = v.valor, ultimo = v.ultimo
                 FROM unnest(:producto::bigint[], :en_total::numeric[], :vale::numeric[], :ultimo::numeric[])
                      AS v (producto, existencia, valor, ultimo)
                 WHERE c.empresa = :empresa AND c.producto = v.producto",
                empresa: self.empresa,
                dia;
                for stock in opened { abierto: stock.producto, existencia, valor }
                for value in values {
                    producto, en_total: value.existencia, vale: value.valor, ultimo: value.ultimo,
                }
            )
            .planned_each_time(),
        )
        .await
    }

    async fn stock_worth(&mut self, al: NaiveDate, limite: i64) -> Result<Vec<StockWorth>, StoreError> {
        self.read_stock_worth(al, limite).await
    }

    async fn goods_sold(&mut self, venta: i64) -> Result<Vec<GoodsMovement>, StoreError> {
        self.read_goods_sold(venta).await
    }
}
