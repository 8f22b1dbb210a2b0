//! The log of contacts with customers, and the agenda of what follows them.

use async_trait::async_trait;
use chrono::NaiveDate;

use super::StoreError;
use crate::domain::interaction::{Account, Channel, Initiative, Minutes, NextStep, Outcome};
use crate::domain::time::Timestamp;

/// A contact to be logged.
#[derive(Debug)]
pub struct NewInteraction<'a> {
    /// With whom.
    pub cliente: i64,
    /// The user who had it.
    pub vendedor: i64,
    /// How.
    pub canal: Channel,
    /// What came of it.
    pub resultado: Outcome,
    /// Who contacted whom.
    pub sentido: Initiative,
    /// What there is to say of it.
    pub nota: Option<&'a str>,
    /// When it took place.
    pub fecha: Timestamp,
    /// How long it took.
    pub duracion: Option<Minutes>,
    /// What was said to follow, whether or not it changes an agenda.
    pub siguiente: &'a NextStep,
    /// Whether it is but a note on another's account.
    pub solo_nota: bool,
    /// Now.
    pub creada: Timestamp,
}

/// A task for an agenda.
#[derive(Debug)]
pub struct NewCommitment<'a> {
    /// The user who is to do it.
    pub vendedor: i64,
    /// On which day.
    pub fecha: NaiveDate,
    /// What.
    pub texto: Option<&'a str>,
    /// The contact it came of.
    pub interaccion: i64,
}

/// Contacts and their agenda inside a transaction.
#[async_trait]
pub trait InteractionTx {
    /// A customer, as far as logging a contact with them depends on it, locked against other changes until the end.
    async fn account(&mut self, cliente: i64) -> Result<Option<Account>, StoreError>;

    /// Writes a contact; gives its clave.
    async fn insert_interaction(&mut self, row: &NewInteraction<'_>) -> Result<i64, StoreError>;

    /// Closes the customer's open task, whoever has it, opens the one given, and makes its day the customer's next
    /// contact: a customer has one open task at most. Without a new one there is no next contact. [`Self::account`]
    /// must have locked the customer.
    async fn replace_commitment(
        &mut self,
        cliente: i64,
        commitment: Option<&NewCommitment<'_>>,
        now: Timestamp,
    ) -> Result<(), StoreError>;
}
