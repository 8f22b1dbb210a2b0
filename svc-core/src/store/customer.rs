//! Customers and prospects, the log of contacts with them, and the CRM's funnel.

use async_trait::async_trait;
use chrono::NaiveDate;

use super::StoreError;
use crate::domain::cfdi::Receiver;
use crate::domain::interaction::{Channel, ContactOutcome, ContactedCustomer, Initiative, Minutes, NextStep};
use crate::domain::money::Money;
use crate::domain::opportunity::{FunnelStage, OpportunityState};
use crate::domain::time::Timestamp;
use crate::record::customer::CustomerData;

/// A customer or prospect to be stored.
#[derive(Debug)]
pub struct NewCustomerRow<'a> {
    /// Its data.
    pub data: &'a CustomerData,
    /// The prospect's message.
    pub mensaje: Option<&'a str>,
    /// Now.
    pub creado: Timestamp,
}

/// What a sale needs of its customer.
#[derive(Debug, Clone, Default)]
pub struct Buyer {
    /// Who they are on a tax document.
    pub receptor: Receiver,
    /// Their price list.
    pub lista: Option<i64>,
    /// Their days of credit.
    pub dias_credito: i64,
    /// Credit limit, in pesos.
    pub limite_credito: Money,
    /// Whether they are a prospect still.
    pub prospecto: bool,
}

/// A contact to be logged.
#[derive(Debug)]
pub struct NewInteraction<'a> {
    /// The customer.
    pub cliente: i64,
    /// The user who had it.
    pub vendedor: i64,
    /// Channel.
    pub canal: Channel,
    /// Result.
    pub resultado: ContactOutcome,
    /// Direction: who initiated the contact.
    pub sentido: Initiative,
    /// Note.
    pub nota: Option<&'a str>,
    /// When it took place.
    pub fecha: Timestamp,
    /// How long it took.
    pub duracion: Option<Minutes>,
    /// The next step agreed, whether or not it changes the agenda.
    pub siguiente: &'a NextStep,
    /// Whether it is only a note on another salesperson's customer.
    pub solo_nota: bool,
    /// Now.
    pub creada: Timestamp,
}

/// A task for an agenda.
#[derive(Debug)]
pub struct NewCommitment<'a> {
    /// The user who is to do it.
    pub vendedor: i64,
    /// Due day.
    pub fecha: NaiveDate,
    /// Text.
    pub texto: Option<&'a str>,
    /// The contact that it follows from.
    pub interaccion: i64,
}

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

/// Customers, contacts, commitments and opportunities.
#[async_trait]
pub trait CustomerTx {
    /// Inserts a customer under the company's next clave, which is also its folio, and returns it.
    /// Fails with [`super::Conflict::Rfc`] when another customer has the RFC.
    async fn insert_customer(&mut self, row: &NewCustomerRow<'_>) -> Result<i64, StoreError>;

    /// A customer's data, locked until the end.
    async fn customer(&mut self, clave: i64) -> Result<Option<CustomerData>, StoreError>;

    /// What a sale needs of a customer.
    async fn buyer(&mut self, clave: i64) -> Result<Option<Buyer>, StoreError>;

    /// The same, locked until the end, so that of two concurrent sales on credit the second sees
    /// the debt of the first.
    async fn lock_buyer(&mut self, clave: i64) -> Result<Option<Buyer>, StoreError>;

    /// Turns a prospect into a customer; `false` when they were none any more.
    async fn become_customer(&mut self, clave: i64, modificado: Timestamp) -> Result<bool, StoreError>;

    /// Updates a customer's data. Fails with [`super::Conflict::Rfc`] when another customer has the
    /// RFC.
    async fn update_customer(
        &mut self,
        clave: i64,
        data: &CustomerData,
        modificado: Timestamp,
    ) -> Result<(), StoreError>;

    /// What logging a contact needs of its customer, locked until the end.
    async fn account(&mut self, cliente: i64) -> Result<Option<ContactedCustomer>, StoreError>;

    /// Inserts a contact; returns its clave.
    async fn insert_interaction(&mut self, row: &NewInteraction<'_>) -> Result<i64, StoreError>;

    /// Closes the customer's open task, of any user, and opens the given one: a customer has at
    /// most one open task. Its day becomes the customer's next contact, which is cleared without a
    /// new task. [`Self::account`] must have locked the customer.
    async fn replace_commitment(
        &mut self,
        cliente: i64,
        commitment: Option<&NewCommitment<'_>>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

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
