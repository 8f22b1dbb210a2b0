//! Products and their prices.

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use svc_core::domain::sale::{ListPrice, SaleProduct};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::ProductStatus;
use svc_core::record::product::{FIRST_STATUS, FIRST_SUBKIND, ProductData};
use svc_core::record::{Kind, ToValue as _, Value};
use svc_core::store::{ProductTx, StoreError};

use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(ListPrice { producto, lista, precio, iva_incluido, cantidad_minima, vigencia_desde, vigencia_hasta });

impl FromRow for SaleProduct {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            clave: row.read("clave")?,
            sku: row.read("sku")?,
            descripcion: row.read("descripcion")?,
            activo: row.read("activo")?,
            tipo: row.read("tipo")?,
            unidad: row.read("unidad")?,
            unidad_sat: row.read("unidad_sat")?,
            codigo_sat: row.read("codigo_sat")?,
            objeto_impuesto: row.read("objeto_impuesto")?,
            iva_venta: row.read("iva_venta")?,
            iva_compra: row.read("iva_compra")?,
            costo: row.read("costo")?,
            otros: [
                row.read("ieps_tasa")?,
                row.read("ieps_cuota")?,
                row.read("retencion_isr")?,
                row.read("retencion_iva")?,
            ],
        })
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

    async fn sale_products(&mut self, claves: &[i64], skus: &[&str]) -> Result<Vec<SaleProduct>, StoreError> {
        self.many(sql!(
            "SELECT p.clave, p.sku, p.descripcion, p.estatus = :activo AS activo, p.tipo, u.nombre AS unidad,
                    u.clave_sat AS unidad_sat, p.codigo_sat, p.objeto_impuesto, p.iva_venta, p.iva_compra, p.costo,
                    p.ieps_tasa, p.ieps_cuota, p.retencion_isr, p.retencion_iva
             FROM productos p
             LEFT JOIN unidades u ON u.empresa = p.empresa AND u.clave = p.unidad
             WHERE p.empresa = :empresa AND p.estatus <> :eliminado
               AND (p.clave = ANY (:claves) OR p.sku = ANY (:skus))",
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
