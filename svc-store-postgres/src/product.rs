//! Products and their prices.

use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::sale::{ListPrice, SaleProduct};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{ProductKind, ProductStatus};
use svc_core::record::product::{FIRST_STATUS, FIRST_SUBKIND, ProductData};
use svc_core::record::{Kind, ToValue as _, Value};
use svc_core::store::{ProductTx, StoreError};

use crate::columns::{money, quantity, tax_rate, word};
use crate::error::store_error;
use crate::transaction::PostgresTx;

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

    async fn delete_product(&mut self, clave: i64, modificado: Timestamp) -> Result<bool, StoreError> {
        let statement = "UPDATE productos SET estatus = $4, modificado = $3
             WHERE empresa = $1 AND clave = $2 AND estatus <> $4";
        let done = sqlx::query(statement)
            .bind(self.empresa)
            .bind(clave)
            .bind(modificado.get())
            .bind(ProductStatus::Eliminado.word())
            .execute(self.connection())
            .await
            .map_err(store_error)?;
        Ok(done.rows_affected() > 0)
    }

    async fn is_usable_unit(&mut self, unidad: i64) -> Result<bool, StoreError> {
        let statement = "SELECT EXISTS (SELECT FROM unidades WHERE empresa = $1 AND clave = $2 AND estatus = 'activo' AND clave_sat IS NOT NULL)";
        self.exists(statement, unidad).await
    }

    async fn has_category(&mut self, categoria: i64) -> Result<bool, StoreError> {
        self.exists("SELECT EXISTS (SELECT FROM categorias WHERE empresa = $1 AND clave = $2)", categoria).await
    }

    async fn is_category_below(&mut self, below: i64, categoria: i64) -> Result<bool, StoreError> {
        sqlx::query_scalar(
            "WITH RECURSIVE arriba AS (
                 SELECT clave, padre FROM categorias WHERE empresa = $1 AND clave = $2
                 UNION SELECT c.clave, c.padre FROM categorias c JOIN arriba a ON c.clave = a.padre WHERE c.empresa = $1
             )
             SELECT EXISTS (SELECT FROM arriba WHERE clave = $3)",
        )
        .bind(self.empresa)
        .bind(below)
        .bind(categoria)
        .fetch_one(self.connection())
        .await
        .map_err(store_error)
    }

    async fn sale_products(&mut self, claves: &[i64], skus: &[&str]) -> Result<Vec<SaleProduct>, StoreError> {
        let rows = sqlx::query(
            "SELECT p.clave, p.sku, p.descripcion, p.estatus = $4, p.tipo, u.nombre, u.clave_sat, p.codigo_sat,
                    p.objeto_impuesto, p.iva_venta, p.iva_compra, p.costo, p.ieps_tasa, p.ieps_cuota, p.retencion_isr, p.retencion_iva
             FROM productos p LEFT JOIN unidades u ON u.empresa = p.empresa AND u.clave = p.unidad
             WHERE p.empresa = $1 AND p.estatus <> $5 AND (p.clave = ANY ($2) OR p.sku = ANY ($3))",
        )
        .bind(self.empresa)
        .bind(claves)
        .bind(skus)
        .bind(ProductStatus::Activo.word())
        .bind(ProductStatus::Eliminado.word())
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        rows.iter().map(sale_product).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn list_prices(
        &mut self,
        productos: &[i64],
        listas: &[i64],
        moneda: &str,
    ) -> Result<Vec<ListPrice>, StoreError> {
        let rows = sqlx::query(
            "SELECT producto, lista, precio, iva_incluido, cantidad_minima, vigencia_desde, vigencia_hasta FROM precios
             WHERE empresa = $1 AND producto = ANY ($2) AND lista = ANY ($3) AND moneda = $4 ORDER BY clave",
        )
        .bind(self.empresa)
        .bind(productos)
        .bind(listas)
        .bind(moneda)
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        rows.iter().map(list_price).collect::<Result<_, _>>().map_err(store_error)
    }
}

fn sale_product(row: &PgRow) -> Result<SaleProduct, sqlx::Error> {
    Ok(SaleProduct {
        clave: row.try_get(0)?,
        sku: row.try_get(1)?,
        descripcion: row.try_get(2)?,
        activo: row.try_get(3)?,
        tipo: word(row, 4, ProductKind::of)?,
        unidad: row.try_get(5)?,
        unidad_sat: row.try_get(6)?,
        codigo_sat: row.try_get(7)?,
        objeto_impuesto: row.try_get(8)?,
        iva_venta: row.try_get(9)?,
        iva_compra: row.try_get(10)?,
        costo: money(row, 11)?,
        otros: [tax_rate(row, 12)?, tax_rate(row, 13)?, tax_rate(row, 14)?, tax_rate(row, 15)?],
    })
}

fn list_price(row: &PgRow) -> Result<ListPrice, sqlx::Error> {
    Ok(ListPrice {
        producto: row.try_get(0)?,
        lista: row.try_get(1)?,
        precio: money(row, 2)?,
        iva_incluido: row.try_get(3)?,
        cantidad_minima: quantity(row, 4)?,
        vigencia_desde: row.try_get(5)?,
        vigencia_hasta: row.try_get(6)?,
    })
}
