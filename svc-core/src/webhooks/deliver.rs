//! One pass over all that is to be delivered.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use serde::Serialize;

use super::attempt::{attempt, handed_back};
use super::desk::{Ask, Turn, Written, turn, write};
use super::queue::{Key, Queue, Take, Ticket};
use super::{Budget, Sender};
use crate::context::Context;
use crate::domain::clock::random_bytes;
use crate::domain::webhook::Next;
use crate::observe;
use crate::store::{AttemptRecord, StoreError};

/// Deliveries that are claimed at once, in all and of one webhook.
const MOST: u32 = 512;
const EACH: u32 = 100;

/// Results that are written at once; fewer when there is nothing better to do.
const RESULTS: usize = 64;
const FEW_RESULTS: usize = 32;

/// What a lease has beyond the sender's deadline: for waiting until there is room, and for writing what came of it.
const MARGIN: TimeDelta = TimeDelta::seconds(52);

/// The longest deadline that a lease goes by.
const LONGEST: TimeDelta = TimeDelta::hours(1);

/// Attempts of which nothing is written yet, those that are out included: as many as are made again at the most should the
/// process die.
const UNWRITTEN: usize = 128;

/// How often a pass that is long at work looks for new events.
const LOOK: Duration = Duration::from_secs(1);

/// What a pass did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DeliveryReport {
    /// Groups that became events.
    pub agrupados: u64,
    /// Events that got their deliveries, if anyone wants to hear of them.
    pub eventos: u64,
    /// Deliveries made.
    pub creadas: u64,
    /// Deliveries that arrived.
    pub entregadas: u64,
    /// Attempts that failed, and are made again later.
    pub pospuestas: u64,
    /// Deliveries that failed for good.
    pub fallidas: u64,
    /// Attempts of which nothing was written: someone else has the delivery, or it was discarded.
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

/// Delivers what is due, of all companies, until nothing is or the budget is used up.
///
/// A server calls it on a timer (each minute, spec "Delivery"), a scheduled function when it likes, and several at once share
/// the work: a delivery is leased to one of them under a token, for longer than an attempt may take, and a result is written
/// only as long as its token stands. No transaction is open and no connection held while a request is out; none waits for
/// another. An error is that of the database; what was out is finished and, if that can be, written.
pub async fn deliver_due(context: &Context, sender: &dyn Sender, budget: Budget) -> Result<DeliveryReport, StoreError> {
    let mut pass = Pass::new(context, sender, budget);
    // All of it is driven together, so that nobody's answer waits for the database or for another's.
    let mut under_way = FuturesUnordered::new();
    loop {
        pass.begin(&mut under_way);
        // A pause alone is nothing to wait for.
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
    /// An attempt is over.
    Sent(AttemptRecord),
    /// Results were written.
    Wrote(Result<Written, StoreError>),
    /// Results were written, and more was claimed under a token until then.
    Turned(Result<Turn, StoreError>),
    /// It is time to look for new events.
    Paused,
}

/// The time between two looks for new events.
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
    queue: Queue,
    results: Vec<AttemptRecord>,
    /// How many results are being written.
    writing: usize,
    report: DeliveryReport,
    failure: Option<StoreError>,
    /// Whether the database is being asked: one thing at a time.
    asking: bool,
    /// Whether nothing else was due when more was last claimed.
    dry: bool,
    /// Whether an attempt has come back since.
    progress: bool,
    /// When new events were last looked for.
    looked: Option<DateTime<Utc>>,
    pause: Pause,
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
            queue: Queue::default(),
            results: Vec::new(),
            writing: 0,
            report: DeliveryReport::default(),
            failure: None,
            asking: false,
            dry: false,
            progress: true,
            looked: None,
            pause: Pause::None,
            taken: 0,
        }
    }

    /// Begins whatever can be begun now.
    fn begin(&mut self, under_way: &mut UnderWay<'a>) {
        let now = self.context.now();
        let (context, sender) = (self.context, self.sender);
        let stopped = self.failure.is_some() || self.budget.left(0, now) == 0;
        if stopped {
            self.results.extend(self.queue.drain(None).iter().map(handed_back));
        }
        while self.queue.out() + self.results.len() + self.writing < UNWRITTEN
            && let Some(take) = self.queue.take(now)
        {
            match take {
                Take::Send(ticket) => {
                    under_way.push(Box::pin(async move { Step::Sent(attempt(context, sender, ticket).await) }));
                }
                Take::Return(ticket) => self.results.push(handed_back(&ticket)),
            }
        }
        if self.queue.out() > 0 && self.pause == Pause::None {
            self.pause = Pause::UnderWay;
            under_way.push(Box::pin(async move {
                sender.pause(LOOK).await;
                Step::Paused
            }));
        }
        if self.asking {
            return;
        }
        let most = self.budget.left(self.taken, now).min(MOST);
        if !stopped && most > 0 && self.wants_more(now) {
            let ask = self.ask(most, now);
            let results = self.hand_in();
            under_way.push(Box::pin(async move { Step::Turned(turn(context, results, ask).await) }));
        } else if self.wants_to_write(now) {
            let results = self.hand_in();
            under_way.push(Box::pin(async move { Step::Wrote(write(context, results).await) }));
        } else {
            return;
        }
        self.asking = true;
    }

    /// Takes out the results, to be written.
    fn hand_in(&mut self) -> Vec<AttemptRecord> {
        self.writing = self.results.len();
        std::mem::take(&mut self.results)
    }

    /// Whether more could be out than is: of those who have more, of what is new after a pause, or at the end to see whether
    /// that was all.
    fn wants_more(&self, now: DateTime<Utc>) -> bool {
        let (room, of_one) = self.queue.hunger(now);
        let idle = self.queue.out() == 0 && self.queue.is_empty();
        room && (!self.dry && self.queue.is_empty() || of_one || self.pause == Pause::Over || idle && self.progress)
    }

    fn wants_to_write(&self, now: DateTime<Utc>) -> bool {
        let room = self.queue.hunger(now).0;
        match self.results.len() {
            0 => false,
            RESULTS.. => true,
            FEW_RESULTS.. if room => true,
            _ => self.queue.is_empty(),
        }
    }

    fn ask(&mut self, most: u32, now: DateTime<Utc>) -> Ask {
        let long_ago = |looked: DateTime<Utc>| (now - looked).to_std().is_ok_and(|since| since >= LOOK);
        let paused = self.pause == Pause::Over;
        let look = paused || self.queue.out() == 0 || self.looked.is_none_or(long_ago);
        if paused {
            self.pause = Pause::None;
        }
        if look {
            self.looked = Some(now);
        }
        self.progress = false;
        Ask {
            look,
            most,
            each: EACH,
            busy: self.queue.busy(now),
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
                (self.asking, self.writing) = (false, 0);
                match written {
                    Ok(written) => self.wrote(&written),
                    Err(error) => self.failed(error),
                }
            }
            Step::Turned(turned) => {
                (self.asking, self.writing) = (false, 0);
                match turned {
                    Ok(turned) => self.turned(turned),
                    Err(error) => self.failed(error),
                }
            }
        }
    }

    fn sent(&mut self, record: AttemptRecord) {
        if let Some(attempt) = &record.attempt {
            let delivered = attempt.judged.next == Next::Delivered;
            self.queue.back((record.company, record.webhook), delivered, attempt.judged.counts, attempt.at);
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

    /// What waited was discarded.
    fn forget(&mut self, key: Key) {
        self.queue.drain(Some(key));
    }

    fn turned(&mut self, turn: Turn) {
        self.wrote(&turn.written);
        self.report.agrupados += turn.groups;
        self.report.eventos += turn.fanned_out.events;
        self.report.creadas += turn.fanned_out.deliveries;
        let Ask { token, until, most, each, .. } = turn.ask;
        let count = u32::try_from(turn.claimed.len()).unwrap_or(most);
        self.taken = self.taken.saturating_add(count);
        self.dry = count < most;
        // With one lease after another there is always something under way, however little.
        self.progress |= count > 0;
        let latest = until - self.deadline;
        let ticket = |delivery| Ticket { delivery, token, latest };
        self.queue.fill(turn.claimed.into_iter().map(ticket).collect(), each);
    }

    /// Nothing more is taken, and what is out is finished.
    fn failed(&mut self, error: StoreError) {
        if self.failure.is_some() {
            tracing::warn!(%error, "results of deliveries could not be written");
        } else {
            self.failure = Some(error);
        }
    }
}
