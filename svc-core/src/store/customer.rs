//! Customers and prospects.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::cfdi::Receiver;
use crate::domain::money::Money;
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

/// Customers inside a transaction.
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
}
