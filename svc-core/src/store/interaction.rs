//! The log of contacts with customers, and the agenda of what follows them.

use async_trait::async_trait;
use chrono::NaiveDate;

use super::StoreError;
use crate::domain::interaction::{Channel, ContactOutcome, ContactedCustomer, Initiative, Minutes, NextStep};
use crate::domain::time::Timestamp;

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

/// Contacts and their agenda inside a transaction.
#[async_trait]
pub trait InteractionTx {
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
}
