use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::Mutex;

use super::Ledger;
use crate::store::{Store, StoreError, Usage};

/// Brings what a [`Ledger`] counted to the store.
pub(crate) struct Merging {
    interval: Duration,
    /// When the last merge began, in milliseconds; none yet is long ago.
    last: AtomicI64,
    /// One merge at a time: whoever waits for it finds its own use merged with the others'.
    turn: Mutex<()>,
}

impl Merging {
    pub(crate) fn every(interval: Duration) -> Self {
        Self { interval, last: AtomicI64::new(i64::MIN), turn: Mutex::new(()) }
    }

    /// Whether a request has to see to it itself: always if the interval is zero, else when whoever should have done it has let
    /// two intervals pass.
    pub(crate) fn is_overdue(&self, now: DateTime<Utc>) -> bool {
        if self.interval.is_zero() {
            return true;
        }
        let two = i64::try_from(self.interval.as_millis()).unwrap_or(i64::MAX).saturating_mul(2);
        let since = now.timestamp_millis().saturating_sub(self.last.load(Ordering::Relaxed));
        // A clock that was set back makes it negative.
        !(0..two).contains(&since)
    }

    /// Merges what there is; without any it asks the store nothing.
    pub(crate) async fn merge(&self, ledger: &Ledger, store: &dyn Store, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.last.store(now.timestamp_millis(), Ordering::Relaxed);
        let _turn = self.turn.lock().await;
        let usage = ledger.take(now);
        if usage.is_empty() {
            return Ok(());
        }
        let mut taken = Taken { ledger, usage };
        let total = store.add_usage(&taken.usage).await?;
        ledger.merged(&std::mem::take(&mut taken.usage), &total);
        Ok(())
    }
}

/// What is on its way to the store. Dropped before it has got there, it waits for the next merge.
struct Taken<'a> {
    ledger: &'a Ledger,
    usage: Usage,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.ledger.put_back(&self.usage);
    }
}
