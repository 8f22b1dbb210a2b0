//! The CRM's funnel: stages, loss reasons, opportunities.

use async_trait::async_trait;
use chrono::NaiveDate;

use super::StoreError;
use crate::domain::money::Money;
use crate::domain::opportunity::{FunnelStage, OpportunityState};
use crate::domain::time::Timestamp;

/// An opportunity to be stored.
#[derive(Debug)]
pub struct NewOpportunity<'a> {
    /// Name.
    pub nombre: &'a str,
    /// Stage and status.
    pub state: &'a OpportunityState,
    /// The customer.
    pub cliente: Option<i64>,
    /// The contact's name.
    pub contacto_nombre: Option<&'a str>,
    /// The contact's company.
    pub contacto_empresa: Option<&'a str>,
    /// The contact's e-mail.
    pub contacto_correo: Option<&'a str>,
    /// The contact's telephone.
    pub contacto_telefono: Option<&'a str>,
    /// The salesperson responsible.
    pub vendedor: Option<i64>,
    /// Estimated amount.
    pub monto: Option<Money>,
    /// Currency of the amount.
    pub moneda: &'a str,
    /// Probability in percent, where it differs from its stage's.
    pub probabilidad: Option<i64>,
    /// Expected closing day.
    pub cierre: Option<NaiveDate>,
    /// Source of the lead.
    pub origen: Option<&'a str>,
    /// Now.
    pub creado: Timestamp,
}

/// The CRM's funnel inside a transaction.
#[async_trait]
pub trait OpportunityTx {
    /// Whether there are opportunities in that stage.
    async fn is_stage_used(&mut self, etapa: i64) -> Result<bool, StoreError>;

    /// A stage of the funnel, locked until the end.
    async fn stage(&mut self, clave: i64) -> Result<Option<FunnelStage>, StoreError>;

    /// Whether that is an active loss reason.
    async fn is_loss_reason(&mut self, clave: i64) -> Result<bool, StoreError>;

    /// Inserts an opportunity under the company's next clave, which is also its folio, and returns
    /// it. Fails with [`super::Conflict::Reference`] when the customer does not exist in the
    /// company.
    async fn insert_opportunity(&mut self, row: &NewOpportunity<'_>) -> Result<i64, StoreError>;

    /// Stage and status of an opportunity, locked until the end.
    async fn opportunity(&mut self, clave: i64) -> Result<Option<OpportunityState>, StoreError>;

    /// Updates stage and status of an opportunity.
    async fn update_opportunity_state(
        &mut self,
        clave: i64,
        state: &OpportunityState,
        modificado: Timestamp,
    ) -> Result<(), StoreError>;
}
