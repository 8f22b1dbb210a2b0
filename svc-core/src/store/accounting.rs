//! Accounting entries.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::accounting::{Collected, Entry};
use crate::domain::time::Timestamp;

/// Accounting entries inside a transaction.
#[async_trait]
pub trait AccountingTx {
    /// Writes an entry and gives its clave.
    async fn insert_entry(&mut self, entry: &Entry, now: Timestamp) -> Result<i64, StoreError>;

    /// The entry that was written when a sale became owed; an imported sale has none.
    async fn entry_of_sale(&mut self, venta: i64) -> Result<Option<Entry>, StoreError>;

    /// What the books say of a receivable's valid payments.
    async fn collected(&mut self, cxc: i64) -> Result<Collected, StoreError>;

    /// The entry that was written when a payment was applied; an imported payment has none.
    async fn entry_of_payment(&mut self, pago: i64) -> Result<Option<Entry>, StoreError>;
}
