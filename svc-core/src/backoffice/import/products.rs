//! Products.

use serde::Deserialize;

use super::{Record, require, require_clave};
use crate::domain::money::Money;
use crate::domain::sat;
use crate::domain::time::Timestamp;
use crate::domain::words::{ProductKind, ProductStatus, ProductSubkind};
use crate::json::{Digits, Fault, Text};
use crate::store::{Parents, StoreError, Tx};

/// A product.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item and of the creation's body, by their names")]
pub struct ProductRecord {
    pub clave: Option<i64>,
    pub sku: Option<Text<100>>,
    pub folio: Option<Text<50>>,
    pub descripcion: Option<Text<500>>,
    pub estatus: Option<ProductStatus>,
    pub tipo: Option<ProductKind>,
    pub subtipo: Option<ProductSubkind>,
    pub kit: Option<bool>,
    pub clave_padre: Option<i64>,
    pub codigo_sat: Option<Digits<8>>,
    pub marca: Option<Text<100>>,
    pub categoria: Option<Text<100>>,
    pub id_platform_b: Option<Text<100>>,
    pub modificado: Option<Timestamp>,
    pub unidad: Option<i64>,
    pub iva_venta: Option<Text<2>>,
    pub iva_compra: Option<Text<2>>,
    pub objeto_impuesto: Option<Digits<2>>,
    pub costo: Option<Money>,
    pub codigo_barras: Option<Text<18>>,
}

impl Record for ProductRecord {
    const PARENT: Option<(&'static str, Parents)> = Some(("clave_padre", Parents::Products));

    fn parent(&self) -> Option<i64> {
        self.clave_padre.filter(|padre| *padre != 0)
    }

    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.clave_padre.is_none_or(|padre| padre >= 0), "clave_padre", "no puede ser negativa")?;
        require(
            self.codigo_sat.as_deref().is_none_or(sat::product_service_exists),
            "codigo_sat",
            "no está en el catálogo del SAT",
        )?;
        require(
            self.iva_venta.as_deref().is_none_or(|key| sat::vat(key).is_some()),
            "iva_venta",
            "debe ser 16, 8, 0 o EX",
        )?;
        require(
            self.iva_compra.as_deref().is_none_or(|key| sat::vat(key).is_some()),
            "iva_compra",
            "debe ser 16, 8, 0 o EX",
        )?;
        let tax_object = self.objeto_impuesto.as_deref().is_none_or(sat::tax_object_exists);
        require(tax_object, "objeto_impuesto", "no está en el catálogo del SAT")
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], now: Timestamp) -> Result<(), StoreError> {
        tx.import_products(rows, now).await
    }
}
