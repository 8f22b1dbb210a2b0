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
    /// What the API and the back office set.
    pub data: &'a CustomerData,
    /// What a prospect wrote.
    pub mensaje: Option<&'a str>,
    /// Time of creation, stored as `modificado`.
    pub creado: Timestamp,
}

/// What a sale needs of its customer.
#[derive(Debug, Clone, Default)]
pub struct Buyer {
    /// The receiver of the tax document.
    pub receptor: Receiver,
    /// Their price list; `None`: price list 1.
    pub lista: Option<i64>,
    /// Days until a sale on credit is due, unless the sale says otherwise.
    pub dias_credito: i64,
    /// Credit limit, in pesos.
    pub limite_credito: Money,
    /// Whether they are a prospect; the first sale makes them a customer.
    pub prospecto: bool,
}

/// A contact with a customer to be stored.
#[derive(Debug)]
pub struct NewInteraction<'a> {
    /// Clave of the customer.
    pub cliente: i64,
    /// The user who made the contact.
    pub vendedor: i64,
    /// By what means, e.g. a call or a visit.
    pub canal: Channel,
    /// What came of it.
    pub resultado: ContactOutcome,
    /// Whether the company or the customer initiated it.
    pub sentido: Initiative,
    /// What was said or agreed, in free text.
    pub nota: Option<&'a str>,
    /// When the contact took place.
    pub fecha: Timestamp,
    /// Duration, if it was measured.
    pub duracion: Option<Minutes>,
    /// The next step that was agreed, whether or not it changes the agenda.
    pub siguiente: &'a NextStep,
    /// Whether it is only a note, since the customer is another salesperson's.
    pub solo_nota: bool,
    /// Time at which it was logged; `fecha` may be earlier.
    pub creada: Timestamp,
}

/// A task for an agenda, to be stored.
#[derive(Debug)]
pub struct NewCommitment<'a> {
    /// The user whose agenda it is on.
    pub vendedor: i64,
    /// The day it is due.
    pub fecha: NaiveDate,
    /// What is to be done.
    pub texto: Option<&'a str>,
    /// The contact in which it was agreed.
    pub interaccion: i64,
}

/// An opportunity to be stored.
#[derive(Debug)]
pub struct NewOpportunity<'a> {
    /// What people call it.
    pub nombre: &'a str,
    /// Its stage, with the status that the stage gives it.
    pub state: &'a OpportunityState,
    /// `None`: the contact is no customer yet.
    pub cliente: Option<i64>,
    /// Name of the contact.
    pub contacto_nombre: Option<&'a str>,
    /// Company of the contact.
    pub contacto_empresa: Option<&'a str>,
    /// E-mail address of the contact.
    pub contacto_correo: Option<&'a str>,
    /// Telephone number of the contact.
    pub contacto_telefono: Option<&'a str>,
    /// The salesperson responsible; `None` if there is none yet.
    pub vendedor: Option<i64>,
    /// Expected value, in `moneda`; `None` if it was not estimated.
    pub monto: Option<Money>,
    /// Currency of the estimate.
    pub moneda: &'a str,
    /// Percent; `None`: as in its stage.
    pub probabilidad: Option<i64>,
    /// The day on which it is expected to close.
    pub cierre: Option<NaiveDate>,
    /// Where the lead came from.
    pub origen: Option<&'a str>,
    /// Time of creation, also stored as `modificado`.
    pub creado: Timestamp,
}

/// Customers, contacts, commitments and opportunities.
#[async_trait]
pub trait CustomerTx {
    /// Inserts a customer under the company's next clave, which is also its folio, and returns it.
    /// Fails with [`super::Conflict::Rfc`] if another customer has the RFC.
    async fn insert_customer(&mut self, row: &NewCustomerRow<'_>) -> Result<i64, StoreError>;

    /// The customer that has this RFC; `None` for the generic ones, which many share.
    async fn customer_of_rfc(&mut self, rfc: &str) -> Result<Option<i64>, StoreError>;

    /// A customer's data, locked until the end.
    async fn customer(&mut self, clave: i64) -> Result<Option<CustomerData>, StoreError>;

    /// What a sale needs of a customer.
    async fn buyer(&mut self, clave: i64) -> Result<Option<Buyer>, StoreError>;

    /// The same, locked until the end, so that of two concurrent sales on credit the second sees
    /// what is owed of the first.
    async fn lock_buyer(&mut self, clave: i64) -> Result<Option<Buyer>, StoreError>;

    /// Turns a prospect into a customer; `false` if they were none any more.
    async fn convert_prospect(&mut self, clave: i64, modificado: Timestamp) -> Result<bool, StoreError>;

    /// Updates a customer's data. Fails with [`super::Conflict::Rfc`] if another customer has the
    /// RFC.
    async fn update_customer(
        &mut self,
        clave: i64,
        data: &CustomerData,
        modificado: Timestamp,
    ) -> Result<(), StoreError>;

    /// What a contact needs of its customer, locked until the end.
    async fn account(&mut self, cliente: i64) -> Result<Option<ContactedCustomer>, StoreError>;

    /// Inserts a contact and returns its clave.
    async fn insert_interaction(&mut self, row: &NewInteraction<'_>) -> Result<i64, StoreError>;

    /// Closes the customer's open task, of any user, and opens the given one: a customer has at
    /// most one. Its day becomes the customer's next contact, which is cleared if no task is given.
    /// The caller has locked the customer with [`Self::account`].
    async fn replace_commitment(
        &mut self,
        cliente: i64,
        commitment: Option<&NewCommitment<'_>>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Whether any opportunity is in that stage.
    async fn is_stage_used(&mut self, etapa: i64) -> Result<bool, StoreError>;

    /// A stage of the funnel, locked in share mode until the end.
    async fn stage(&mut self, clave: i64) -> Result<Option<FunnelStage>, StoreError>;

    /// Whether the company has that loss reason, and it is active.
    async fn is_loss_reason(&mut self, clave: i64) -> Result<bool, StoreError>;

    /// Inserts an opportunity under the company's next clave, which is also its folio, and returns
    /// it. Fails with [`super::Conflict::Reference`] if the company has no such customer.
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
