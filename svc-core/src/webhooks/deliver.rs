//! One pass over the deliveries that are due.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use serde::Serialize;

use super::attempt::{attempt, handed_back};
use super::claimed::{Claim, ClaimedDeliveries, Dispatch, WebhookKey};
use super::statements::{ClaimAnswer, ClaimRequest, Written, write_and_claim, write_results};
use super::{Budget, Sender};
use crate::context::Context;
use crate::domain::clock::random_bytes;
use crate::domain::webhook::Next;
use crate::observe;
use crate::store::{AttemptRecord, StoreError};

/// Deliveries per claim, of all webhooks.
const MOST: u32 = 512;
/// Deliveries per claim, of one webhook.
const EACH: u32 = 100;

/// Results per statement.
const RESULTS: usize = 64;
/// Results that are enough for a statement while another attempt could begin.
const FEW_RESULTS: usize = 32;

/// How long a lease lasts beyond the sender's deadline: time to wait for a free slot and to write the result.
const MARGIN: TimeDelta = TimeDelta::seconds(52);

/// The longest deadline of a sender that a lease takes into account.
const LONGEST: TimeDelta = TimeDelta::hours(1);

/// Attempts without a written result, those under way included: at most so many are repeated if the process dies.
const UNWRITTEN: usize = 128;

/// How often a long pass makes new events and deliveries.
const NEW_EVENTS_INTERVAL: Duration = Duration::from_secs(1);

/// What a delivery pass did, in numbers of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DeliveryReport {
    /// Groups that became events.
    pub agrupados: u64,
    /// Events that were fanned out to the webhooks subscribed to them, if any.
    pub eventos: u64,
    /// Deliveries made.
    pub creadas: u64,
    /// Deliveries that arrived.
    pub entregadas: u64,
    /// Attempts that failed, and are made again later.
    pub pospuestas: u64,
    /// Deliveries that failed for good.
    pub fallidas: u64,
    /// Attempts whose result was not written: another worker holds the lease, or the delivery was discarded.
    pub perdidas: u64,
    /// Webhooks that were disabled.
    pub desactivados: u64,
}

impl DeliveryReport {
    /// Whether the pass found nothing to do.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Delivers what is due, of all companies, until nothing is due or `budget` is used up; gives what it did.
///
/// Call it on a timer, at least each minute (spec, "Delivery"). Several passes may run at once and share the work: a delivery
/// is leased to one of them under a token, for longer than an attempt may take, and a result is written only while its token
/// is valid. No transaction is open and no connection is held during an attempt, and no attempt waits for another.
///
/// The error is the first one of the store; attempts under way are finished and, if possible, written before it is returned.
pub async fn deliver_due(context: &Context, sender: &dyn Sender, budget: Budget) -> Result<DeliveryReport, StoreError> {
    let context = &context.in_background();
    let mut pass = Pass::new(context, sender, budget);
    // Attempts and statements are polled together, so that none waits for another.
    let mut under_way = FuturesUnordered::new();
    loop {
        pass.begin(&mut under_way);
        // With nothing but the pause under way, the pass is over.
        let next =
            if under_way.len() > usize::from(pass.pause == Pause::UnderWay) { under_way.next().await } else { None };
        let Some(step) = next else {
            sender.rest();
            return pass.failure.map_or(Ok(pass.report), Err);
        };
        pass.after(step);
    }
}

/// A step of a pass.
enum Step {
    /// An attempt has ended.
    Sent(AttemptRecord),
    /// Results were written.
    Wrote(Result<Written, StoreError>),
    /// Results were written, and more was claimed.
    Claimed(Result<ClaimAnswer, StoreError>),
    /// It is time to make new events and deliveries.
    Paused,
}

/// The time until new events and deliveries are made again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pause {
    None,
    UnderWay,
    Over,
}

type UnderWay<'a> = FuturesUnordered<BoxFuture<'a, Step>>;

struct Pass<'a> {
    context: &'a Context,
    sender: &'a dyn Sender,
    budget: Budget,
    deadline: TimeDelta,
    claimed: ClaimedDeliveries,
    results: Vec<AttemptRecord>,
    /// How many results are being written.
    writing: usize,
    report: DeliveryReport,
    failure: Option<StoreError>,
    /// Whether a statement is under way: one at a time.
    in_store: bool,
    /// Whether the last claim got all that was due.
    exhausted: bool,
    /// Whether an attempt has ended since the last claim.
    progress: bool,
    /// When new events and deliveries were last made.
    new_events_at: Option<DateTime<Utc>>,
    pause: Pause,
    /// Deliveries claimed so far, against the budget.
    taken: u32,
}

impl<'a> Pass<'a> {
    fn new(context: &'a Context, sender: &'a dyn Sender, budget: Budget) -> Self {
        let deadline = TimeDelta::from_std(sender.deadline()).map_or(LONGEST, |deadline| deadline.min(LONGEST));
        Self {
            context,
            sender,
            budget,
            deadline,
            claimed: ClaimedDeliveries::default(),
            results: Vec::new(),
            writing: 0,
            report: DeliveryReport::default(),
            failure: None,
            in_store: false,
            exhausted: false,
            progress: true,
            new_events_at: None,
            pause: Pause::None,
            taken: 0,
        }
    }

    /// Begins all attempts and statements that can begin now.
    fn begin(&mut self, under_way: &mut UnderWay<'a>) {
        let now = self.context.now();
        let (context, sender) = (self.context, self.sender);
        let stopped = self.failure.is_some() || self.budget.left(0, now) == 0;
        if stopped {
            self.results.extend(self.claimed.drain(None).iter().map(handed_back));
        }
        while self.claimed.out() + self.results.len() + self.writing < UNWRITTEN
            && let Some(dispatch) = self.claimed.dispatch(now)
        {
            match dispatch {
                Dispatch::Send(claim) => {
                    under_way.push(Box::pin(async move { Step::Sent(attempt(context, sender, claim).await) }));
                }
                Dispatch::HandBack(claim) => self.results.push(handed_back(&claim)),
            }
        }
        if self.claimed.out() > 0 && self.pause == Pause::None {
            self.pause = Pause::UnderWay;
            under_way.push(Box::pin(async move {
                sender.pause(NEW_EVENTS_INTERVAL).await;
                Step::Paused
            }));
        }
        if self.in_store {
            return;
        }
        let most = self.budget.left(self.taken, now).min(MOST);
        if !stopped && most > 0 && self.wants_more(now) {
            let request = self.claim_request(most, now);
            let results = self.take_results();
            under_way.push(Box::pin(async move { Step::Claimed(write_and_claim(context, results, request).await) }));
        } else if self.wants_to_write() {
            let results = self.take_results();
            under_way.push(Box::pin(async move { Step::Wrote(write_results(context, results).await) }));
        } else {
            return;
        }
        self.in_store = true;
    }

    /// The results to be written.
    fn take_results(&mut self) -> Vec<AttemptRecord> {
        self.writing = self.results.len();
        std::mem::take(&mut self.results)
    }

    /// Whether to claim: there is room for more attempts, and more may be due than was claimed.
    fn wants_more(&self, now: DateTime<Utc>) -> bool {
        let idle = self.claimed.out() == 0 && self.claimed.is_empty();
        self.claimed.has_room()
            && (!self.exhausted && self.claimed.is_empty()
                || self.claimed.wants_more(now)
                || self.pause == Pause::Over
                // Before it ends, the pass checks that nothing has become due.
                || idle && self.progress)
    }

    fn wants_to_write(&self) -> bool {
        match self.results.len() {
            0 => false,
            RESULTS.. => true,
            FEW_RESULTS.. if self.claimed.has_room() => true,
            _ => self.claimed.is_empty(),
        }
    }

    fn claim_request(&mut self, most: u32, now: DateTime<Utc>) -> ClaimRequest {
        let long_ago = |at: DateTime<Utc>| (now - at).to_std().is_ok_and(|since| since >= NEW_EVENTS_INTERVAL);
        let paused = self.pause == Pause::Over;
        let new_events = paused || self.claimed.out() == 0 || self.new_events_at.is_none_or(long_ago);
        if paused {
            self.pause = Pause::None;
        }
        if new_events {
            self.new_events_at = Some(now);
        }
        self.progress = false;
        ClaimRequest {
            new_events,
            most,
            each: EACH,
            busy: self.claimed.busy(now),
            now,
            token: uuid::Builder::from_random_bytes(random_bytes(self.context.random())).into_uuid(),
            until: now + self.deadline + MARGIN,
        }
    }

    fn after(&mut self, step: Step) {
        match step {
            Step::Sent(record) => self.sent(record),
            Step::Paused => self.pause = Pause::Over,
            Step::Wrote(written) => {
                (self.in_store, self.writing) = (false, 0);
                match written {
                    Ok(written) => self.wrote(&written),
                    Err(error) => self.failed(error),
                }
            }
            Step::Claimed(answer) => {
                (self.in_store, self.writing) = (false, 0);
                match answer {
                    Ok(answer) => self.claimed(answer),
                    Err(error) => self.failed(error),
                }
            }
        }
    }

    fn sent(&mut self, record: AttemptRecord) {
        if let Some(attempt) = &record.attempt {
            let delivered = attempt.judged.next == Next::Delivered;
            self.claimed.finished((record.company, record.webhook), delivered, attempt.judged.counts, attempt.at);
        }
        self.progress = true;
        self.results.push(record);
    }

    fn wrote(&mut self, written: &Written) {
        for (outcome, count) in [
            ("delivered", written.delivered),
            ("retried", written.retried),
            ("failed", written.failed),
            ("lost", written.lost),
        ] {
            observe::attempts(observe::DELIVERIES, outcome, count);
        }
        let report = &mut self.report;
        report.entregadas += written.delivered;
        report.pospuestas += written.retried;
        report.fallidas += written.failed;
        report.perdidas += written.lost;
        report.desactivados += written.disabled.len() as u64;
        for &key in &written.disabled {
            self.forget(key);
        }
    }

    /// Drops the claims of a disabled webhook: its pending deliveries were discarded.
    fn forget(&mut self, key: WebhookKey) {
        self.claimed.drain(Some(key));
    }

    fn claimed(&mut self, answer: ClaimAnswer) {
        self.wrote(&answer.written);
        self.report.agrupados += answer.groups;
        self.report.eventos += answer.fanned_out.events;
        self.report.creadas += answer.fanned_out.deliveries;
        let ClaimRequest { token, until, most, each, .. } = answer.request;
        let count = u32::try_from(answer.claimed.len()).unwrap_or(most);
        self.taken = self.taken.saturating_add(count);
        self.exhausted = count < most;
        // A claim counts as progress too: the pass goes on as long as it finds something.
        self.progress |= count > 0;
        let latest = until - self.deadline;
        let claim = |delivery| Claim { delivery, token, latest };
        self.claimed.add(answer.claimed.into_iter().map(claim).collect(), each);
    }

    /// Nothing more is claimed after an error; attempts under way are finished.
    fn failed(&mut self, error: StoreError) {
        if self.failure.is_some() {
            tracing::warn!(%error, "results of deliveries could not be written");
        } else {
            self.failure = Some(error);
        }
    }
}
