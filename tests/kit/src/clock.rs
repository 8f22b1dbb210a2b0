//! The clock of tests.

use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use svc_core::domain::clock::{Clock, SystemClock};

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct TestClock(AtomicI64);

impl Default for TestClock {
    /// 2026-10-12 18:00 UTC: noon in Mexico.
    fn default() -> Self {
        Self(AtomicI64::new(1_791_828_000_000_000))
    }
}

impl TestClock {
    /// Moves forwards (or backwards).
    pub fn advance(&self, by: TimeDelta) {
        self.0.fetch_add(by.num_microseconds().expect("a span of this age"), Ordering::SeqCst);
    }

    /// Moves to the present of the machine, whose clock is the database's too, and this much on.
    pub fn set_to_present(&self, and: TimeDelta) {
        self.advance(SystemClock.now() + and - self.now());
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(self.0.load(Ordering::SeqCst)).expect("a time of this age")
    }
}
