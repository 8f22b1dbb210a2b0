//! Usage of keys and companies, across companies: the API counts in memory and merges its counts here (contract §5).

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

use super::{CompanyId, KeyId, KeyRecord, StoreError};
use crate::domain::quota::Period;

/// Requests with a key in a clock minute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinuteUse {
    /// The key.
    pub key: KeyId,
    /// The minute's first instant.
    pub minuto: DateTime<Utc>,
    /// The count.
    pub usadas: u64,
}

/// Operations of a company in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonthUse {
    /// The company.
    pub company: CompanyId,
    /// The month's first day, in Mexico.
    pub mes: NaiveDate,
    /// The count.
    pub usadas: u64,
}

/// Usage of many keys and companies: counts to add, or totals. It has at most one entry for each key, and one for each
/// company and month.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// Of keys.
    pub minutes: Vec<MinuteUse>,
    /// Of companies.
    pub months: Vec<MonthUse>,
}

impl Usage {
    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.minutes.is_empty() && self.months.is_empty()
    }
}

/// API keys and usage, across companies.
#[async_trait]
pub trait UsageStore {
    /// The API keys with those public identifiers, each with its company, its owner and its usage in `period`, in one
    /// statement. Keys that do not exist are left out; the order does not matter.
    async fn keys(&self, ids: &[KeyId], period: Period) -> Result<Vec<KeyRecord>, StoreError>;

    /// Adds `usage` to the stored counts, in one statement; returns the totals, which include what other processes added.
    /// Only the latest minute of a key is stored: an entry of an earlier one is ignored. Entries of companies that do not
    /// exist are ignored.
    async fn add_usage(&self, usage: &Usage) -> Result<Usage, StoreError>;
}
