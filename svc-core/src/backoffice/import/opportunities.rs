//! The CRM's funnel: stages, reasons for losing, opportunities.

use serde::Deserialize;

use super::{Record, require, require_clave, require_currency};
use crate::domain::money::Money;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{OpportunityStatus, Status};
use crate::json::{Fault, Text};
use crate::store::{StoreError, Tx};

/// A stage of the funnel. Without `orden` its clave is its place; without `probabilidad` it is 100 where deals are won,
/// else 0.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct StageRecord {
    pub clave: Option<i64>,
    pub nombre: Text<100>,
    pub tipo: Option<OpportunityStatus>,
    pub orden: Option<i64>,
    pub probabilidad: Option<i64>,
    pub estatus: Option<Status>,
}

/// A reason for losing an opportunity.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct LossReasonRecord {
    pub clave: Option<i64>,
    pub nombre: Text<100>,
    pub estatus: Option<Status>,
}

/// An opportunity. `estatus` is taken and not stored: it follows from the stage. `motivo_perdida` is stored when that
/// makes it lost.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct OpportunityRecord {
    pub clave: Option<i64>,
    pub folio: Option<Text<50>>,
    pub nombre: Option<Text<200>>,
    pub estatus: Option<OpportunityStatus>,
    pub etapa: i64,
    pub cliente: Option<i64>,
    pub contacto_nombre: Option<Text<100>>,
    pub contacto_empresa: Option<Text<200>>,
    pub contacto_correo: Option<Text<255>>,
    pub contacto_telefono: Option<Text<30>>,
    pub vendedor: Option<i64>,
    pub monto: Option<Money>,
    pub moneda: Option<Text<3>>,
    pub probabilidad: Option<i64>,
    pub cierre: Option<Date>,
    pub motivo_perdida: Option<i64>,
    pub fecha_cierre: Option<Timestamp>,
    pub origen: Option<Text<100>>,
    pub creado: Option<Timestamp>,
    pub modificado: Option<Timestamp>,
}

/// A probability is a percentage.
fn require_probability(probability: Option<i64>) -> Result<(), Fault> {
    require(probability.is_none_or(|percent| (0..=100).contains(&percent)), "probabilidad", "debe ser de 0 a 100")
}

impl Record for StageRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_probability(self.probabilidad)
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], _: Timestamp) -> Result<(), StoreError> {
        tx.import_stages(rows).await
    }
}

impl Record for LossReasonRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], _: Timestamp) -> Result<(), StoreError> {
        tx.import_loss_reasons(rows).await
    }
}

impl Record for OpportunityRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_currency(self.moneda.as_deref())?;
        require_probability(self.probabilidad)
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], now: Timestamp) -> Result<(), StoreError> {
        tx.import_opportunities(rows, now).await
    }
}
