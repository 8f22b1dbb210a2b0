//! The deliveries that one pass has claimed and not yet sent, and the slots for sending them. No
//! I/O.
//!
//! [`SHARED`] slots are lent to the companies round-robin, a few attempts each so that their
//! results can be written together, and within a company to its webhooks in turn. Every webhook
//! also has a slot of its own, so that it never waits for the attempts of others. A webhook whose
//! attempts fail or take long has only that one, and such webhooks together have a limit of their
//! own.

mod openings;
mod queue;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::RangeInclusive;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use self::openings::Openings;
pub(super) use self::queue::SLOW_AFTER;
use self::queue::WebhookQueue;
use crate::domain::company::CompanyId;
use crate::store::ClaimedDelivery;

/// Attempts under way at once beyond the first of each webhook.
const SHARED: usize = 64;
/// Attempts under way at once at one host.
const PER_HOST: usize = 32;
/// Attempts under way at once in all.
const MAX_ATTEMPTS: usize = 512;
/// Attempts under way at once of webhooks that fail or are slow, in all and at one host.
const DOUBTFUL: usize = 128;
const DOUBTFUL_PER_HOST: usize = 16;

/// Attempts of a company before the next has its turn: few enough that every company has had one
/// after about a second.
const RUN: usize = 80;
const ROUND: usize = 10_000;

/// Claims that may wait to be sent, of all companies. Beyond them each company may have some of its
/// own, so that none waits for the receivers of others.
const WAITING: usize = 16_384;
const WAITING_OWN: u32 = 32;

/// A webhook of a company.
pub(super) type WebhookKey = (CompanyId, i64);

/// A claimed delivery and its lease.
pub(super) struct DeliveryLease {
    pub(super) company: CompanyId,
    pub(super) delivery: ClaimedDelivery,
    pub(super) token: Uuid,
    /// When it was claimed. The lease's age is unknown if the clock was set back since.
    pub(super) since: DateTime<Utc>,
    /// An attempt that began later could outlast the lease.
    pub(super) latest: DateTime<Utc>,
}

impl DeliveryLease {
    fn key(&self) -> WebhookKey {
        (self.company, self.delivery.webhook)
    }
}

/// What to do with a claim.
pub(super) enum Dispatch {
    Send(DeliveryLease, Slot),
    /// Gives the claim up without an attempt: its lease is almost over, or its webhook rests.
    HandBack(DeliveryLease),
}

/// The slot of an attempt under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    webhook: WebhookKey,
    doubtful: bool,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended {
    pub(super) delivered: bool,
    /// Whether it counts against the webhook: one that failed for a reason of the service does not.
    pub(super) counts: bool,
    /// How long it took, in milliseconds.
    pub(super) duration: i64,
    pub(super) at: DateTime<Utc>,
}

/// Attempts under way.
#[derive(Debug, Clone, Copy, Default)]
struct Out {
    well: usize,
    doubtful: usize,
}

impl Out {
    fn of(&mut self, doubtful: bool) -> &mut usize {
        if doubtful { &mut self.doubtful } else { &mut self.well }
    }

    const fn all(self) -> usize {
        self.well + self.doubtful
    }
}

/// The claimed deliveries by webhook, and the attempts under way.
#[derive(Default)]
pub(super) struct Slots {
    queues: BTreeMap<WebhookKey, WebhookQueue>,
    /// The companies with waiting deliveries, and the webhooks of each, in the order of their
    /// turns.
    companies: VecDeque<CompanyId>,
    webhooks: HashMap<CompanyId, VecDeque<i64>>,
    /// The attempts that the first of the companies has had in its turn.
    run: usize,
    waiting: usize,
    hosts: HashMap<Arc<str>, Out>,
    out: Out,
    openings: Openings,
}

/// The webhooks of a company.
fn of(company: CompanyId) -> RangeInclusive<WebhookKey> {
    (company, i64::MIN)..=(company, i64::MAX)
}

impl Slots {
    /// The webhooks of a company that the next claim leaves out; once they have room again,
    /// [`Self::wants_more`] says so.
    pub(super) fn busy(&mut self, company: CompanyId, now: DateTime<Utc>) -> Vec<i64> {
        let busy = |queue: &WebhookQueue| !queue.waiting.is_empty() || !queue.has_room() || queue.is_resting(now);
        let mut claves = Vec::new();
        for (&(_, clave), queue) in self.queues.range_mut(of(company)) {
            queue.more_due = busy(queue);
            if queue.more_due {
                claves.push(clave);
            }
        }
        claves
    }

    /// Adds the result of a claim that was limited to `each` deliveries per healthy webhook.
    pub(super) fn add(&mut self, claims: Vec<DeliveryLease>, each: u32) {
        self.openings = Openings::default();
        let mut claimed: HashMap<WebhookKey, u32> = HashMap::new();
        for claim in claims {
            let key = claim.key();
            let queue = self.queues.entry(key).or_insert_with(|| WebhookQueue::new(&claim.delivery));
            if queue.waiting.is_empty() {
                let webhooks = self.webhooks.entry(key.0).or_default();
                if webhooks.is_empty() {
                    self.companies.push_back(key.0);
                }
                webhooks.push_back(key.1);
            }
            let count = claimed.entry(key).or_default();
            *count += 1;
            queue.more_due = *count >= each || queue.is_doubtful();
            queue.waiting.push_back(claim);
            self.waiting += 1;
        }
    }

    /// The next claim to send or hand back: of the company whose turn it is, otherwise of the next
    /// that has one. `None` if nothing can be done. While it is `crowded`, only first attempts of
    /// webhooks begin.
    pub(super) fn dispatch(&mut self, now: DateTime<Utc>, crowded: bool) -> Option<Dispatch> {
        if !self.openings.any(now, crowded) {
            return None;
        }
        let longest = if self.waiting <= ROUND { RUN } else { (ROUND / self.companies.len().max(1)).clamp(1, RUN) };
        for at in 0..self.companies.len() {
            let company = *self.companies.get(at)?;
            let Some(mut webhooks) = self.webhooks.remove(&company) else { continue };
            let dispatch = self.dispatch_of(company, &mut webhooks, now, crowded);
            let is_empty = webhooks.is_empty();
            if !is_empty {
                self.webhooks.insert(company, webhooks);
            }
            if dispatch.is_some() {
                self.openings.used();
                self.companies.rotate_left(at);
                self.run = if at == 0 { self.run + 1 } else { 1 };
                if is_empty || self.run >= longest {
                    self.run = 0;
                    self.companies.pop_front();
                    self.companies.extend((!is_empty).then_some(company));
                }
                return dispatch;
            }
        }
        self.openings.none(now, crowded);
        None
    }

    fn dispatch_of(
        &mut self,
        company: CompanyId,
        webhooks: &mut VecDeque<i64>,
        now: DateTime<Utc>,
        crowded: bool,
    ) -> Option<Dispatch> {
        for _ in 0..webhooks.len() {
            let webhook = (company, webhooks.pop_front()?);
            let Some(queue) = self.queues.get_mut(&webhook) else { continue };
            let Some(first) = queue.waiting.front() else { continue };
            let hand_back = queue.is_resting(now) || !(first.since..=first.latest).contains(&now);
            let host = self.hosts.entry(Arc::clone(&queue.host)).or_default();
            let doubtful = queue.is_doubtful();
            let send = !hand_back && (queue.out == 0 || !crowded) && has_slot(queue, *host, self.out);
            let claim = if hand_back || send { queue.waiting.pop_front() } else { None };
            if send {
                queue.out += 1;
                *host.of(doubtful) += 1;
                *self.out.of(doubtful) += 1;
            }
            if !queue.waiting.is_empty() {
                webhooks.push_back(webhook.1);
            }
            if let Some(claim) = claim {
                self.waiting -= 1;
                let slot = Slot { webhook, doubtful };
                return Some(if send { Dispatch::Send(claim, slot) } else { Dispatch::HandBack(claim) });
            }
        }
        None
    }

    /// Gives back the slot of an attempt.
    pub(super) fn finished(&mut self, slot: Slot, ended: Ended) {
        *self.out.of(slot.doubtful) -= 1;
        let Some(queue) = self.queues.get_mut(&slot.webhook) else { return };
        queue.out -= 1;
        if let Some(host) = self.hosts.get_mut(&queue.host) {
            *host.of(slot.doubtful) -= 1;
        }
        let has_changed = queue.record_outcome(ended);
        if has_changed {
            self.openings = Openings::default();
        } else {
            // A shared slot, and the webhook's own if it has no other attempt in progress.
            self.openings.more(if queue.out == 0 { 2 } else { 1 });
        }
    }

    /// Removes the waiting claims of one webhook, or all of them.
    pub(super) fn drain(&mut self, of: Option<WebhookKey>) -> Vec<DeliveryLease> {
        let queues = self.queues.iter_mut().filter(|(key, _)| of.is_none_or(|of| of == **key));
        let claims: Vec<_> = queues.flat_map(|(_, queue)| queue.waiting.drain(..)).collect();
        self.waiting -= claims.len();
        let queues = &self.queues;
        self.webhooks.retain(|&company, webhooks| {
            webhooks.retain(|&clave| queues.get(&(company, clave)).is_some_and(|queue| !queue.waiting.is_empty()));
            !webhooks.is_empty()
        });
        self.companies.retain(|company| self.webhooks.contains_key(company));
        (self.run, self.openings) = (0, Openings::default());
        claims
    }

    /// How many attempts are under way.
    pub(super) fn out(&self) -> usize {
        self.out.all()
    }

    /// Whether no claim waits to be sent.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// How many attempts of a company are under way.
    pub(super) fn out_of(&self, company: CompanyId) -> usize {
        self.queues.range(of(company)).map(|(_, queue)| queue.out).sum()
    }

    /// Whether a webhook of a company may have more deliveries due.
    pub(super) fn has_more_due(&self, company: CompanyId) -> bool {
        self.queues.range(of(company)).any(|(_, queue)| queue.more_due)
    }

    /// Whether no claim of a company waits to be sent.
    pub(super) fn is_empty_of(&self, company: CompanyId) -> bool {
        !self.webhooks.contains_key(&company)
    }

    /// How many more deliveries of a company may be claimed.
    pub(super) fn room_for(&self, company: CompanyId) -> u32 {
        if self.out() >= MAX_ATTEMPTS {
            0
        } else if self.waiting < WAITING {
            u32::MAX
        } else if self.is_empty_of(company) {
            WAITING_OWN
        } else {
            0
        }
    }

    /// Whether another attempt could begin of a webhook that may have more deliveries due.
    pub(super) fn wants_more(&self, webhook: WebhookKey, now: DateTime<Utc>) -> bool {
        self.queues.get(&webhook).is_some_and(|queue| queue.wants_more(now))
    }
}

/// Whether another attempt of a webhook may begin, beside those under way at its host and in all.
fn has_slot(queue: &WebhookQueue, host: Out, all: Out) -> bool {
    if !queue.has_room() || all.all() >= MAX_ATTEMPTS {
        return false;
    }
    if queue.is_doubtful() {
        host.doubtful < DOUBTFUL_PER_HOST && all.doubtful < DOUBTFUL
    } else {
        host.well < PER_HOST && (queue.out == 0 || all.well < SHARED)
    }
}

#[cfg(test)]
mod tests;
