//! Limits for one background pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, Utc};

/// The limits of a background pass. When one is reached, the pass leases no more records and
/// finishes those in progress.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    until: Option<DateTime<Utc>>,
    max: Option<u32>,
    stop: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// No limits: the pass ends when nothing is due.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Ends the pass at `deadline`, by the context's clock.
    #[must_use]
    pub fn until(mut self, deadline: DateTime<Utc>) -> Self {
        self.until = Some(deadline);
        self
    }

    /// Limits the number of records in the pass.
    #[must_use]
    pub fn max_records(mut self, records: u32) -> Self {
        self.max = Some(records);
        self
    }

    /// Ends the pass once `stop` is true.
    #[must_use]
    pub fn stopped_by(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = Some(stop);
        self
    }

    pub(crate) fn is_over(&self, now: DateTime<Utc>) -> bool {
        self.left(0, now) == 0
    }

    /// How many more records may be leased after `taken`.
    fn left(&self, taken: u32, now: DateTime<Utc>) -> u32 {
        let stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        if stopped || self.until.is_some_and(|deadline| now >= deadline) {
            return 0;
        }
        self.max.map_or(u32::MAX, |max| max.saturating_sub(taken))
    }
}

/// A budget with the records that the pass has leased.
#[derive(Debug)]
pub(crate) struct Allowance {
    budget: Budget,
    taken: u32,
    /// Records that leases in progress may still take.
    reserved: u32,
}

impl Allowance {
    pub(crate) const fn new(budget: Budget) -> Self {
        Self { budget, taken: 0, reserved: 0 }
    }

    /// Whether the pass must end, whatever it has leased.
    pub(crate) fn is_over(&self, now: DateTime<Utc>) -> bool {
        self.budget.is_over(now)
    }

    /// How many more records may be reserved.
    pub(crate) fn left(&self, now: DateTime<Utc>) -> u32 {
        self.budget.left(self.taken.saturating_add(self.reserved), now)
    }

    pub(crate) fn take(&mut self, taken: usize) {
        self.taken = self.taken.saturating_add(u32::try_from(taken).unwrap_or(u32::MAX));
    }

    pub(crate) const fn reserve(&mut self, max: u32) {
        self.reserved += max;
    }

    /// Ends a reservation of `max` records; `taken` of them were leased.
    pub(crate) fn end_reservation(&mut self, max: u32, taken: usize) {
        self.reserved -= max;
        self.take(taken);
    }
}
