//! The records: the fields of the lists' items, and what else the database keeps of them (command line, "Import").

use serde::Deserialize;

use super::Record;
use crate::domain::money::Money;
use crate::domain::rfc::Rfc;
use crate::domain::sat;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{BrandStatus, Platform, ProductKind, ProductStatus, ProductSubkind, Status};
use crate::error::Code;
use crate::json::{Digits, Fault, Text};
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

/// A customer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item and of the creation's body, by their names")]
pub struct CustomerRecord {
    pub clave: Option<i64>,
    pub folio: Option<Text<50>>,
    pub nombre: Option<Text<100>>,
    pub razon_social: Option<Text<255>>,
    pub rfc: Option<Text<13>>,
    pub correo: Option<Text<255>>,
    pub telefono: Option<Text<30>>,
    pub movil: Option<Text<30>>,
    pub prospecto: Option<bool>,
    pub id_platform_a: Option<Text<100>>,
    pub id_platform_b: Option<Text<100>>,
    pub id_platform_c: Option<Text<100>>,
    pub id_platform_d: Option<Text<100>>,
    pub id_platform_e: Option<Text<100>>,
    pub publico: Option<bool>,
    pub proximo_contacto: Option<Date>,
    pub modificado: Option<Timestamp>,
    pub regimen: Option<i64>,
    pub uso_cfdi: Option<Text<4>>,
    pub cp: Option<Digits<5>>,
    pub calle: Option<Text<200>>,
    pub colonia: Option<Text<50>>,
    pub pais: Option<i64>,
    pub vendedor: Option<i64>,
    pub limite_credito: Option<Money>,
    pub dias_credito: Option<i64>,
    pub lista: Option<i64>,
    pub plataforma: Option<Platform>,
}

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

/// A fault of `field` unless what it holds is `fine`.
fn require(fine: bool, field: &'static str, text: &'static str) -> Result<(), Fault> {
    if fine { Ok(()) } else { Err(Fault::new(Code::DatoInvalido, field, text)) }
}

/// A clave is positive.
fn require_clave(clave: Option<i64>) -> Result<(), Fault> {
    require(clave.is_none_or(|clave| clave > 0), "clave", "debe ser un entero positivo")
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

impl Record for CustomerRecord {
    /// What an older system held may break today's rules of regime and use, so only shapes and catalogues are judged.
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        if let Some(rfc) = &self.rfc {
            let upper = Rfc::parse(rfc).map_err(|fault| Fault::new(Code::RfcInvalido, "rfc", fault.to_string()))?;
            require(upper.as_str() == &**rfc, "rfc", "debe ir en mayúsculas")?;
        }
        require(
            self.regimen.is_none_or(|regimen| sat::regime(regimen).is_some()),
            "regimen",
            "no está en el catálogo del SAT",
        )?;
        require(
            self.uso_cfdi.as_deref().is_none_or(|uso| sat::cfdi_use(uso).is_some()),
            "uso_cfdi",
            "no está en el catálogo del SAT",
        )?;
        require(self.cp.as_ref().is_none_or(|cp| sat::postal_code(cp).is_some()), "cp", "no está en el catálogo")?;
        require(self.pais.is_none_or(|pais| sat::country(pais).is_some()), "pais", "no es una clave de país")?;
        require(self.dias_credito.is_none_or(|days| (0..=365).contains(&days)), "dias_credito", "debe ser de 0 a 365")
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], now: Timestamp) -> Result<(), StoreError> {
        tx.import_customers(rows, now).await
    }
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
