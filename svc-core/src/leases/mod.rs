//! The engine of leased work: find, lease, do, finish. Stampings, cancellations and e-mails are
//! queues on it.
//!
//! 1. **Find.** One lock-free read finds the companies that have work in any queue of a backlog
//!    ([`Context::due`]).
//! 2. **Lease.** One short transaction leases a few records of one company, under a token, for
//!    longer than the work takes. Companies are served round-robin ([`FairQueue`]), so that a
//!    backlog, an error or a locked row delays only its own company.
//! 3. **Do.** The work goes on outside any transaction, and beside other work.
//! 4. **Finish.** A transaction writes the outcome if the token still holds the record. What is not
//!    finished, because of an error, a panic or the end of the process, is due again when its lease
//!    ends. Work that lasts longer than its lease is dropped.
//!
//! Several passes may run at once, in any number of processes. [`crate::webhooks::deliver_due`]
//! shares the finding, the round-robin, the terms of leases and the budget, but has a loop of its
//! own: its attempts are scheduled by webhook and host rather than by company, and one transaction
//! of a company writes the results of many attempts, makes new deliveries and leases them.

mod fair_queue;

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::time::timeout;
use uuid::Uuid;

pub(crate) use fair_queue::{FairQueue, Need};

use crate::budget::{Allowance, Budget};
use crate::context::Context;
use crate::domain::clock::random_uuid;
use crate::domain::company::CompanyId;
use crate::error::Error;
use crate::observe;
use crate::store::{Backlog, LeaseTerms, Queue, StoreError, Tx};

/// What distinguishes one queue of leased work from another.
#[async_trait]
pub(crate) trait LeasedQueue: Send + Sync {
    type Record: Send;
    /// The counts of a pass.
    type Report: Default + Send;

    fn queue(&self) -> Queue;

    /// How long a lease lasts: longer than [`Self::work`] takes.
    fn lease_time(&self) -> TimeDelta;

    /// Reads what a pass needs, once, if it has found work.
    async fn prepare(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Leases records of the transaction's company.
    fn lease<'t>(&self, tx: &'t mut dyn Tx, terms: LeaseTerms) -> BoxFuture<'t, Result<Vec<Self::Record>, StoreError>>;

    /// The record's clave, for the log.
    fn clave(&self, record: &Self::Record) -> i64;

    /// Does the work on a record outside any transaction, and writes the outcome under the lease's
    /// token.
    async fn work(&self, lease: Lease, record: Self::Record) -> Result<WorkOutcome<Self::Report>, Error>;

    /// The outcome of work that failed or panicked, and was not written.
    fn failed(&self) -> Option<WorkOutcome<Self::Report>>;
}

/// The lease of a record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lease {
    pub(crate) company: CompanyId,
    pub(crate) token: Uuid,
    /// How far the company's clock is ahead.
    pub(crate) desfase: TimeDelta,
}

/// How an outcome is counted.
pub(crate) struct WorkOutcome<R> {
    /// The metric, and its label for this outcome.
    pub(crate) metric: &'static str,
    pub(crate) label: &'static str,
    /// The counter in the report.
    pub(crate) counter: fn(&mut R) -> &mut u64,
    /// Whether it may have made other records due.
    pub(crate) more_due: bool,
}

/// How much a pass does at once.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    /// How many more records of a company may be leased, beside `all` records leased and `own` of
    /// the company.
    pub(crate) room: fn(all: u32, own: u32) -> u32,
    /// Records worked on at once; the others that are leased wait.
    pub(crate) at_once: u32,
}

/// A pass over the queues of a backlog.
pub(crate) struct LeasedPass<'a, Q: ?Sized> {
    pub(crate) context: &'a Context,
    pub(crate) backlog: Backlog,
    pub(crate) queues: &'a [&'a Q],
    pub(crate) pace: Pace,
    pub(crate) budget: Budget,
}

impl<Q: LeasedQueue + ?Sized> LeasedPass<'_, Q> {
    /// Does the work of all companies that is due when the pass begins, until it is done or the
    /// budget is used up. Returns the counts. Records and companies that fail are logged and
    /// counted. Returns an error, after the work in progress has ended, if due work could not be
    /// found.
    pub(crate) async fn run(self) -> Result<Q::Report, StoreError> {
        let Self { context, backlog, queues, pace, budget } = self;
        let mut idle = Some(Leasing::new(context, backlog, queues, pace, budget));
        let (mut report, mut failure) = (Q::Report::default(), None);
        let (mut leased, mut waiting, mut at_work) = (Leased::default(), VecDeque::new(), 0);
        let mut more_due = true;
        // Polled together: a record under way may hold the connection that leasing waits for.
        let mut under_way = FuturesUnordered::<BoxFuture<'_, LeaseEvent<'_, Q>>>::new();
        loop {
            if let Some(leasing) = idle.take_if(|leasing| leasing.may_lease(&leased, more_due)) {
                more_due &= !leasing.companies.is_empty();
                under_way.push(leasing.lease(leased.clone()).boxed());
            }
            while at_work < pace.at_once
                && let Some(task) = waiting.pop_front()
            {
                at_work += 1;
                under_way.push(work_on(backlog, task).boxed());
            }
            match under_way.next().await {
                Some(LeaseEvent::Leased(leasing, tasks)) => {
                    idle = Some(*leasing);
                    for task in tasks {
                        leased.begin(task.lease.company);
                        waiting.push_back(task);
                    }
                }
                // Leases nothing more, and finishes the leased records.
                Some(LeaseEvent::Failed(error)) => failure = Some(error),
                Some(LeaseEvent::Done(company, outcome)) => {
                    at_work -= 1;
                    leased.end(company);
                    if let Some(WorkOutcome { metric, label, counter, more_due: more }) = outcome {
                        more_due |= more;
                        *counter(&mut report) += 1;
                        observe::attempts(metric, label, 1);
                    }
                }
                None => return failure.map_or(Ok(report), Err),
            }
        }
    }
}

/// A leased record and its queue.
struct Task<'a, Q: LeasedQueue + ?Sized> {
    queue: &'a Q,
    lease: Lease,
    record: Q::Record,
}

/// A step that has ended.
enum LeaseEvent<'a, Q: LeasedQueue + ?Sized> {
    /// These records were leased.
    Leased(Box<Leasing<'a, Q>>, Vec<Task<'a, Q>>),
    /// The search for due work failed.
    Failed(StoreError),
    /// The work on a company's record has ended.
    Done(CompanyId, Option<WorkOutcome<Q::Report>>),
}

async fn work_on<Q: LeasedQueue + ?Sized>(backlog: Backlog, task: Task<'_, Q>) -> LeaseEvent<'_, Q> {
    let Task { queue, lease, record } = task;
    let (work, empresa, clave) = (backlog.name(), lease.company.0, queue.clave(&record));
    // A host's provider may never answer.
    let longest = queue.lease_time().to_std().unwrap_or_default();
    let outcome = match timeout(longest, AssertUnwindSafe(queue.work(lease, record)).catch_unwind()).await {
        Ok(Ok(Ok(outcome))) => Some(outcome),
        Ok(Ok(Err(error))) => {
            let cause = error.cause().map(tracing::field::display);
            tracing::warn!(work, empresa, clave, %error, cause, "a record failed; it is due again when its lease ends");
            queue.failed()
        }
        Ok(Err(_)) => {
            observe::background_failed(work, "panic");
            tracing::error!(work, empresa, clave, "the work on a record panicked; it is tried again later");
            queue.failed()
        }
        Err(_) => {
            observe::background_failed(work, "late");
            tracing::error!(work, empresa, clave, "the work on a record outlasted its lease; it is tried again");
            queue.failed()
        }
    };
    LeaseEvent::Done(lease.company, outcome)
}

/// The leased records by company, including those that wait.
#[derive(Debug, Clone, Default)]
struct Leased {
    all: u32,
    companies: HashMap<CompanyId, u32>,
}

impl Leased {
    /// How many more a company may have.
    fn room_of(&self, company: CompanyId, pace: Pace) -> u32 {
        (pace.room)(self.all, self.companies.get(&company).copied().unwrap_or(0))
    }

    /// Whether a company without leased records may get any.
    fn has_room(&self, pace: Pace) -> bool {
        (pace.room)(self.all, 0) > 0
    }

    fn begin(&mut self, company: CompanyId) {
        self.all += 1;
        *self.companies.entry(company).or_default() += 1;
    }

    fn end(&mut self, company: CompanyId) {
        self.all -= 1;
        if let Some(own) = self.companies.get_mut(&company) {
            *own -= 1;
        }
    }
}

/// How far a company's clock is ahead.
#[derive(Debug, Clone, Copy)]
struct ClockAhead(TimeDelta);

impl Need for ClockAhead {
    /// A clock only moves forward.
    fn and(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }
}

/// The search and the leases of a pass, one step at a time.
struct Leasing<'a, Q: ?Sized> {
    context: &'a Context,
    backlog: Backlog,
    queues: &'a [&'a Q],
    pace: Pace,
    allowance: Allowance,
    /// Only records due by then, by the company's clock, are leased, so that a pass ends even if
    /// records that it postpones become due again.
    due: DateTime<Utc>,
    companies: FairQueue<(CompanyId, Queue), ClockAhead>,
    prepared: bool,
}

impl<'a, Q: LeasedQueue + ?Sized> Leasing<'a, Q> {
    fn new(context: &'a Context, backlog: Backlog, queues: &'a [&'a Q], pace: Pace, budget: Budget) -> Self {
        let (allowance, due, companies) = (Allowance::new(budget), context.now(), FairQueue::default());
        Self { context, backlog, queues, pace, allowance, due, companies, prepared: false }
    }

    /// Whether to lease now: from companies that are known to have work, or after a new search.
    fn may_lease(&self, leased: &Leased, more_due: bool) -> bool {
        let known = self.companies.any(|&(company, _)| leased.room_of(company, self.pace) > 0);
        leased.has_room(self.pace) && (known || self.companies.is_empty() && more_due)
    }

    /// Leases records of the next companies, up to the number allowed beside those already
    /// `leased`.
    async fn lease(mut self, mut leased: Leased) -> LeaseEvent<'a, Q> {
        if self.companies.is_empty()
            && self.allowance.left(self.context.now()) > 0
            && let Err(error) = self.find().await
        {
            return LeaseEvent::Failed(error);
        }
        let mut tasks = Vec::new();
        loop {
            let now = self.context.now();
            let left = self.allowance.left(now);
            if left == 0 {
                self.companies.clear();
            }
            let pace = self.pace;
            let Some((key, ahead)) = self.companies.next(|&(company, _)| leased.room_of(company, pace) > 0) else {
                break;
            };
            let (company, queue) = key;
            let Some(queue) = self.queues.iter().copied().find(|known| known.queue() == queue) else { continue };
            let max = leased.room_of(company, pace).min(left);
            let token = random_uuid(self.context.random());
            let (ClockAhead(desfase), until) = (ahead, now + queue.lease_time());
            let terms = LeaseTerms { max, due: self.due, now, token, until }.ahead(desfase);
            match self.context.call_store(company, |tx| queue.lease(tx, terms)).await {
                Ok(records) => {
                    self.allowance.take(records.len());
                    self.companies.done(key, (records.len() >= max as usize).then_some(ahead));
                    for record in records {
                        leased.begin(company);
                        tasks.push(Task { queue, lease: Lease { company, token, desfase }, record });
                    }
                }
                Err(error) => {
                    observe::company_failed(self.backlog.name(), company, &error);
                    self.companies.failed(key, now);
                }
            }
        }
        LeaseEvent::Leased(Box::new(self), tasks)
    }

    /// Finds the companies that have records due, by queue.
    async fn find(&mut self) -> Result<(), StoreError> {
        let due = self.context.due(self.backlog, self.due).await?;
        self.companies
            .add_found(due.iter().map(|due| ((due.company, due.queue), ClockAhead(due.desfase))), self.context.now());
        if !self.prepared && !self.companies.is_empty() {
            for queue in self.queues {
                queue.prepare().await?;
            }
            self.prepared = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue whose work never ends.
    struct Endless;

    #[async_trait]
    impl LeasedQueue for Endless {
        type Record = i64;
        type Report = u64;

        fn queue(&self) -> Queue {
            Queue::Mails
        }

        fn lease_time(&self) -> TimeDelta {
            TimeDelta::milliseconds(20)
        }

        fn lease<'t>(&self, _: &'t mut dyn Tx, _: LeaseTerms) -> BoxFuture<'t, Result<Vec<i64>, StoreError>> {
            Box::pin(async { Ok(Vec::new()) })
        }

        fn clave(&self, record: &i64) -> i64 {
            *record
        }

        async fn work(&self, _: Lease, _: i64) -> Result<WorkOutcome<u64>, Error> {
            std::future::pending().await
        }

        fn failed(&self) -> Option<WorkOutcome<u64>> {
            Some(WorkOutcome { metric: "m", label: "failed", counter: |report| report, more_due: false })
        }
    }

    #[tokio::test]
    async fn work_that_never_ends_is_dropped_with_its_lease() {
        let lease = Lease { company: CompanyId(1), token: Uuid::nil(), desfase: TimeDelta::zero() };
        let event = work_on(Backlog::Mail, Task { queue: &Endless, lease, record: 7 });
        let ended = timeout(std::time::Duration::from_secs(5), event).await.expect("it ends");
        assert!(matches!(ended, LeaseEvent::Done(CompanyId(1), Some(WorkOutcome { label: "failed", .. }))));
    }
}
