//! Bank accounts.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::BankAccountRecord;

/// Bank accounts inside a transaction.
#[async_trait]
pub trait BankTx {
    /// Writes imported bank accounts; their balance is zero.
    async fn import_bank_accounts(&mut self, rows: &[BankAccountRecord]) -> Result<(), StoreError>;
}
