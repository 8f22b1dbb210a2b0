//! What is known of one webhook within a pass. No I/O.

use std::collections::VecDeque;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use super::{DeliveryLease, Ended};
use crate::store::ClaimedDelivery;
use crate::webhooks::schedule::PROBE_AFTER;

/// Attempts under way at once of one webhook.
pub(super) const PER_WEBHOOK: usize = 4;

/// Attempts of a webhook that fail in a row within a pass before the pass leaves it alone for
/// [`REST`].
pub(super) const FAILURES_BEFORE_REST: u32 = 20;
const REST: TimeDelta = TimeDelta::minutes(1);

/// How long a receiver may take to answer before its webhook gets one attempt at a time, in
/// milliseconds.
pub(in crate::webhooks) const SLOW_AFTER: i64 = 2_000;

/// What one webhook has waiting and under way.
pub(super) struct WebhookQueue {
    pub(super) host: Arc<str>,
    pub(super) waiting: VecDeque<DeliveryLease>,
    /// Attempts under way.
    pub(super) out: usize,
    /// Attempts that failed in a row, those before this pass included.
    failures: u32,
    /// How long attempts take, in milliseconds.
    duration: i64,
    /// Attempts that failed in a row in this pass.
    failures_in_pass: u32,
    rests_until: Option<DateTime<Utc>>,
    /// Whether more deliveries may be due than were claimed.
    pub(super) more_due: bool,
}

impl WebhookQueue {
    pub(super) fn new(delivery: &ClaimedDelivery) -> Self {
        Self {
            host: host(&delivery.url),
            waiting: VecDeque::new(),
            out: 0,
            failures: delivery.intentos_fallidos,
            duration: delivery.demora_ms.unwrap_or(0),
            failures_in_pass: 0,
            rests_until: None,
            more_due: false,
        }
    }

    pub(super) fn is_resting(&self, now: DateTime<Utc>) -> bool {
        self.rests_until.is_some_and(|until| now < until)
    }

    pub(super) fn is_doubtful(&self) -> bool {
        self.failures >= PROBE_AFTER || self.duration >= SLOW_AFTER
    }

    /// Records the end of an attempt; returns whether the number of its attempts that may be in
    /// progress has changed.
    pub(super) fn record_outcome(&mut self, ended: Ended) -> bool {
        let was_doubtful = self.is_doubtful();
        self.duration = self.duration.midpoint(ended.duration);
        if ended.delivered {
            (self.failures, self.failures_in_pass) = (0, 0);
        } else {
            self.failures = self.failures.saturating_add(u32::from(ended.counts));
            self.failures_in_pass += 1;
            if self.failures_in_pass >= FAILURES_BEFORE_REST {
                (self.failures_in_pass, self.rests_until) = (0, Some(ended.at + REST));
                return true;
            }
        }
        self.is_doubtful() != was_doubtful
    }

    pub(super) fn has_room(&self) -> bool {
        self.out < if self.is_doubtful() { 1 } else { PER_WEBHOOK }
    }

    pub(super) fn wants_more(&self, now: DateTime<Utc>) -> bool {
        self.more_due && self.waiting.is_empty() && self.has_room() && !self.is_resting(now)
    }
}

/// The host of a webhook's URL, which was validated when it was registered.
fn host(url: &str) -> Arc<str> {
    url.parse::<http::Uri>().ok().and_then(|url| url.host().map(str::to_ascii_lowercase)).unwrap_or_default().into()
}
