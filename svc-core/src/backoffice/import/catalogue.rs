//! Units, brands, categories and prices.

use serde::Deserialize;

use super::{Record, require, require_clave, require_currency};
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::sat;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{BrandStatus, Status};
use crate::json::{Fault, Text};
use crate::store::{Parents, StoreError, Tx};

/// A unit of measure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct UnitRecord {
    pub clave: Option<i64>,
    pub nombre: Text<100>,
    pub clave_sat: Option<Text<3>>,
    pub estatus: Option<Status>,
}

/// A brand.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct BrandRecord {
    pub clave: Option<i64>,
    pub nombre: Text<100>,
    pub estatus: Option<BrandStatus>,
}

/// A category; without `padre` it is the root.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct CategoryRecord {
    pub clave: Option<i64>,
    pub nombre: Text<100>,
    pub padre: Option<i64>,
    pub estatus: Option<Status>,
}

/// A price of a product on a price list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct PriceRecord {
    pub clave: Option<i64>,
    /// By clave or, when it has none, by `sku`.
    pub producto: Option<i64>,
    pub sku: Option<Text<100>>,
    pub lista: i64,
    pub lista_nombre: Option<Text<100>>,
    pub moneda: Option<Text<3>>,
    pub precio: Money,
    pub iva_incluido: Option<bool>,
    pub cantidad_minima: Option<Quantity>,
    pub vigencia_desde: Option<Date>,
    pub vigencia_hasta: Option<Date>,
    pub modificado: Option<Timestamp>,
}

impl Record for UnitRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.clave_sat.as_deref().is_none_or(sat::unit_exists), "clave_sat", "no está en el catálogo del SAT")
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], _: Timestamp) -> Result<(), StoreError> {
        tx.import_units(rows).await
    }
}

impl Record for BrandRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], _: Timestamp) -> Result<(), StoreError> {
        tx.import_brands(rows).await
    }
}

impl Record for CategoryRecord {
    const PARENT: Option<(&'static str, Parents)> = Some(("padre", Parents::Categories));

    fn parent(&self) -> Option<i64> {
        self.padre.filter(|padre| *padre != -1)
    }

    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], _: Timestamp) -> Result<(), StoreError> {
        tx.import_categories(rows).await
    }
}

impl Record for PriceRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.producto.is_some() || self.sku.is_some(), "producto", "hace falta producto o sku")?;
        require(self.lista > 0, "lista", "debe ser un entero positivo")?;
        require_currency(self.moneda.as_deref())?;
        let span = self.vigencia_desde.zip(self.vigencia_hasta);
        require(span.is_none_or(|(from, until)| from <= until), "vigencia_hasta", "es anterior a vigencia_desde")
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], now: Timestamp) -> Result<(), StoreError> {
        tx.import_prices(rows, now).await
    }
}
