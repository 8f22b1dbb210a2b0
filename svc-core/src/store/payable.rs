//! Accounts payable.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::PayableRecord;
use crate::domain::time::Timestamp;

/// Accounts payable inside a transaction.
#[async_trait]
pub trait PayableTx {
    /// Writes imported accounts payable.
    async fn import_payables(&mut self, rows: &[PayableRecord], now: Timestamp) -> Result<(), StoreError>;
}
