//! Products.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::ProductRecord;
use crate::domain::time::Timestamp;

/// Products inside a transaction.
#[async_trait]
pub trait ProductTx {
    /// Writes imported products. A brand or category is named by its name and must exist.
    async fn import_products(&mut self, rows: &[ProductRecord], now: Timestamp) -> Result<(), StoreError>;
}
