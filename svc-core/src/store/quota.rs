//! What of the month's quota a company has used (contract §5).

use async_trait::async_trait;
use chrono::NaiveDate;

use super::StoreError;

/// The usage of quotas inside a transaction.
#[async_trait]
pub trait QuotaTx {
    /// Adds to what was used in the month that begins with `mes`; gives what that makes.
    async fn use_quota(&mut self, mes: NaiveDate, operaciones: i64) -> Result<i64, StoreError>;
}
