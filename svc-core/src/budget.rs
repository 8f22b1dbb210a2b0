//! Limits the work of one background pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, Utc};

/// Limits of a pass. Once one is reached, the pass claims no more records and finishes those in
/// progress.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    until: Option<DateTime<Utc>>,
    max: Option<u32>,
    stop: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// No limit: the pass ends when nothing is due.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Ends the pass at `deadline`, by the context's clock.
    #[must_use]
    pub fn until(mut self, deadline: DateTime<Utc>) -> Self {
        self.until = Some(deadline);
        self
    }

    /// Limits the pass to this many records.
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

    /// How many more records may be claimed after `taken`.
    pub(crate) fn left(&self, taken: u32, now: DateTime<Utc>) -> u32 {
        let stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        if stopped || self.until.is_some_and(|deadline| now >= deadline) {
            return 0;
        }
        self.max.map_or(u32::MAX, |max| max.saturating_sub(taken))
    }
}
