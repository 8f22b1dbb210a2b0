//! A cache of API keys, so that an authenticated read costs one statement.
//!
//! Existing keys and unknown identifiers are cached separately, so that guesses evict no key. A key
//! in use is read again before its entry expires ([`KeyCache::refresh`]), so that its requests wait
//! for no look-up. Other look-ups run in batches, one at a time. Identifiers that were keys have
//! their own batches; possible guesses run at most every [`INTERVAL`], so that many guesses cost a
//! bounded number of statements and delay only each other.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use quick_cache::Equivalent;
use quick_cache::sync::Cache;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until, timeout};

use crate::domain::clock::Clock;
use crate::domain::company::CompanyId;
use crate::error::{Code, Error};
use crate::store::{KeyId, KeyRecord, Store, StoreError};

/// The lifetime of an entry: a change made in another process takes effect within 5 s (contract
/// §5).
const MAX_AGE: TimeDelta = TimeDelta::seconds(4);

/// The age at which a key in use is read again.
const REFRESH_AGE: TimeDelta = TimeDelta::milliseconds(1500);

pub(crate) const REFRESH_INTERVAL: Duration = Duration::from_millis(250);

/// For cached keys, and again for cached unknown identifiers.
const CAPACITY: usize = 10_000;

/// Identifiers per statement.
const BATCH: usize = 256;

/// The shortest time between two look-ups of possible guesses.
const INTERVAL: Duration = Duration::from_millis(2);

/// The time limit of a statement before it is retried on another connection.
const PATIENCE: Duration = Duration::from_secs(1);

/// The largest number of requests that may wait for a look-up; further ones get 503
/// (`no_disponible`).
const MAX_WAITING: usize = 10_000;

/// The keys used recently.
pub(crate) struct KeyCache {
    known: Cache<KeyId, CachedKey>,
    unknown: Cache<KeyId, DateTime<Utc>>,
    /// Look-ups of identifiers that were keys when they were last read.
    returning: Lookups,
    /// Look-ups of all others.
    new: Lookups,
    /// Counts changes of keys: a batch that was read before a change is not cached.
    changes: AtomicU64,
}

#[derive(Clone)]
struct CachedKey {
    at: DateTime<Utc>,
    key: Arc<KeyRecord>,
    /// Whether the key was used since it was read.
    used: Arc<AtomicBool>,
}

/// A cached result for an identifier.
enum Cached {
    Key(Arc<KeyRecord>),
    /// There is no such key.
    NoKey,
    /// The key existed and must be read again.
    Stale,
    Nothing,
}

/// Look-ups that run one at a time.
struct Lookups {
    pending: Mutex<PendingLookups>,
    /// The start of the last look-up. The request that looks up a batch holds the lock.
    last: tokio::sync::Mutex<Option<Instant>>,
    interval: Duration,
}

/// The result of a look-up; `None` if there is no such key.
type Found = Result<Option<Arc<KeyRecord>>, StoreFailed>;

/// The store failed in the request that looked up the batch.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the look-up of API keys failed")]
struct StoreFailed;

/// Requests that wait for a look-up, by identifier.
#[derive(Default)]
struct PendingLookups {
    waiting: HashMap<KeyId, Vec<oneshot::Sender<Found>>>,
    count: usize,
}

/// A borrowed [`KeyId`], for look-ups in the cache.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct KeyName<'a> {
    pub(crate) company: CompanyId,
    pub(crate) suffix: &'a str,
}

impl Equivalent<KeyId> for KeyName<'_> {
    fn equivalent(&self, id: &KeyId) -> bool {
        self.company == id.company && *self.suffix == *id.suffix
    }
}

impl KeyCache {
    pub(crate) fn new() -> Self {
        Self {
            known: Cache::new(CAPACITY),
            unknown: Cache::new(CAPACITY),
            returning: Lookups::every(Duration::ZERO),
            new: Lookups::every(INTERVAL),
            changes: AtomicU64::new(0),
        }
    }

    /// The key with that identifier, at most [`MAX_AGE`] old; `None` if there is no such key.
    ///
    /// Fails with [`Code::NoDisponible`] if too many requests wait for a look-up, or if the store
    /// fails.
    pub(crate) async fn key(
        &self,
        name: KeyName<'_>,
        store: &dyn Store,
        clock: &dyn Clock,
    ) -> Result<Option<Arc<KeyRecord>>, Error> {
        let lookups = match self.cached(name, clock.now()) {
            Cached::Key(key) => return Ok(Some(key)),
            Cached::NoKey => return Ok(None),
            Cached::Stale => &self.returning,
            Cached::Nothing => &self.new,
        };
        let id = KeyId { company: name.company, suffix: name.suffix.into() };
        loop {
            let mut answer = lookups.pending().add(&id).ok_or_else(too_many)?;
            let mut last = tokio::select! {
                biased;
                answered = &mut answer => match answered {
                    Ok(found) => return found.map_err(Error::from),
                    // The request that looked up the batch was cancelled.
                    Err(_) => continue,
                },
                last = lookups.last.lock() => last,
            };
            // A timer takes up to a millisecond even for a past instant.
            if let Some(next) = last.map(|last| last + lookups.interval).filter(|next| *next > Instant::now()) {
                sleep_until(next).await;
            }
            *last = Some(Instant::now());
            self.look_up(lookups, &id, store, clock.now()).await?;
            if let Ok(found) = answer.try_recv() {
                return found.map_err(Error::from);
            }
        }
    }

    /// Reads keys again that were used since they were last read and will soon expire. If that
    /// fails, the key's next request looks it up.
    pub(crate) async fn refresh(&self, store: &dyn Store, clock: &dyn Clock) -> Result<(), StoreError> {
        let due = clock.now() - REFRESH_AGE;
        let used = |cached: &CachedKey| cached.at <= due && cached.used.load(Ordering::Relaxed);
        let ids: Vec<KeyId> = self.known.iter().filter(|(_, cached)| used(cached)).map(|(id, _)| id).collect();
        for ids in ids.chunks(BATCH) {
            self.read(ids, store, clock.now()).await?;
        }
        Ok(())
    }

    /// Removes the entries of a company whose keys, users or settings have changed.
    pub(crate) fn forget(&self, company: CompanyId) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.known.retain(|id, _| id.company != company);
        self.unknown.retain(|id, _| id.company != company);
    }

    fn cached(&self, name: KeyName<'_>, now: DateTime<Utc>) -> Cached {
        // The age is negative if the clock was set back; such an entry is not fresh either.
        let fresh = |at: DateTime<Utc>| (TimeDelta::zero()..MAX_AGE).contains(&(now - at));
        match self.known.get(&name) {
            Some(cached) => {
                // Written once per refresh, so that threads do not contend for it.
                if !cached.used.load(Ordering::Relaxed) {
                    cached.used.store(true, Ordering::Relaxed);
                }
                if fresh(cached.at) { Cached::Key(cached.key) } else { Cached::Stale }
            }
            None if self.unknown.get(&name).is_some_and(fresh) => Cached::NoKey,
            None => Cached::Nothing,
        }
    }

    /// Looks up `id` and other pending identifiers in one statement, and answers the waiting
    /// requests.
    async fn look_up(&self, lookups: &Lookups, id: &KeyId, store: &dyn Store, now: DateTime<Utc>) -> Result<(), Error> {
        let batch = lookups.pending().take_batch(id);
        if batch.is_empty() {
            return Ok(());
        }
        let ids: Vec<KeyId> = batch.iter().map(|(id, _)| id.clone()).collect();
        match self.read(&ids, store, now).await {
            Ok(keys) => {
                answer(batch, |id| Ok(keys.get(id).cloned()));
                Ok(())
            }
            Err(error) => {
                answer(batch, |_| Err(StoreFailed));
                Err(error.into())
            }
        }
    }

    /// Reads keys in one statement and caches them.
    async fn read(
        &self,
        ids: &[KeyId],
        store: &dyn Store,
        now: DateTime<Utc>,
    ) -> Result<HashMap<KeyId, Arc<KeyRecord>>, StoreError> {
        let changes = self.changes.load(Ordering::SeqCst);
        let found = read_in_time(ids, store, now).await?;
        let keys: HashMap<KeyId, Arc<KeyRecord>> =
            found.into_iter().map(|key| (key.id.clone(), Arc::new(key))).collect();
        if self.changes.load(Ordering::SeqCst) == changes {
            for id in ids {
                if let Some(key) = keys.get(id) {
                    let cached = CachedKey { at: now, key: Arc::clone(key), used: Arc::default() };
                    self.known.insert(id.clone(), cached);
                } else {
                    self.known.remove(id);
                    self.unknown.insert(id.clone(), now);
                }
            }
        }
        Ok(keys)
    }
}

/// Reads keys. A statement that hangs is abandoned and retried once; the store then uses another
/// connection.
async fn read_in_time(ids: &[KeyId], store: &dyn Store, now: DateTime<Utc>) -> Result<Vec<KeyRecord>, StoreError> {
    match timeout(PATIENCE, store.keys(ids, now)).await {
        Ok(read) => read,
        Err(_) => match timeout(PATIENCE, store.keys(ids, now)).await {
            Ok(read) => read,
            Err(late) => Err(StoreError::Unavailable(late.into())),
        },
    }
}

impl Lookups {
    fn every(interval: Duration) -> Self {
        Self { pending: Mutex::default(), last: tokio::sync::Mutex::default(), interval }
    }

    fn pending(&self) -> MutexGuard<'_, PendingLookups> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn answer(batch: Vec<(KeyId, Vec<oneshot::Sender<Found>>)>, found: impl Fn(&KeyId) -> Found) {
    for (id, waiting) in batch {
        for request in waiting {
            // A cancelled request needs no answer.
            let _ = request.send(found(&id));
        }
    }
}

impl PendingLookups {
    /// A receiver for the result of `id`; `None` if too many requests already wait.
    fn add(&mut self, id: &KeyId) -> Option<oneshot::Receiver<Found>> {
        if self.count >= MAX_WAITING {
            self.remove_cancelled();
        }
        if self.count >= MAX_WAITING {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        self.waiting.entry(id.clone()).or_default().push(sender);
        self.count += 1;
        Some(receiver)
    }

    /// Removes requests that were cancelled.
    fn remove_cancelled(&mut self) {
        self.waiting.retain(|_, waiting| {
            waiting.retain(|request| !request.is_closed());
            !waiting.is_empty()
        });
        self.count = self.waiting.values().map(Vec::len).sum();
    }

    /// Removes `id` and others, up to one batch.
    fn take_batch(&mut self, id: &KeyId) -> Vec<(KeyId, Vec<oneshot::Sender<Found>>)> {
        let own = self.waiting.remove_entry(id);
        let others: Vec<KeyId> = self.waiting.keys().take(BATCH - 1).cloned().collect();
        let others = others.iter().filter_map(|id| self.waiting.remove_entry(id)).collect::<Vec<_>>();
        let batch: Vec<_> = own.into_iter().chain(others).collect();
        self.count -= batch.iter().map(|(_, waiting)| waiting.len()).sum::<usize>();
        batch
    }
}

fn too_many() -> Error {
    Error::new(Code::NoDisponible).retry_after(1)
}

impl From<StoreFailed> for Error {
    fn from(failed: StoreFailed) -> Self {
        crate::store::StoreError::Unavailable(Box::new(failed)).into()
    }
}
