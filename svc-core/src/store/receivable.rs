//! Receivables, payments and bank accounts.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::{PaymentRecord, ReceivableRecord};
use crate::domain::time::Timestamp;

/// Receivables, payments and bank accounts inside a transaction.
#[async_trait]
pub trait ReceivableTx {
    /// Writes imported receivables; customer and type of sale are the sale's when the record leaves them out.
    async fn import_receivables(&mut self, rows: &[ReceivableRecord], now: Timestamp) -> Result<(), StoreError>;

    /// Writes imported payments; sale, customer and currency are the receivable's when the record leaves them out.
    async fn import_payments(&mut self, rows: &[PaymentRecord], now: Timestamp) -> Result<(), StoreError>;
}
