//! Products and their prices.

use async_trait::async_trait;
use svc_core::domain::sale::{ListPrice, SaleProduct};
use svc_core::domain::tax::LineRates;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::ProductStatus;
use svc_core::record::product::{FIRST_STATUS, FIRST_SUBKIND, ProductData};
use svc_core::record::{Kind, ToValue as _, Value};
use svc_core::store::{ProductTx, StoreError};

use crate::part::columns_in;
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

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

    async fn is_category_below(&mut self, below: i64, categoria: i64) -> Result<bool, StoreError> {
        self.value(sql!(
            "WITH RECURSIVE arriba AS (
                 SELECT clave, padre
                 FROM categorias
                 WHERE empresa = :empresa AND clave = :below
                 UNION
                 SELECT c.clave, c.padre
                 FROM categorias c
                 JOIN arriba a ON c.clave = a.padre
                 WHERE c.empresa = :empresa
             )
             SELECT EXISTS (SELECT FROM arriba WHERE clave = :categoria)",
            empresa: self.empresa,
            below,
            categoria,
        ))
        .await
    }

    async fn sale_products(&mut self, claves: &[i64], skus: &[&str]) -> Result<Vec<SaleProduct>, StoreError> {
        // A product's IVA is a key of the catalogue, not a rate.
        self.many(sql!(
            columns_in!(
                "SELECT
                     p.clave, p.sku, p.descripcion, p.estatus = :activo AS activo, p.tipo, u.nombre AS unidad,
                     u.clave_sat AS unidad_sat, p.codigo_sat, p.objeto_impuesto, p.iva_venta, p.iva_compra, p.costo,
                     {LineRates}
                 FROM productos p
                 CROSS JOIN (VALUES (NULL::text)) AS sin_tasa (iva_tasa)
                 LEFT JOIN unidades u ON u.empresa = p.empresa AND u.clave = p.unidad
                 WHERE p.empresa = :empresa AND p.estatus <> :eliminado
                   AND (p.clave = ANY (:claves) OR p.sku = ANY (:skus))",
                LineRates
            ),
            empresa: self.empresa,
            claves,
            skus,
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
}
