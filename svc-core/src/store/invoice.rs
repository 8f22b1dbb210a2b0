//! The invoice registry.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::InvoiceRecord;
use crate::domain::time::Timestamp;

/// The invoice registry inside a transaction.
#[async_trait]
pub trait InvoiceTx {
    /// Writes imported records; the first invoice of a sale that has none becomes the sale's.
    async fn import_invoices(&mut self, rows: &[InvoiceRecord], now: Timestamp) -> Result<(), StoreError>;
}
