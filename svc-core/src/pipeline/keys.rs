//! API keys, remembered for a few seconds, so that an authenticated read costs one statement.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use quick_cache::sync::Cache;

use crate::error::Error;
use crate::service::Inner;
use crate::store::{CompanyId, KeyRecord};

/// A change made elsewhere takes effect within 5 s (contract §5).
const FRESH: TimeDelta = TimeDelta::seconds(4);

/// Keys remembered at the most; those that do not exist are remembered too, so that asking for them again is free.
const MOST: usize = 10_000;

/// The keys asked for lately.
pub(crate) struct KeyCache(Cache<(CompanyId, Box<str>), Remembered>);

#[derive(Clone)]
struct Remembered {
    at: DateTime<Utc>,
    key: Option<Arc<KeyRecord>>,
}

impl KeyCache {
    pub(crate) fn new() -> Self {
        Self(Cache::new(MOST))
    }

    fn get(&self, id: &(CompanyId, Box<str>), now: DateTime<Utc>) -> Option<Remembered> {
        let remembered = self.0.get(id)?;
        let age = now - remembered.at;
        // A clock that was set back makes an age negative: not fresh either.
        (TimeDelta::zero()..FRESH).contains(&age).then_some(remembered)
    }
}

impl Inner {
    /// The key of that identifier, as it was at most a few seconds ago.
    pub(super) async fn key(&self, company: CompanyId, suffix: &str) -> Result<Option<Arc<KeyRecord>>, Error> {
        let id = (company, Box::from(suffix));
        let now = self.clock.now();
        if let Some(remembered) = self.keys.get(&id, now) {
            return Ok(remembered.key);
        }
        let key = self.store.key(company, suffix).await?.map(Arc::new);
        self.keys.0.insert(id, Remembered { at: now, key: key.clone() });
        Ok(key)
    }
}
