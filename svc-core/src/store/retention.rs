//! Rows that are removed by age: a read over all companies finds them, and
//! [`RequestTx::delete_aged`](super::RequestTx::delete_aged) removes them company by company.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::{CompanyId, StoreError};

/// How many requests a company's log keeps after a clean-up.
pub const LOGGED: i64 = 10_000;

/// Rows that are kept for some days only, and what their age counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aged {
    /// Answers under Idempotency-Keys: the claim.
    Answers,
    /// Deliveries: their creation.
    Deliveries,
    /// Events that a subscriber failed at too often: when they were given up.
    Abandoned,
    /// Events: when they occurred. Events with deliveries stay.
    Events,
    /// Webhooks: their deletion. Webhooks with deliveries stay.
    Webhooks,
    /// Requests in the log: when they came.
    Requests,
    /// Requests in the log beyond the last [`LOGGED`], whatever their age.
    ExcessRequests,
}

/// Companies that have something to remove.
#[async_trait]
pub trait RetentionStore {
    /// At most `max` companies after `after`, in the order of their numbers, that have rows older
    /// than `expired`. It is a plain read of each company's oldest row, and may return a company
    /// whose old rows have to stay.
    async fn companies_with_aged(
        &self,
        aged: Aged,
        expired: DateTime<Utc>,
        after: CompanyId,
        max: u32,
    ) -> Result<Vec<CompanyId>, StoreError>;

    /// Removes the copies of companies that were interrupted (contract §8), in several
    /// transactions. Returns their number.
    async fn remove_interrupted_copies(&self) -> Result<u64, StoreError>;
}
