//! Accounting entries.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::accounting::{Collected, Entry};
use crate::domain::time::Timestamp;

/// Accounting entries inside a transaction.
#[async_trait]
pub trait AccountingTx {
    /// Inserts an entry; returns its clave.
    async fn insert_entry(&mut self, entry: &Entry, now: Timestamp) -> Result<i64, StoreError>;

    /// The entry of a sale's receivable; an imported sale has none.
    async fn entry_of_sale(&mut self, venta: i64) -> Result<Option<Entry>, StoreError>;

    /// The entry of a credit note of a sale, by its record in the registry.
    async fn entry_of_note(&mut self, venta: i64, factura: i64) -> Result<Option<Entry>, StoreError>;

    /// The totals of the entries of a receivable's valid payments.
    async fn collected(&mut self, cxc: i64) -> Result<Collected, StoreError>;

    /// The entry of a payment; an imported payment has none.
    async fn entry_of_payment(&mut self, pago: i64) -> Result<Option<Entry>, StoreError>;
}
