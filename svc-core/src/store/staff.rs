//! Salespeople.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::SalespersonRecord;

/// Salespeople inside a transaction.
#[async_trait]
pub trait StaffTx {
    /// Writes imported salespeople as users of the ERP.
    async fn import_salespeople(&mut self, rows: &[SalespersonRecord]) -> Result<(), StoreError>;
}
