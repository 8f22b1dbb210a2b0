//! A company's round in a delivery pass: what is done in its queues, in one short transaction.

use std::collections::BTreeSet;

use chrono::TimeDelta;

use super::disable::DisableWebhook;
use super::schedule::{PROBE_AFTER, is_disabled};
use super::slots::{DeliveryLease, SLOW_AFTER};
use crate::context::Context;
use crate::domain::clock::random_uuid;
use crate::domain::company::CompanyId;
use crate::domain::time::Timestamp;
use crate::domain::webhook::Next;
use crate::error::Error;
use crate::leases::Need;
use crate::store::{
    AttemptRecord, DISCARD_BATCH, DeliveryClaim, FannedOut, LeaseTerms, Queue, RecordedAttempt, TransactionBody, Tx,
};

/// Groups or events per round: few enough that the next company does not wait long.
const BATCH: u32 = 250;

/// Deliveries of one healthy webhook.
pub(super) const EACH: u32 = 120;
/// Deliveries of a webhook with a slow receiver, one at a time: as many as it answers within a
/// lease.
const EACH_SLOW: u32 = 4;

/// How long a lease lasts beyond the sender's deadline: time to wait for a slot and to write the
/// result.
const MARGIN: TimeDelta = TimeDelta::seconds(52);

/// The queues in which a company has work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one for each queue")]
pub(super) struct CompanyNeeds {
    pub(super) groups: bool,
    pub(super) events: bool,
    pub(super) deliveries: bool,
    pub(super) discards: bool,
}

impl CompanyNeeds {
    /// The work of one queue; `None` if it is not a queue of deliveries.
    pub(super) fn of(queue: Queue) -> Option<Self> {
        let none = Self::default();
        match queue {
            Queue::Groups => Some(Self { groups: true, ..none }),
            Queue::Events => Some(Self { events: true, ..none }),
            Queue::Deliveries => Some(Self { deliveries: true, ..none }),
            Queue::Discards => Some(Self { discards: true, ..none }),
            Queue::Stampings | Queue::Cancellations | Queue::Mails => None,
        }
    }

    /// Whether deliveries may be there to be claimed at the end of the round.
    pub(super) const fn claims(self) -> bool {
        self.groups || self.events || self.deliveries
    }

    /// `None` if there is no work.
    fn any(self) -> Option<Self> {
        (self != Self::default()).then_some(self)
    }
}

impl Need for CompanyNeeds {
    fn and(self, other: Self) -> Self {
        Self {
            groups: self.groups || other.groups,
            events: self.events || other.events,
            deliveries: self.deliveries || other.deliveries,
            discards: self.discards || other.discards,
        }
    }
}

/// A company's round: results are written, groups become events, events deliveries, and deliveries
/// are claimed.
pub(super) struct CompanyRound<'a> {
    pub(super) context: &'a Context,
    pub(super) company: CompanyId,
    pub(super) results: &'a [AttemptRecord],
    pub(super) needs: CompanyNeeds,
    /// Deliveries to claim at the most.
    pub(super) max: u32,
    /// Webhooks to leave out.
    pub(super) busy: Vec<i64>,
    /// How long an attempt may take.
    pub(super) deadline: TimeDelta,
}

/// What a round did.
#[derive(Default)]
pub(super) struct RoundDone {
    /// Groups that became events.
    pub(super) groups: u64,
    pub(super) fanned_out: FannedOut,
    /// Deliveries that were discarded.
    pub(super) discarded: u64,
    pub(super) claims: Vec<DeliveryLease>,
    recorded: Vec<RecordedAttempt>,
    /// How far the company's clock is ahead.
    desfase: TimeDelta,
    pub(super) written: Written,
    left: CompanyNeeds,
}

impl RoundDone {
    /// What is left to do.
    pub(super) fn left(&self) -> Option<CompanyNeeds> {
        self.left.any()
    }
}

impl CompanyRound<'_> {
    pub(super) async fn run(mut self) -> Result<RoundDone, Error> {
        let (context, company) = (self.context, self.company);
        let mut done = context.transact(company, &mut self).await?;
        done.written = self.written(&done.recorded, done.desfase).await;
        Ok(done)
    }

    async fn claim(&self, tx: &mut dyn Tx, desfase: TimeDelta) -> Result<Vec<DeliveryLease>, Error> {
        let token = random_uuid(self.context.random());
        // The lease counts from here, however long the round took so far.
        let now = self.context.now();
        let until = now + self.deadline + MARGIN;
        let claim = DeliveryClaim {
            lease: LeaseTerms { max: self.max, due: now, now, token, until }.ahead(desfase),
            each: EACH,
            probe_after: PROBE_AFTER,
            each_slow: EACH_SLOW,
            slow_after: SLOW_AFTER,
            busy: &self.busy,
        };
        let (since, latest) = (now, until - self.deadline);
        let claimed = tx.claim_deliveries(&claim).await?.into_iter();
        Ok(claimed.map(|delivery| DeliveryLease { company: self.company, delivery, token, since, latest }).collect())
    }
}

impl TransactionBody for CompanyRound<'_> {
    type Output = RoundDone;

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<RoundDone, Error> {
        let mut done = RoundDone::default();
        let webhooks: Vec<_> = self.results.iter().map(|record| record.webhook).collect();
        let desfase = tx.lock_webhooks(&webhooks).await?;
        done.desfase = desfase;
        let now = Timestamp::new(self.context.now() + desfase);
        if !self.results.is_empty() {
            // Attempts are made by the service's clock, which their receivers share.
            let results: Vec<_> = self.results.iter().map(|record| record.ahead(desfase)).collect();
            done.recorded = tx.record_attempts(&results, now.get()).await?;
        }
        if self.needs.groups {
            done.groups = tx.gather_groups(now, BATCH).await?;
            done.left.groups = done.groups == u64::from(BATCH);
        }
        if self.needs.events || done.groups > 0 {
            done.fanned_out = tx.fan_out(now, BATCH).await?;
            done.left.events = done.fanned_out.events == u64::from(BATCH);
        }
        if self.needs.discards {
            done.discarded = tx.discard_deliveries(DISCARD_BATCH).await?;
            done.left.discards = done.discarded == u64::from(DISCARD_BATCH);
        }
        if (self.needs.deliveries || done.fanned_out.deliveries > 0) && self.max > 0 {
            done.claims = self.claim(tx, desfase).await?;
            done.left.deliveries = done.claims.len() == self.max as usize;
        }
        Ok(done)
    }
}

/// Results by outcome: delivered, to be retried, failed for good, or lost because another worker
/// held the lease by then.
#[derive(Default)]
pub(super) struct Written {
    pub(super) delivered: u64,
    pub(super) retried: u64,
    pub(super) failed: u64,
    pub(super) lost: u64,
    /// Webhooks that were disabled.
    pub(super) disabled: Vec<i64>,
    /// Webhooks whose results were lost: they were deleted or disabled elsewhere, or other workers
    /// have their deliveries.
    pub(super) taken: BTreeSet<i64>,
}

impl CompanyRound<'_> {
    /// Counts the results by outcome, and disables the company's webhooks that have failed for too
    /// long (contract §6).
    async fn written(&self, recorded: &[RecordedAttempt], desfase: TimeDelta) -> Written {
        let (results, company) = (self.results, self.company);
        let mut written = Written::default();
        let known: BTreeSet<usize> = recorded.iter().map(|recorded| recorded.at).collect();
        for (_, lost) in results.iter().enumerate().filter(|(at, _)| !known.contains(at)) {
            written.lost += u64::from(lost.attempt.is_some());
            written.taken.insert(lost.webhook);
        }
        let (mut failing, now) = (Vec::new(), self.context.now() + desfase);
        for recorded in recorded {
            let Some(record) = results.get(recorded.at) else { continue };
            match record.attempt.map(|attempt| attempt.result.next) {
                Some(Next::Delivered) => written.delivered += 1,
                Some(Next::Retry(_)) => written.retried += 1,
                Some(Next::Failed) => written.failed += 1,
                None => {}
            }
            let streak = recorded.streak.filter(|_| !failing.contains(&record.webhook));
            if streak.is_some_and(|streak| is_disabled(streak.fallos_consecutivos, streak.racha_desde, now)) {
                failing.push(record.webhook);
            }
        }
        for webhook in failing {
            // If this fails, the next failed delivery of the webhook tries again.
            match self.context.run_step(company, &DisableWebhook { webhook }).await {
                Ok(Some(discarded)) => {
                    tracing::info!(empresa = company.0, webhook, discarded, "a webhook was disabled");
                    written.disabled.push(webhook);
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(
                        empresa = company.0,
                        webhook,
                        cause = error.cause().map(tracing::field::display),
                        "a webhook could not be disabled"
                    );
                }
            }
        }
        written
    }
}
