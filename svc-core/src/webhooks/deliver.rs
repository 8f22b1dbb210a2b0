//! One pass over the deliveries that are due.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use serde::Serialize;

use super::attempt::{attempt, handed_back};
use super::company_round::{CompanyNeeds, CompanyRound, EACH, RoundDone, Written};
use super::results::{CompanyResults, Results};
use super::slots::{Dispatch, Ended, Slot, Slots};
use super::{Budget, Sender};
use crate::budget::Allowance;
use crate::context::Context;
use crate::domain::company::CompanyId;
use crate::domain::webhook::Next;
use crate::error::Error;
use crate::leases::FairQueue;
use crate::observe;
use crate::store::{AttemptRecord, Backlog, Due, StoreError};

/// Maximum number of deliveries that a company's round claims.
const MAX_CLAIM: u32 = 256;

/// How many results of a company are enough to write them: the first while more of its deliveries
/// wait to be sent, the second while new attempts must wait for results to be written, the third
/// once its last attempts are in progress.
const RESULTS: usize = 128;
const CROWDED_RESULTS: usize = 80;
const LAST_RESULTS: usize = 64;

/// The longest deadline of a sender that a lease takes into account.
const MAX_DEADLINE: TimeDelta = TimeDelta::hours(1);

/// The most results that wait to be written while attempts begin. Once they and the attempts in
/// progress are as many, only first attempts of webhooks begin. If the process dies, these are
/// repeated, and one more per webhook.
const UNWRITTEN: usize = 128;

/// How often a long pass looks for new work, and how long a result may wait for others.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Rounds under way at once, of different companies.
const IN_STORE: usize = 3;

/// What a delivery pass did, in numbers of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DeliveryReport {
    /// Groups that became events.
    pub agrupados: u64,
    /// Events that were fanned out to the webhooks subscribed to them, if any.
    pub eventos: u64,
    /// Deliveries created, one for each event and webhook.
    pub creadas: u64,
    /// Deliveries that a receiver answered with a status of 2xx.
    pub entregadas: u64,
    /// Attempts that failed, and are made again later.
    pub pospuestas: u64,
    /// Deliveries that failed for good.
    pub fallidas: u64,
    /// Attempts whose result was not written: another worker holds the lease, or the delivery was
    /// discarded.
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

/// Delivers what is due, of all companies, until nothing is due or `budget` is used up. Returns the
/// counts.
///
/// Call it on a timer, at least each minute (spec, "Delivery"). Several passes may run at once and
/// share the work: a delivery is leased to one of them under a token, for longer than an attempt
/// may take, and a result is written only while its token is valid. No transaction is open and no
/// connection is held during an attempt, and no attempt waits for another.
///
/// What is due is found by one read over all companies, and done one company at a time,
/// round-robin. A company whose round fails is logged and counted
/// ([`crate::observe::BACKGROUND_FAILURES`]), and delays no other; the error is that of the read.
/// Attempts under way are finished and, if possible, written before it is returned.
pub async fn deliver_due(context: &Context, sender: &dyn Sender, budget: Budget) -> Result<DeliveryReport, StoreError> {
    let context = &context.in_background();
    let mut pass = DeliveryPass::new(context, sender, budget);
    // Attempts and statements are polled together, so that none waits for another.
    let mut under_way = FuturesUnordered::new();
    loop {
        pass.begin(&mut under_way);
        // With nothing but the pause under way, the pass is over.
        let next =
            if under_way.len() > usize::from(pass.pause == Pause::UnderWay) { under_way.next().await } else { None };
        let Some(event) = next else {
            sender.rest();
            return pass.failure.map_or(Ok(pass.report), Err);
        };
        pass.after(event);
    }
}

/// What has ended.
enum DeliveryEvent {
    /// What is due was looked for.
    Found(Result<Vec<Due>, StoreError>),
    /// A company had its round.
    Round { company: CompanyId, max: u32, batch: Option<CompanyResults>, done: Result<RoundDone, Error> },
    /// An attempt has ended.
    Sent(CompanyId, AttemptRecord, Slot),
    /// It is time to look for what is due.
    Paused,
}

/// The time until what is due is looked for again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pause {
    None,
    UnderWay,
    Over,
}

type UnderWay<'a> = FuturesUnordered<BoxFuture<'a, DeliveryEvent>>;

struct DeliveryPass<'a> {
    context: &'a Context,
    sender: &'a dyn Sender,
    allowance: Allowance,
    deadline: TimeDelta,
    companies: FairQueue<CompanyId, CompanyNeeds>,
    slots: Slots,
    results: Results,
    report: DeliveryReport,
    failure: Option<StoreError>,
    /// Rounds under way.
    in_store: usize,
    /// Whether the last of them began because of results.
    for_results: bool,
    /// Whether what is due is being looked for.
    looking: bool,
    /// When it was last looked for.
    looked_at: Option<DateTime<Utc>>,
    /// Whether anything was done since: before it ends, the pass checks that nothing has become
    /// due.
    progress: bool,
    pause: Pause,
}

impl<'a> DeliveryPass<'a> {
    fn new(context: &'a Context, sender: &'a dyn Sender, budget: Budget) -> Self {
        let deadline =
            TimeDelta::from_std(sender.deadline()).map_or(MAX_DEADLINE, |deadline| deadline.min(MAX_DEADLINE));
        Self {
            context,
            sender,
            allowance: Allowance::new(budget),
            deadline,
            companies: FairQueue::default(),
            slots: Slots::default(),
            results: Results::default(),
            report: DeliveryReport::default(),
            failure: None,
            in_store: 0,
            for_results: false,
            looking: false,
            looked_at: None,
            progress: true,
            pause: Pause::None,
        }
    }

    /// Begins all that can begin now.
    fn begin(&mut self, under_way: &mut UnderWay<'a>) {
        let now = self.context.now();
        let stopped = self.failure.is_some() || self.allowance.is_over(now);
        if stopped {
            for claim in self.slots.drain(None) {
                self.results.push(claim.company, handed_back(&claim));
            }
        }
        self.begin_attempts(under_way, now);
        let used_up = stopped || self.allowance.left(now) == 0;
        if !used_up && self.wants_to_look(now) {
            (self.looking, self.progress, self.looked_at) = (true, false, Some(now));
            let context = self.context;
            under_way.push(Box::pin(async move {
                DeliveryEvent::Found(context.due(Backlog::Notices, context.now()).await)
            }));
        }
        if self.pause == Pause::Over && (self.looking || used_up) {
            self.pause = Pause::None;
        }
        while self.in_store < IN_STORE && self.begin_round(under_way, now, stopped, used_up) {
            self.in_store += 1;
        }
        if (self.slots.out() > 0 || self.in_store > 0) && self.pause == Pause::None {
            self.pause = Pause::UnderWay;
            let sender = self.sender;
            under_way.push(Box::pin(async move {
                sender.pause(LOOK_INTERVAL).await;
                DeliveryEvent::Paused
            }));
        }
    }

    fn begin_attempts(&mut self, under_way: &mut UnderWay<'a>, now: DateTime<Utc>) {
        let (context, sender) = (self.context, self.sender);
        while self.results.unwritten() < UNWRITTEN {
            let crowded = self.is_crowded();
            // Results that crowd are written in a moment. Attempts may take long.
            if crowded && self.slots.out() < UNWRITTEN / 2 {
                break;
            }
            let Some(dispatch) = self.slots.dispatch(now, crowded) else { break };
            match dispatch {
                Dispatch::Send(claim, slot) => under_way.push(Box::pin(async move {
                    let company = claim.company;
                    DeliveryEvent::Sent(company, attempt(context, sender, claim).await, slot)
                })),
                Dispatch::HandBack(claim) => self.results.push(claim.company, handed_back(&claim)),
            }
        }
    }

    /// Whether so much is under way or unwritten that more should wait.
    fn is_crowded(&self) -> bool {
        self.slots.out() + self.results.unwritten() >= UNWRITTEN
    }

    /// Whether to look for work: at first, every second, and once more before the pass ends.
    fn wants_to_look(&self, now: DateTime<Utc>) -> bool {
        let long_ago = |at: DateTime<Utc>| (now - at).to_std().is_ok_and(|since| since >= LOOK_INTERVAL);
        let idle = self.slots.out() == 0 && self.slots.is_empty() && self.in_store == 0 && self.companies.is_empty();
        !self.looking
            && (self.pause == Pause::Over
                || self.looked_at.is_none_or(long_ago)
                || idle && self.results.unwritten() == 0 && self.progress)
    }

    /// Begins the round of a company with results to be written, or of the company that is next.
    fn begin_round(&mut self, under_way: &mut UnderWay<'a>, now: DateTime<Utc>, stopped: bool, used_up: bool) -> bool {
        let (slots, companies) = (&self.slots, &self.companies);
        let crowded = self.is_crowded();
        // If nothing else can go on, results are written at once, the largest number first.
        let all = stopped || self.in_store == 0 && slots.out() == 0;
        let enough = match (crowded, self.in_store) {
            (true, 0) => self.results.max(|company| companies.is_free(company)),
            (true, _) => CROWDED_RESULTS,
            (false, _) => RESULTS,
        };
        let ready = |company, count| {
            // The company's next claim will write them too.
            let is_last = || slots.is_empty_of(company) && !slots.has_more_due(company);
            all || count >= enough || is_last() && (count >= LAST_RESULTS || slots.out_of(company) == 0)
        };
        // A steady stream of results gets only every second round.
        let others = self.for_results && !used_up && !companies.is_empty();
        let batch = if others { None } else { self.results.take(|company| companies.is_free(company), ready) };
        self.for_results = batch.is_some();
        let (company, needs, batch) = if let Some(batch) = batch {
            (batch.company, self.companies.begin(batch.company).unwrap_or_default(), Some(batch))
        } else if used_up {
            return false;
        } else if let Some((company, needs)) = self.companies.next(|_| true) {
            (company, needs, self.results.take_of(company))
        } else {
            return false;
        };
        let needs = if used_up { CompanyNeeds::default() } else { needs };
        let left = self.allowance.left(now);
        let max = if needs.claims() { left.min(MAX_CLAIM).min(self.slots.room_for(company)) } else { 0 };
        self.allowance.reserve(max);
        let busy = if max > 0 { self.slots.busy(company, now) } else { Vec::new() };
        let (context, deadline) = (self.context, self.deadline);
        under_way.push(Box::pin(async move {
            let results = batch.as_ref().map_or(&[] as &[_], |batch| &batch.records);
            let done = CompanyRound { context, company, results, needs, max, busy, deadline }.run().await;
            DeliveryEvent::Round { company, max, batch, done }
        }));
        true
    }

    fn after(&mut self, event: DeliveryEvent) {
        match event {
            DeliveryEvent::Found(found) => {
                self.looking = false;
                match found {
                    Ok(due) => {
                        let needs = due.iter().filter_map(|due| Some((due.company, CompanyNeeds::of(due.queue)?)));
                        self.companies.add_found(needs, self.context.now());
                    }
                    Err(error) => self.failed(error),
                }
            }
            DeliveryEvent::Round { company, max, batch, done } => {
                self.in_store -= 1;
                self.allowance.end_reservation(max, done.as_ref().map_or(0, |done| done.claims.len()));
                match done {
                    Ok(done) => self.round_done(company, batch, done),
                    Err(error) => self.round_failed(company, batch, &error),
                }
            }
            DeliveryEvent::Sent(company, record, slot) => self.sent(company, record, slot),
            DeliveryEvent::Paused => {
                self.pause = Pause::Over;
                self.results.hurry();
            }
        }
    }

    fn round_done(&mut self, company: CompanyId, batch: Option<CompanyResults>, done: RoundDone) {
        self.companies.done(company, done.left());
        if let Some(batch) = batch {
            self.results.done(&batch);
            self.wrote(company, done.written);
        }
        self.report.agrupados += done.groups;
        self.report.eventos += done.fanned_out.events;
        self.report.creadas += done.fanned_out.deliveries;
        self.progress |= done.groups + done.fanned_out.events + done.discarded > 0 || !done.claims.is_empty();
        self.slots.add(done.claims, EACH);
    }

    fn round_failed(&mut self, company: CompanyId, batch: Option<CompanyResults>, error: &Error) {
        observe::company_failed("delivery", company, error);
        self.companies.failed(company, self.context.now());
        let Some(batch) = batch else { return };
        let count = batch.records.len() as u64;
        if !self.results.failed(batch) {
            observe::attempts(observe::DELIVERIES, "lost", count);
            self.report.perdidas += count;
        }
    }

    fn sent(&mut self, company: CompanyId, record: AttemptRecord, slot: Slot) {
        let now = self.context.now();
        if let Some(attempt) = &record.attempt {
            let delivered = attempt.result.next == Next::Delivered;
            let ended =
                Ended { delivered, counts: attempt.result.counts, duration: attempt.duracion_ms, at: attempt.at };
            self.slots.finished(slot, ended);
            if self.slots.wants_more((company, record.webhook), now) {
                self.companies.add(company, CompanyNeeds { deliveries: true, ..CompanyNeeds::default() });
            }
        }
        self.progress = true;
        self.results.push(company, record);
    }

    fn wrote(&mut self, company: CompanyId, written: Written) {
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
        for webhook in written.disabled {
            // Its pending deliveries were discarded.
            self.slots.drain(Some((company, webhook)));
        }
        for webhook in written.taken {
            for claim in self.slots.drain(Some((company, webhook))) {
                self.results.push(company, handed_back(&claim));
            }
        }
    }

    /// Nothing more is claimed after an error; attempts under way are finished.
    fn failed(&mut self, error: StoreError) {
        self.failure.get_or_insert(error);
    }
}
