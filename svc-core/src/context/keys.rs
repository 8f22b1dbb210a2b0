//! API keys, remembered for a few seconds, so that an authenticated read costs one statement.
//!
//! Keys that exist and identifiers that do not are remembered apart: guesses push no key out. What is not remembered is
//! looked up in batches, one batch at a time and not more often than every [`PACE`], so that a storm of guesses costs the
//! database a bounded number of statements, and one who has a key waits for a few milliseconds in the midst of it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use quick_cache::Equivalent;
use quick_cache::sync::Cache;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::domain::clock::Clock;
use crate::domain::company::CompanyId;
use crate::domain::quota::Period;
use crate::error::{Code, Error};
use crate::store::{KeyId, KeyRecord, Store};

/// A change made elsewhere takes effect within 5 s (contract §5).
const FRESH: TimeDelta = TimeDelta::seconds(4);

/// Keys remembered at the most, and as many identifiers that are none.
const MOST: usize = 10_000;

/// Identifiers looked up in one statement at the most.
const BATCH: usize = 256;

/// From the beginning of one look-up to the next.
const PACE: Duration = Duration::from_millis(2);

/// Requests that may wait for a look-up; the next is told to come back.
const WAITING: usize = 10_000;

/// The keys asked for lately.
pub(crate) struct KeyCache {
    known: Cache<KeyId, Remembered>,
    unknown: Cache<KeyId, DateTime<Utc>>,
    queue: Mutex<Queue>,
    /// Whoever holds it looks up for all who wait. Inside: when the last look-up began.
    turn: tokio::sync::Mutex<Option<Instant>>,
    /// Counts changes; what was read before one is not remembered.
    changes: AtomicU64,
}

#[derive(Clone)]
struct Remembered {
    at: DateTime<Utc>,
    key: Arc<KeyRecord>,
}

/// What is remembered of an identifier.
enum Recalled {
    Known(Arc<KeyRecord>),
    /// It is no key's.
    Unknown,
    Nothing,
}

/// What a look-up gives: the key, if there is one, or that the store failed.
type Found = Result<Option<Arc<KeyRecord>>, StoreFailed>;

/// The store failed whoever looked up for all.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the look-up of API keys failed")]
struct StoreFailed;

/// Who waits for which identifier.
#[derive(Default)]
struct Queue {
    waiting: HashMap<KeyId, Vec<oneshot::Sender<Found>>>,
    length: usize,
}

/// A key's identifier, borrowed.
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
            known: Cache::new(MOST),
            unknown: Cache::new(MOST),
            queue: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            changes: AtomicU64::new(0),
        }
    }

    /// The key of that identifier, as it was at most a few seconds ago.
    pub(crate) async fn key(
        &self,
        name: KeyName<'_>,
        store: &dyn Store,
        clock: &dyn Clock,
    ) -> Result<Option<Arc<KeyRecord>>, Error> {
        match self.recall(name, clock.now()) {
            Recalled::Known(key) => return Ok(Some(key)),
            Recalled::Unknown => return Ok(None),
            Recalled::Nothing => {}
        }
        let id = KeyId { company: name.company, suffix: name.suffix.into() };
        loop {
            let mut answer = self.queue().join(&id).ok_or_else(too_many)?;
            let mut turn = tokio::select! {
                biased;
                answered = &mut answer => match answered {
                    Ok(found) => return found.map_err(Error::from),
                    // Whoever looked up for us went away before the store answered.
                    Err(_) => continue,
                },
                turn = self.turn.lock() => turn,
            };
            if let Some(last) = *turn {
                tokio::time::sleep_until(last + PACE).await;
            }
            *turn = Some(Instant::now());
            self.look_up(&id, store, clock.now()).await?;
            if let Ok(found) = answer.try_recv() {
                return found.map_err(Error::from);
            }
        }
    }

    /// Forgets what is remembered of a company, since it has changed.
    pub(crate) fn forget(&self, company: CompanyId) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.known.retain(|id, _| id.company != company);
        self.unknown.retain(|id, _| id.company != company);
    }

    fn recall(&self, name: KeyName<'_>, now: DateTime<Utc>) -> Recalled {
        // A clock that was set back makes an age negative: not fresh either.
        let fresh = |at: DateTime<Utc>| (TimeDelta::zero()..FRESH).contains(&(now - at));
        match self.known.get(&name) {
            Some(remembered) if fresh(remembered.at) => Recalled::Known(remembered.key),
            None if self.unknown.get(&name).is_some_and(fresh) => Recalled::Unknown,
            _ => Recalled::Nothing,
        }
    }

    /// Looks up `id` and what else waits, in one statement, remembers it and tells all who wait.
    async fn look_up(&self, id: &KeyId, store: &dyn Store, now: DateTime<Utc>) -> Result<(), Error> {
        let changes = self.changes.load(Ordering::SeqCst);
        let batch = self.queue().take(id);
        if batch.is_empty() {
            return Ok(());
        }
        let ids: Vec<KeyId> = batch.iter().map(|(id, _)| id.clone()).collect();
        let keys = match store.keys(&ids, Period::of(now)).await {
            Ok(keys) => keys,
            Err(error) => {
                tell(batch, |_| Err(StoreFailed));
                return Err(error.into());
            }
        };
        let keys: HashMap<KeyId, Arc<KeyRecord>> =
            keys.into_iter().map(|key| (key.id.clone(), Arc::new(key))).collect();
        if self.changes.load(Ordering::SeqCst) == changes {
            for id in ids {
                if let Some(key) = keys.get(&id) {
                    self.known.insert(id, Remembered { at: now, key: Arc::clone(key) });
                } else {
                    self.known.remove(&id);
                    self.unknown.insert(id, now);
                }
            }
        }
        tell(batch, |id| Ok(keys.get(id).cloned()));
        Ok(())
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tell(batch: Vec<(KeyId, Vec<oneshot::Sender<Found>>)>, found: impl Fn(&KeyId) -> Found) {
    for (id, waiting) in batch {
        for one in waiting {
            // Whoever waits no longer needs no answer.
            let _ = one.send(found(&id));
        }
    }
}

impl Queue {
    /// Waits for `id`; not if too many wait already.
    fn join(&mut self, id: &KeyId) -> Option<oneshot::Receiver<Found>> {
        if self.length >= WAITING {
            self.forget_gone();
        }
        if self.length >= WAITING {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        self.waiting.entry(id.clone()).or_default().push(sender);
        self.length += 1;
        Some(receiver)
    }

    /// Takes out those whose clients went away.
    fn forget_gone(&mut self) {
        self.waiting.retain(|_, waiting| {
            waiting.retain(|one| !one.is_closed());
            !waiting.is_empty()
        });
        self.length = self.waiting.values().map(Vec::len).sum();
    }

    /// Takes out `id` and others, up to a batch.
    fn take(&mut self, id: &KeyId) -> Vec<(KeyId, Vec<oneshot::Sender<Found>>)> {
        let own = self.waiting.remove_entry(id);
        let others: Vec<KeyId> = self.waiting.keys().take(BATCH - 1).cloned().collect();
        let others = others.iter().filter_map(|id| self.waiting.remove_entry(id)).collect::<Vec<_>>();
        let batch: Vec<_> = own.into_iter().chain(others).collect();
        self.length -= batch.iter().map(|(_, waiting)| waiting.len()).sum::<usize>();
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
