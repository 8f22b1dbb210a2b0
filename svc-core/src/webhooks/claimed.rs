//! The deliveries that one pass has claimed and not yet sent: one queue per webhook, so that none holds up another. No I/O.

use std::collections::{HashMap, VecDeque};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::schedule::PROBE_AFTER;
use crate::domain::company::CompanyId;
use crate::store::ClaimedDelivery;

/// Attempts under way at once, of all webhooks.
pub(super) const AT_ONCE: usize = 64;
/// Attempts under way at once of one webhook.
const AT_ONCE_PER_WEBHOOK: usize = 4;

/// Attempts of a webhook that fail in a row within a pass before the pass leaves it alone for [`REST`].
const FAILURES_BEFORE_REST: u32 = 20;
const REST: TimeDelta = TimeDelta::minutes(1);

/// A webhook of a company.
pub(super) type WebhookKey = (CompanyId, i64);

/// A claimed delivery and its lease.
pub(super) struct Claim {
    pub(super) delivery: ClaimedDelivery,
    pub(super) token: Uuid,
    /// An attempt that began later could outlast the lease.
    pub(super) latest: DateTime<Utc>,
}

impl Claim {
    pub(super) fn key(&self) -> WebhookKey {
        (self.delivery.company, self.delivery.webhook)
    }
}

/// What to do with a claim.
pub(super) enum Dispatch {
    Send(Claim),
    /// Its lease is almost over, or its webhook rests: the claim is given up without an attempt.
    HandBack(Claim),
}

/// The claimed deliveries, by webhook.
#[derive(Default)]
pub(super) struct ClaimedDeliveries {
    queues: HashMap<WebhookKey, WebhookQueue>,
    /// The webhooks with waiting deliveries, each once, in round-robin order.
    order: VecDeque<WebhookKey>,
    /// Attempts under way.
    out: usize,
}

#[derive(Default)]
struct WebhookQueue {
    waiting: VecDeque<Claim>,
    /// Attempts under way.
    out: usize,
    /// Attempts that failed in a row, those before this pass included.
    failures: u32,
    /// Attempts that failed in a row in this pass.
    failures_in_pass: u32,
    rests_until: Option<DateTime<Utc>>,
    /// Whether more deliveries may be due than were claimed.
    more_due: bool,
}

impl WebhookQueue {
    fn is_resting(&self, now: DateTime<Utc>) -> bool {
        self.rests_until.is_some_and(|until| now < until)
    }

    fn has_room(&self) -> bool {
        self.out < if self.failures >= PROBE_AFTER { 1 } else { AT_ONCE_PER_WEBHOOK }
    }

    fn wants_more(&self, now: DateTime<Utc>) -> bool {
        self.more_due && self.waiting.is_empty() && self.has_room() && !self.is_resting(now)
    }
}

impl ClaimedDeliveries {
    /// The webhooks that the next claim leaves out; once they have room again, [`Self::wants_more`] says so.
    pub(super) fn busy(&mut self, now: DateTime<Utc>) -> Vec<WebhookKey> {
        let busy = |queue: &WebhookQueue| !queue.waiting.is_empty() || !queue.has_room() || queue.is_resting(now);
        let mut keys = Vec::new();
        for (&key, queue) in &mut self.queues {
            queue.more_due = busy(queue);
            if queue.more_due {
                keys.push(key);
            }
        }
        keys
    }

    /// Adds the result of a claim that was limited to `each` deliveries per healthy webhook.
    pub(super) fn add(&mut self, claims: Vec<Claim>, each: u32) {
        let mut claimed: HashMap<WebhookKey, u32> = HashMap::new();
        for claim in claims {
            let key = claim.key();
            let failures = claim.delivery.intentos_fallidos;
            let queue = self.queues.entry(key).or_insert_with(|| WebhookQueue { failures, ..WebhookQueue::default() });
            if queue.waiting.is_empty() {
                self.order.push_back(key);
            }
            let count = claimed.entry(key).or_default();
            *count += 1;
            queue.more_due = *count >= each || failures >= PROBE_AFTER;
            queue.waiting.push_back(claim);
        }
    }

    /// The next claim to be sent or handed back, one webhook after the other; none while nothing can be done.
    pub(super) fn dispatch(&mut self, now: DateTime<Utc>) -> Option<Dispatch> {
        for _ in 0..self.order.len() {
            let key = self.order.pop_front()?;
            let Some(queue) = self.queues.get_mut(&key) else { continue };
            let Some(first) = queue.waiting.front() else { continue };
            let hand_back = queue.is_resting(now) || first.latest < now;
            let send = !hand_back && queue.has_room() && self.out < AT_ONCE;
            let claim = if hand_back || send { queue.waiting.pop_front() } else { None };
            if send {
                queue.out += 1;
                self.out += 1;
            }
            if !queue.waiting.is_empty() {
                self.order.push_back(key);
            }
            if let Some(claim) = claim {
                return Some(if send { Dispatch::Send(claim) } else { Dispatch::HandBack(claim) });
            }
        }
        None
    }

    /// Records the end of an attempt. One that does not count failed for a reason of the service, not of the receiver.
    pub(super) fn finished(&mut self, key: WebhookKey, delivered: bool, counts: bool, now: DateTime<Utc>) {
        self.out -= 1;
        let Some(queue) = self.queues.get_mut(&key) else { return };
        queue.out -= 1;
        if delivered {
            (queue.failures, queue.failures_in_pass) = (0, 0);
            return;
        }
        queue.failures = queue.failures.saturating_add(u32::from(counts));
        queue.failures_in_pass += 1;
        if queue.failures_in_pass >= FAILURES_BEFORE_REST {
            (queue.failures_in_pass, queue.rests_until) = (0, Some(now + REST));
        }
    }

    /// Removes the waiting claims of one webhook, or all of them.
    pub(super) fn drain(&mut self, of: Option<WebhookKey>) -> Vec<Claim> {
        let queues = self.queues.iter_mut().filter(|(key, _)| of.is_none_or(|of| of == **key));
        let claims = queues.flat_map(|(_, queue)| queue.waiting.drain(..)).collect();
        self.order.retain(|key| of.is_some_and(|of| of != *key));
        claims
    }

    /// How many attempts are under way.
    pub(super) fn out(&self) -> usize {
        self.out
    }

    /// Whether no claim waits to be sent.
    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Whether another attempt could begin.
    pub(super) fn has_room(&self) -> bool {
        self.out < AT_ONCE
    }

    /// Whether another attempt could begin of a webhook that may have more deliveries due.
    pub(super) fn wants_more(&self, now: DateTime<Utc>) -> bool {
        self.has_room() && self.queues.values().any(|queue| queue.wants_more(now))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::domain::webhook::DeliveryOrigin;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_791_828_000 + seconds, 0).unwrap()
    }

    fn key(webhook: i64) -> WebhookKey {
        (CompanyId(1), webhook)
    }

    fn claims(webhook: i64, count: usize, intentos_fallidos: u32) -> Vec<Claim> {
        let claim = |clave: usize| Claim {
            delivery: ClaimedDelivery {
                company: CompanyId(1),
                clave: clave as i64,
                webhook,
                url: String::new(),
                secreto: Vec::new(),
                secreto_anterior: None,
                intentos_fallidos,
                evento: Uuid::nil(),
                tipo: String::new(),
                cuerpo: Bytes::new(),
                intentos: 0,
                origen: DeliveryOrigin::Evento,
            },
            token: Uuid::nil(),
            latest: at(50),
        };
        (0..count).map(claim).collect()
    }

    /// Whether any attempt could begin, and one of a webhook with more deliveries due.
    fn room(claimed: &ClaimedDeliveries, now: DateTime<Utc>) -> (bool, bool) {
        (claimed.has_room(), claimed.wants_more(now))
    }

    /// The webhooks of the deliveries that are sent now.
    fn sent(claimed: &mut ClaimedDeliveries) -> Vec<i64> {
        let mut sent = Vec::new();
        while let Some(dispatch) = claimed.dispatch(at(0)) {
            let Dispatch::Send(claim) = dispatch else { panic!("handed back") };
            sent.push(claim.delivery.webhook);
        }
        sent
    }

    #[test]
    fn webhooks_are_served_round_robin_within_their_limit() {
        let mut claimed = ClaimedDeliveries::default();
        for webhook in [1, 2, 3] {
            claimed.add(claims(webhook, if webhook == 3 { 2 } else { 100 }, 0), 100);
        }
        assert_eq!(sent(&mut claimed), [1, 2, 3, 1, 2, 3, 1, 2, 1, 2]);
        assert_eq!((claimed.out(), room(&claimed, at(0))), (10, (true, false)));
        claimed.finished(key(1), true, true, at(0));
        assert_eq!(sent(&mut claimed), [1]);
        let mut busy = claimed.busy(at(0));
        busy.sort();
        assert_eq!(busy, [key(1), key(2)], "the third has room and nothing waits");
        let mut many = ClaimedDeliveries::default();
        for webhook in 0..100 {
            many.add(claims(webhook, 1, 0), 100);
        }
        assert_eq!(sent(&mut many).len(), AT_ONCE);
        assert_eq!(room(&many, at(0)), (false, false));
    }

    #[test]
    fn a_failing_webhook_gets_one_attempt_at_a_time_until_one_arrives() {
        let mut claimed = ClaimedDeliveries::default();
        claimed.add(claims(1, 30, 0), 100);
        assert_eq!(sent(&mut claimed).len(), AT_ONCE_PER_WEBHOOK);
        for left in [1, 1, 0, 0, 0, 1] {
            claimed.finished(key(1), false, true, at(0));
            assert_eq!(sent(&mut claimed).len(), left);
        }
        claimed.finished(key(1), true, true, at(0));
        assert_eq!(sent(&mut claimed).len(), AT_ONCE_PER_WEBHOOK);
        for _ in 0..AT_ONCE_PER_WEBHOOK {
            claimed.finished(key(1), false, false, at(0));
        }
        assert_eq!(
            sent(&mut claimed).len(),
            AT_ONCE_PER_WEBHOOK,
            "failures of the service do not count against the webhook"
        );

        let mut known = ClaimedDeliveries::default();
        known.add(claims(1, 1, PROBE_AFTER), 100);
        assert_eq!(sent(&mut known).len(), 1);
        assert_eq!((known.busy(at(0)), room(&known, at(0))), (vec![key(1)], (true, false)));
        known.finished(key(1), false, true, at(0));
        assert_eq!(room(&known, at(0)), (true, true), "more of it may be due");
    }

    #[test]
    fn a_webhook_that_keeps_failing_rests() {
        let mut claimed = ClaimedDeliveries::default();
        claimed.add(claims(1, 100, 0), 100);
        claimed.add(claims(2, 1, 0), 100);
        let mut failures = 0;
        loop {
            match claimed.dispatch(at(0)) {
                Some(Dispatch::HandBack(_)) => break,
                Some(Dispatch::Send(_)) => {}
                None => {
                    claimed.finished(key(1), false, true, at(0));
                    failures += 1;
                }
            }
        }
        assert_eq!(failures, FAILURES_BEFORE_REST);
        let mut returned = 1;
        while let Some(Dispatch::HandBack(_)) = claimed.dispatch(at(0)) {
            returned += 1;
        }
        assert!(claimed.is_empty());
        assert_eq!(returned, 80);
        assert_eq!(claimed.busy(at(59)), [key(1)]);
        assert_eq!(room(&claimed, at(59)), (true, false));
        assert_eq!(room(&claimed, at(60)), (true, true));
        assert!(claimed.busy(at(60)).is_empty());
    }

    #[test]
    fn a_claim_whose_lease_is_too_short_is_handed_back() {
        let mut claimed = ClaimedDeliveries::default();
        claimed.add(claims(1, 2, 0), 100);
        claimed.add(claims(2, 2, 0), 100);
        assert!(matches!(claimed.dispatch(at(50)), Some(Dispatch::Send(_))));
        assert!(matches!(claimed.dispatch(at(51)), Some(Dispatch::HandBack(_))));
        assert_eq!(claimed.drain(Some(key(1))).len(), 1);
        assert_eq!(claimed.drain(None).len(), 1);
        assert!(claimed.is_empty() && claimed.dispatch(at(0)).is_none());
    }
}
