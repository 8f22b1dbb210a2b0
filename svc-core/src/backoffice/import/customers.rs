//! Customers.

use serde::Deserialize;

use super::{Record, require, require_clave};
use crate::domain::money::Money;
use crate::domain::rfc::Rfc;
use crate::domain::sat;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::Platform;
use crate::error::Code;
use crate::json::{Digits, Fault, Text};
use crate::store::{StoreError, Tx};

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
