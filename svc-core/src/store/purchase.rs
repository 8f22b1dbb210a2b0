//! Purchase orders and their lines.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::{PurchaseLineRecord, PurchaseRecord};
use crate::domain::time::Timestamp;

/// Purchase orders and their lines inside a transaction.
#[async_trait]
pub trait PurchaseTx {
    /// Writes imported purchase orders. A warehouse is named by its code and must exist.
    async fn import_purchases(&mut self, rows: &[PurchaseRecord], now: Timestamp) -> Result<(), StoreError>;

    /// Writes imported lines of purchase orders.
    async fn import_purchase_lines(&mut self, rows: &[PurchaseLineRecord]) -> Result<(), StoreError>;
}
