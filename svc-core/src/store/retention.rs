//! What goes by age: found by a read over all companies, removed a company at a time.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::{CompanyId, StoreError};

/// Rows that are kept for some days only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aged {
    /// Answers to Idempotency-Keys, by when they were claimed.
    Answers,
    /// Deliveries, by when they were made.
    Deliveries,
    /// Events, by when they occurred; those that have deliveries stay.
    Events,
    /// Webhooks, by when they were deleted; those that have deliveries stay.
    Webhooks,
}

/// Companies that have something to remove.
#[async_trait]
pub trait RetentionStore {
    /// At most `max` companies after `after`, in the order of their numbers, that have such rows
    /// older than `expired`. It is a plain read, and costs a look at the oldest row of each
    /// company. It may give one whose old rows have to stay.
    async fn companies_with_aged(
        &self,
        aged: Aged,
        expired: DateTime<Utc>,
        after: CompanyId,
        max: u32,
    ) -> Result<Vec<CompanyId>, StoreError>;
}
