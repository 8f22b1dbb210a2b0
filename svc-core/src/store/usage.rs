//! Usage of keys and companies, across companies: the API counts in memory and merges its counts
//! here (contract §5).

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

use super::{CompanyId, KeyId, KeyRecord, StoreError};

/// Requests with a key in a clock minute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinuteUse {
    /// The key that was used.
    pub key: KeyId,
    /// First instant of the minute.
    pub minuto: DateTime<Utc>,
    /// Requests in that minute.
    pub usadas: u64,
}

/// Operations of a company in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonthUse {
    /// The company that was charged.
    pub company: CompanyId,
    /// First day of the month, in Mexico.
    pub mes: NaiveDate,
    /// Operations in that month.
    pub usadas: u64,
}

/// Usage of many keys and companies: counts to add, or totals. A key has at most one entry, and so
/// has a month of a company.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// Requests of keys in a clock minute.
    pub minutes: Vec<MinuteUse>,
    /// Operations of companies in a month.
    pub months: Vec<MonthUse>,
}

impl Usage {
    /// The usage of each company, in the order of their numbers.
    pub fn by_company(&self) -> BTreeMap<CompanyId, Self> {
        let mut companies = BTreeMap::<_, Self>::new();
        for minute in &self.minutes {
            companies.entry(minute.key.company).or_default().minutes.push(minute.clone());
        }
        for month in &self.months {
            companies.entry(month.company).or_default().months.push(month.clone());
        }
        companies
    }

    /// Adds the entries of `other`, which has other keys and companies.
    pub(crate) fn extend(&mut self, other: Self) {
        self.minutes.extend(other.minutes);
        self.months.extend(other.months);
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.minutes.is_empty() && self.months.is_empty()
    }
}

/// A request that was answered, or that its client gave up: never its query, body or secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRequest {
    /// The company of its key.
    pub company: CompanyId,
    /// Its id, which ascends with time.
    pub peticion: String,
    /// When it was received, by the service's clock.
    pub fecha: DateTime<Utc>,
    /// Its HTTP method, as it was sent.
    pub metodo: String,
    /// The template of its path.
    pub ruta: String,
    /// The status of its answer; 499 if the client gave it up.
    pub estado: u16,
    /// The error's code; `None` if the request did not fail.
    pub codigo: Option<String>,
    /// How long the answer took.
    pub microsegundos: i64,
    /// The id of its key.
    pub llave: Option<String>,
    /// The client's address, as far as the front end knows it.
    pub direccion: Option<String>,
}

/// API keys and usage, across companies.
#[async_trait]
pub trait UsageStore {
    /// The API keys with these public identifiers, each with its company, its owner and its usage
    /// in the minute of `now` and in the month of its company's clock; for identifiers of
    /// [`KeyId::of_user`], the users. They come in any order, without those that do not exist. One
    /// plain read finds the keys, another the users.
    async fn keys(&self, ids: &[KeyId], now: DateTime<Utc>) -> Result<Vec<KeyRecord>, StoreError>;

    /// Adds `usage` to the stored counts, company by company in one transaction; returns the
    /// totals, which include what other processes added. Only the latest minute of a key is stored:
    /// an entry of an earlier one is ignored. Entries of companies that do not exist are ignored.
    ///
    /// A minute or month that lies ahead of the store's own clock by more than a minute, given or
    /// stored, counts as the present one: it came from a clock that was wrong. The month of a
    /// company whose own clock is ahead is compared with that.
    async fn add_usage(&self, usage: &Usage) -> Result<Usage, StoreError>;

    /// Adds to the companies' logs of requests, in one transaction. `requests` is sorted by
    /// company; one of a company that does not exist, or that is there already, is ignored.
    async fn log_requests(&self, requests: &[LoggedRequest]) -> Result<(), StoreError>;
}
