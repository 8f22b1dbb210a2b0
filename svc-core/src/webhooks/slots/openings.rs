//! When to try waiting claims again. No I/O.

use chrono::{DateTime, TimeDelta, Utc};

/// How soon all that waits is tried again though nothing has changed but the time.
const TRIED_AGAIN: TimeDelta = TimeDelta::seconds(1);

/// How many attempts may begin at the most, once all that waits has been tried in vain: so that it
/// is not all tried again whenever one attempt ends.
#[derive(Default)]
pub(super) struct Openings {
    /// None while it is not known.
    left: Option<u32>,
    /// When and whether among first attempts only all was tried.
    tried: Option<(DateTime<Utc>, bool)>,
}

impl Openings {
    /// Whether to try, now and among first attempts only or not.
    pub(super) fn any(&self, now: DateTime<Utc>, crowded: bool) -> bool {
        let is_old = self.tried.is_none_or(|(at, with)| with != crowded || now - at >= TRIED_AGAIN || now < at);
        is_old || self.left != Some(0)
    }

    pub(super) fn none(&mut self, now: DateTime<Utc>, crowded: bool) {
        *self = Self { left: Some(0), tried: Some((now, crowded)) };
    }

    pub(super) fn used(&mut self) {
        self.left = self.left.map(|left| left.saturating_sub(1));
    }

    pub(super) fn more(&mut self, by: u32) {
        self.left = self.left.map(|left| left + by);
    }
}
