//! When to try waiting claims again. No I/O.

use chrono::{DateTime, TimeDelta, Utc};

/// How soon all waiting claims are tried again if only time has passed.
const TRIED_AGAIN: TimeDelta = TimeDelta::seconds(1);

/// How many attempts may still begin after all waiting claims were tried in vain, so that not all
/// are tried again whenever one attempt ends.
#[derive(Default)]
pub(super) struct Openings {
    /// `None` while it is not known.
    left: Option<u32>,
    /// When all was tried, and whether only among first attempts.
    tried: Option<(DateTime<Utc>, bool)>,
}

impl Openings {
    /// Whether to try again now; if `crowded`, only among first attempts.
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
