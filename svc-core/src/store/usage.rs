//! What companies and their keys have used, of all companies at once: the API counts in memory and merges here.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

use super::{CompanyId, KeyId, KeyRecord, StoreError};
use crate::domain::quota::Period;

/// Requests of a key in a clock minute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinuteUse {
    /// The key.
    pub key: KeyId,
    /// The minute's first instant.
    pub minuto: DateTime<Utc>,
    /// How many.
    pub usadas: u64,
}

/// Operations of a company in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonthUse {
    /// The company.
    pub company: CompanyId,
    /// The month's first day, in Mexico.
    pub mes: NaiveDate,
    /// How many.
    pub usadas: u64,
}

/// Use of many keys and companies: what to add, or what there is in all. A key stands in it at most once, a company at
/// most once a month.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// Of keys.
    pub minutes: Vec<MinuteUse>,
    /// Of companies.
    pub months: Vec<MonthUse>,
}

impl Usage {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.minutes.is_empty() && self.months.is_empty()
    }
}

/// Keys, and what was used with them.
#[async_trait]
pub trait UsageStore {
    /// The API keys with those public identifiers, each with its company, its owner, and what was used in `period`: what
    /// authentication and limits need, in one statement. Keys that do not exist are left out.
    async fn keys(&self, ids: &[KeyId], period: Period) -> Result<Vec<KeyRecord>, StoreError>;

    /// Adds `usage` to what is stored, in one statement; gives what that makes, others' use included. Of a minute that is over
    /// nothing needs to be kept: a minute before the one that is stored for the key changes nothing. What a company that
    /// is gone has used is dropped.
    async fn add_usage(&self, usage: &Usage) -> Result<Usage, StoreError>;
}
