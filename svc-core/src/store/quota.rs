//! The monthly quota of operations (contract §5).

use async_trait::async_trait;
use chrono::NaiveDate;

use super::StoreError;

/// The monthly quota inside a transaction.
#[async_trait]
pub trait QuotaTx {
    /// Adds to the usage of the month that begins on `mes`; returns the month's total.
    async fn use_quota(&mut self, mes: NaiveDate, operaciones: i64) -> Result<i64, StoreError>;
}
