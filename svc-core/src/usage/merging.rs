use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::ledger::Taking;
use super::{Ledger, MERGE_PATIENCE};
use crate::store::{Store, StoreError, Usage};

/// Companies per transaction: this many take milliseconds and one write to disk.
const COMPANIES: usize = 100;

/// Merges the counts of a [`Ledger`] into the store.
pub(crate) struct Merging {
    interval: Duration,
    /// When the last merge began, in Unix milliseconds; `i64::MIN` before the first.
    last: AtomicI64,
    /// Held during a merge: merges run one at a time, and each includes the usage of all requests
    /// that wait for it.
    busy: Mutex<()>,
}

impl Merging {
    pub(crate) fn every(interval: Duration) -> Self {
        Self { interval, last: AtomicI64::new(i64::MIN), busy: Mutex::new(()) }
    }

    /// Whether a request must merge: always if the interval is zero, otherwise if the last merge
    /// began two intervals ago.
    pub(crate) fn is_overdue(&self, now: DateTime<Utc>) -> bool {
        if self.interval.is_zero() {
            return true;
        }
        if self.busy.try_lock().is_err() {
            // The merge in progress is enough.
            return false;
        }
        let two = u64::try_from(self.interval.as_millis()).unwrap_or(u64::MAX).saturating_mul(2);
        // A merge may begin between a request's look at the clock and this one. A clock that was
        // set back shows more.
        let since = now.timestamp_millis().saturating_sub(self.last.load(Ordering::Relaxed));
        since.unsigned_abs() >= two
    }

    /// Merges usage, some companies at a time. Waits for a merge in progress.
    pub(crate) async fn merge(
        &self,
        taking: Taking,
        ledger: &Ledger,
        store: &dyn Store,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.last.store(now.timestamp_millis(), Ordering::Relaxed);
        let _busy = self.busy.lock().await;
        // After an error, usage that is not merged waits for the next merge.
        for mut taken in TakenUsage::in_parts(ledger, taking, now) {
            let adding = timeout(MERGE_PATIENCE, store.add_usage(&taken.usage)).await;
            let total = adding.map_err(|late| StoreError::Unavailable(late.into()))??;
            ledger.merged(&std::mem::take(&mut taken.usage), &total);
        }
        Ok(())
    }
}

/// Usage on its way to the store. If the merge fails or is cancelled, dropping this puts it back
/// for the next one.
struct TakenUsage<'a> {
    ledger: &'a Ledger,
    usage: Usage,
}

impl<'a> TakenUsage<'a> {
    /// Usage in parts of some companies each.
    fn in_parts(ledger: &'a Ledger, taking: Taking, now: DateTime<Utc>) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::new();
        for (at, usage) in ledger.take(taking, now).by_company().into_values().enumerate() {
            if at.is_multiple_of(COMPANIES) {
                parts.push(Self { ledger, usage: Usage::default() });
            }
            if let Some(part) = parts.last_mut() {
                part.usage.extend(usage);
            }
        }
        parts
    }
}

impl Drop for TakenUsage<'_> {
    fn drop(&mut self) {
        self.ledger.put_back(&self.usage);
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn a_merge_is_enough_for_two_intervals_around_it() {
        let merging = Merging::every(Duration::from_millis(250));
        let began: DateTime<Utc> = "2026-03-01T12:00:00Z".parse().unwrap();
        assert!(merging.is_overdue(began), "there was none yet");
        merging.last.store(began.timestamp_millis(), Ordering::Relaxed);
        let overdue = |milliseconds| merging.is_overdue(began + TimeDelta::milliseconds(milliseconds));
        assert!(!overdue(0) && !overdue(499) && overdue(500));
        assert!(!overdue(-1), "it began since the request looked at the clock");
        assert!(overdue(-500), "the clock was set back");
        assert!(Merging::every(Duration::ZERO).is_overdue(began));
    }
}
