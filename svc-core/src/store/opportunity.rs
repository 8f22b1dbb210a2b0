//! The CRM's funnel: stages, reasons for losing, opportunities.

use async_trait::async_trait;
use chrono::NaiveDate;

use super::StoreError;
use crate::domain::money::Money;
use crate::domain::opportunity::{Stage, Standing};
use crate::domain::time::Timestamp;

/// An opportunity to be stored.
#[derive(Debug)]
pub struct NewOpportunity<'a> {
    /// What it is called.
    pub nombre: &'a str,
    /// Where it stands.
    pub standing: &'a Standing,
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
    /// What it is worth.
    pub monto: Option<Money>,
    /// The currency of that.
    pub moneda: &'a str,
    /// How likely it is won, percent, if that is not its stage's.
    pub probabilidad: Option<i64>,
    /// The day on which it is expected to be closed.
    pub cierre: Option<NaiveDate>,
    /// Where it came from.
    pub origen: Option<&'a str>,
    /// Now.
    pub creado: Timestamp,
}

/// The CRM's funnel inside a transaction.
#[async_trait]
pub trait OpportunityTx {
    /// A stage of the funnel, locked against changes until the end.
    async fn stage(&mut self, clave: i64) -> Result<Option<Stage>, StoreError>;

    /// Whether that is an active reason for losing.
    async fn is_loss_reason(&mut self, clave: i64) -> Result<bool, StoreError>;

    /// Writes a new opportunity under the company's next clave and gives it; its folio is that clave.
    /// A customer the company does not have is [`super::Conflict::Reference`].
    async fn insert_opportunity(&mut self, row: &NewOpportunity<'_>) -> Result<i64, StoreError>;

    /// Where an opportunity stands, locked against other changes until the end.
    async fn opportunity(&mut self, clave: i64) -> Result<Option<Standing>, StoreError>;

    /// Writes where an opportunity stands now.
    async fn update_standing(
        &mut self,
        clave: i64,
        standing: &Standing,
        modificado: Timestamp,
    ) -> Result<(), StoreError>;
}
