//! Customers and prospects.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::customer::CustomerData;
use crate::domain::money::Money;
use crate::domain::time::Timestamp;

/// A customer or prospect to be stored.
#[derive(Debug)]
pub struct NewCustomerRow<'a> {
    /// Its data.
    pub data: &'a CustomerData,
    /// Whether it is a prospect of the CRM.
    pub prospecto: bool,
    /// The salesperson it is assigned to.
    pub vendedor: Option<i64>,
    /// What the prospect wrote.
    pub mensaje: Option<&'a str>,
    /// Now.
    pub creado: Timestamp,
}

/// A customer as far as selling to them asks.
#[derive(Debug, Clone, Default)]
pub struct Buyer {
    /// Tax id.
    pub rfc: Option<String>,
    /// Tax regime.
    pub regimen: Option<i64>,
    /// CFDI use.
    pub uso_cfdi: Option<String>,
    /// Fiscal postal code.
    pub cp: Option<String>,
    /// Their price list.
    pub lista: Option<i64>,
    /// Their days of credit.
    pub dias_credito: i64,
    /// How much they may owe, in pesos.
    pub limite_credito: Money,
}

/// Customers inside a transaction.
#[async_trait]
pub trait CustomerTx {
    /// Writes a customer under the company's next clave and gives it; its folio is that clave.
    /// An RFC that another customer has is [`super::Conflict::Rfc`].
    async fn insert_customer(&mut self, row: &NewCustomerRow<'_>) -> Result<i64, StoreError>;

    /// A customer's data, locked against other changes until the end.
    async fn customer(&mut self, clave: i64) -> Result<Option<CustomerData>, StoreError>;

    /// A customer to sell to.
    async fn buyer(&mut self, clave: i64) -> Result<Option<Buyer>, StoreError>;

    /// The same, locked against other changes until the end: of two sales on credit the second sees what the first owes.
    async fn lock_buyer(&mut self, clave: i64) -> Result<Option<Buyer>, StoreError>;

    /// Writes a customer's changed data. An RFC that another customer has is [`super::Conflict::Rfc`].
    async fn update_customer(
        &mut self,
        clave: i64,
        data: &CustomerData,
        modificado: Timestamp,
    ) -> Result<(), StoreError>;
}
