//! One pass over the records that are due to be stamped.

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use serde::Serialize;
use uuid::Uuid;

use super::cancellation::{self, CancelOutcome};
use super::lease::lease_time;
use super::prepare::{Prepare, Prepared};
use super::settle::{Settle, Settled, Verdict};
use super::{StampFailure, StampRequest, Stamper};
use crate::budget::Budget;
use crate::context::Context;
use crate::domain::clock::random_uuid;
use crate::domain::company::CompanyId;
use crate::domain::words::Held;
use crate::error::Error;
use crate::observe;
use crate::store::{Backlog, LeasedStamping, Queue, StampingLease, StoreError, Tx, Work, transact};

/// Records worked on at once. A company gets another one while it has fewer under way than are free: half of all by itself,
/// less beside others, and none has to wait for all of another's.
const AT_ONCE: u32 = 16;

/// A provider's refusal of a document for its age, or for a date in the future.
const TOO_OLD: &str = "401";

/// What a stamping pass did, in numbers of records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StampReport {
    /// Stamped.
    pub timbrados: u64,
    /// Rejected, or unfit to make a document of.
    pub rechazados: u64,
    /// To be retried: the provider was not reached.
    pub pospuestos: u64,
    /// Waiting for a person: the provider refuses the account, or nobody can tell what became of them.
    pub detenidos: u64,
    /// Payment complements that wait for their invoice to be stamped.
    pub en_espera: u64,
    /// Cancelled, finally.
    pub cancelados: u64,
    /// Cancellations that the authority or a receiver refused.
    pub cancelaciones_rechazadas: u64,
    /// Cancellations that the authority has, and has not spoken on.
    pub cancelaciones_en_proceso: u64,
    /// Settled by another worker in the meantime; the outcome here was not written.
    pub perdidos: u64,
    /// Not read or not written, because of an error; they are due again when their lease ends.
    pub fallidos: u64,
}

impl StampReport {
    /// Whether the pass found nothing to do.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn count(&mut self, settled: Option<Settled>) {
        let (counter, outcome) = match settled {
            Some(Settled::Stamped) => (&mut self.timbrados, "stamped"),
            Some(Settled::Rejected) => (&mut self.rechazados, "rejected"),
            Some(Settled::Postponed) => (&mut self.pospuestos, "postponed"),
            Some(Settled::Held) => (&mut self.detenidos, "held"),
            Some(Settled::Waiting) => (&mut self.en_espera, "waiting"),
            Some(Settled::Lost) => (&mut self.perdidos, "lost"),
            None => (&mut self.fallidos, "failed"),
        };
        *counter += 1;
        observe::attempts(observe::STAMPINGS, outcome, 1);
    }

    fn count_cancellation(&mut self, outcome: Option<&CancelOutcome>) {
        let (counter, outcome) = match outcome {
            Some(CancelOutcome::Cancelled) => (&mut self.cancelados, "cancelled"),
            Some(CancelOutcome::Refused { .. }) => (&mut self.cancelaciones_rechazadas, "rejected"),
            Some(CancelOutcome::Waiting) => (&mut self.cancelaciones_en_proceso, "waiting"),
            Some(CancelOutcome::Postponed) => (&mut self.pospuestos, "postponed"),
            Some(CancelOutcome::Held) => (&mut self.detenidos, "held"),
            Some(CancelOutcome::Lost) => (&mut self.perdidos, "lost"),
            None => (&mut self.fallidos, "failed"),
        };
        *counter += 1;
        observe::attempts(observe::CANCELLATIONS, outcome, 1);
    }
}

/// Stamps the records that are due when it begins, of all companies, and sends and follows the cancellations that are, until all are
/// done or `budget` is used up; gives what it did.
///
/// Call it on a timer. Several passes may run at once and share the work: a record is leased to one of them under a token, for
/// longer than the stamper may take, and an outcome is written only while its token is valid. No transaction is open and no
/// connection is held while a stamper works. What is due is found by one read over all companies, and leased a company at a
/// time, in turn. A record or company that fails is logged and counted, and delays no other; the error is that of the read.
pub async fn stamp_due(context: &Context, stamper: &dyn Stamper, budget: Budget) -> Result<StampReport, StoreError> {
    let context = &context.in_background();
    let mut idle = Some(Leases::new(context, stamper, budget));
    let (mut report, mut failure) = (StampReport::default(), None);
    let mut out = Out::default();
    // Stamping an invoice makes its complements due.
    let mut more_due = true;
    // Polled together: a record under way may hold the connection that leasing waits for.
    let mut under_way = FuturesUnordered::<BoxFuture<'_, Step<'_>>>::new();
    loop {
        if let Some(leases) = idle.take_if(|leases| leases.may_lease(&out, more_due)) {
            more_due &= !leases.companies.is_empty();
            under_way.push(leases.lease(out.clone()).boxed());
        }
        match under_way.next().await {
            Some(Step::Leased(leases, records)) => {
                let installation = Arc::clone(&leases.installation);
                idle = Some(leases);
                for task in records {
                    out.begin(task.company);
                    let installation = Arc::clone(&installation);
                    let done =
                        async move { Step::Done(task.company, work(context, stamper, &installation, task).await) };
                    under_way.push(done.boxed());
                }
            }
            // Without its leases the pass takes nothing more; records under way are finished.
            Some(Step::Failed(error)) => failure = Some(error),
            Some(Step::Done(company, Done::Stamping(settled))) => {
                out.end(company);
                more_due |= matches!(settled, Some(Settled::Stamped | Settled::Waiting));
                report.count(settled);
            }
            Some(Step::Done(company, Done::Cancellation(outcome))) => {
                out.end(company);
                report.count_cancellation(outcome.as_ref());
            }
            None => break,
        }
    }
    if let Some(error) = failure {
        return Err(error);
    }
    if !report.is_empty() {
        context.held().await?;
    }
    Ok(report)
}

/// A leased record, and what is due with it.
#[derive(Clone, Copy)]
struct Task {
    company: CompanyId,
    queue: Queue,
    token: Uuid,
    record: LeasedStamping,
}

/// What came of a task; none if it failed.
enum Done {
    Stamping(Option<Settled>),
    Cancellation(Option<CancelOutcome>),
}

/// A step of a pass.
enum Step<'a> {
    /// These records were leased.
    Leased(Leases<'a>, Vec<Task>),
    /// What is due could not be found.
    Failed(StoreError),
    /// The work on a record has ended.
    Done(CompanyId, Done),
}

/// The records under way, by company.
#[derive(Debug, Clone, Default)]
struct Out {
    all: u32,
    companies: HashMap<CompanyId, u32>,
}

impl Out {
    const fn has_room(&self) -> bool {
        self.all < AT_ONCE
    }

    /// How many more a company may have.
    fn room_of(&self, company: CompanyId) -> u32 {
        let out = self.companies.get(&company).copied().unwrap_or(0);
        (AT_ONCE - self.all).saturating_sub(out).div_ceil(2)
    }

    fn begin(&mut self, company: CompanyId) {
        self.all += 1;
        *self.companies.entry(company).or_default() += 1;
    }

    fn end(&mut self, company: CompanyId) {
        self.all -= 1;
        if let Some(out) = self.companies.get_mut(&company) {
            *out -= 1;
        }
    }
}

/// What a pass leases.
struct Leases<'a> {
    context: &'a Context,
    budget: Budget,
    lease_time: TimeDelta,
    /// Only records due by then are leased, so that a pass ends even if records that it postpones become due again.
    due: DateTime<Utc>,
    /// The companies with records that are due, in their turn, and in which queue.
    companies: VecDeque<(CompanyId, Queue)>,
    /// What providers know this installation by; empty before there is anything to send.
    installation: Arc<str>,
    taken: u32,
}

impl<'a> Leases<'a> {
    fn new(context: &'a Context, stamper: &dyn Stamper, budget: Budget) -> Self {
        let (lease_time, due) = (lease_time(stamper), context.now());
        Self { context, budget, lease_time, due, companies: VecDeque::new(), installation: "".into(), taken: 0 }
    }

    /// Whether a record may be leased: of a company that is known to have more, or, if none is, of those that are to be found.
    fn may_lease(&self, out: &Out, more_due: bool) -> bool {
        let known = self.companies.iter().any(|&(company, _)| out.room_of(company) > 0);
        out.has_room() && (known || self.companies.is_empty() && more_due)
    }

    /// Leases records of the companies that are next, as many as may be under way beside those that are `out`.
    async fn lease(mut self, mut out: Out) -> Step<'a> {
        if self.companies.is_empty() && self.budget.left(self.taken, self.context.now()) > 0 {
            match self.context.due(Backlog::Stamping, self.due).await {
                Ok(due) => self.companies = due.iter().map(|due| (due.company, due.queue)).collect(),
                Err(error) => return Step::Failed(error),
            }
            if !self.companies.is_empty() && self.installation.is_empty() {
                match self.context.store().installation().await {
                    Ok(installation) => self.installation = installation.into(),
                    Err(error) => return Step::Failed(error),
                }
            }
        }
        let mut leased = Vec::new();
        for _ in 0..self.companies.len() {
            let now = self.context.now();
            let left = self.budget.left(self.taken, now);
            if left == 0 {
                self.companies.clear();
            }
            let Some((company, queue)) = self.companies.pop_front().filter(|_| out.has_room()) else { break };
            let max = out.room_of(company).min(left);
            if max == 0 {
                self.companies.push_back((company, queue));
                continue;
            }
            let token = random_uuid(self.context.random());
            let lease = StampingLease { max, due: self.due, now, token, until: now + self.lease_time };
            let records = match self.lease_of(company, queue, lease).await {
                Ok(records) => records,
                Err(error) => {
                    observe::company_failed("stamping", company, &error);
                    continue;
                }
            };
            let count = u32::try_from(records.len()).unwrap_or(max);
            self.taken = self.taken.saturating_add(count);
            if count == max {
                self.companies.push_back((company, queue));
            }
            for record in records {
                out.begin(company);
                leased.push(Task { company, queue, token, record });
            }
        }
        Step::Leased(self, leased)
    }

    async fn lease_of(
        &self,
        company: CompanyId,
        queue: Queue,
        lease: StampingLease,
    ) -> Result<Vec<LeasedStamping>, Error> {
        let (store, random) = (self.context.store(), self.context.random());
        match queue {
            Queue::Cancellations => {
                transact(store, random, company, &mut cancellation::Lease { lease, unsent: false }).await
            }
            _ => transact(store, random, company, &mut Lease(lease)).await,
        }
    }
}

struct Lease(StampingLease);

impl Work for Lease {
    type Output = Vec<LeasedStamping>;

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<Vec<LeasedStamping>, Error> {
        Ok(tx.lease_stampings(&self.0).await?)
    }
}

/// Does what is due with one record; none, and a line in the log, if it could not be read or written, or its work panicked: it is
/// due again when its lease ends.
async fn work(context: &Context, stamper: &dyn Stamper, installation: &str, task: Task) -> Done {
    let Task { company, queue, token, record } = task;
    let factura = record.factura;
    let failed = |error: &Error| {
        tracing::warn!(empresa = company.0, factura, error = %error, cause = error.cause().map(tracing::field::display), "stamping failed");
    };
    let panicked = || {
        observe::background_failed("stamping", "panic");
        tracing::error!(empresa = company.0, factura, "stamping panicked; it is tried again later");
    };
    if queue == Queue::Cancellations {
        let work = cancellation::work(context, stamper, company, installation, token, record);
        let work = AssertUnwindSafe(work).catch_unwind().await.inspect_err(|_| panicked());
        return Done::Cancellation(work.ok().and_then(|outcome| outcome.inspect_err(failed).ok()));
    }
    let work = AssertUnwindSafe(stamp(context, stamper, installation, task)).catch_unwind().await;
    let work = work.inspect_err(|_| panicked());
    Done::Stamping(work.ok().and_then(|settled| settled.inspect_err(failed).ok()))
}

/// Prepares, stamps and settles one record.
async fn stamp(context: &Context, stamper: &dyn Stamper, installation: &str, task: Task) -> Result<Settled, Error> {
    let Task { company, token, record: LeasedStamping { factura, intentos }, .. } = task;
    let verdict = match context.run(company, &Prepare { factura, token }).await? {
        Prepared::Document(xml, sent_before) => {
            // The same in all attempts, by any worker.
            let request = StampRequest::new(format!("{installation}-{}-{factura}", company.0), xml);
            let request = request.at(context.now());
            let verdict = ask(stamper, &request, sent_before).await;
            report(company, factura, &request, &verdict);
            verdict
        }
        Prepared::Fault(fault) => fault.into(),
        Prepared::Waits(invoice) => Verdict::Waits(invoice),
        Prepared::Lost => return Ok(Settled::Lost),
    };
    let settle = Settle { factura, token, intentos, verdict };
    let settled = context.run(company, &settle).await?;
    if let (Settled::Lost, Verdict::Accepted(stamped)) = (settled, &settle.verdict) {
        tracing::warn!(empresa = company.0, factura, uuid = %stamped.timbre.uuid, "stamped after its lease had ended");
    }
    Ok(settled)
}

/// Has a document stamped. That it is too old says nothing of what became of it when it was sent before, so that is asked.
async fn ask(stamper: &dyn Stamper, request: &StampRequest, sent_before: bool) -> Verdict {
    let answer = stamper.stamp(request).await;
    let too_old = matches!(&answer, Err(StampFailure::Rejected { codigo, .. }) if codigo == TOO_OLD);
    if !(too_old && sent_before) {
        return answer.into();
    }
    match stamper.earlier(request).await {
        Ok(Some(earlier)) => Verdict::Accepted(earlier),
        Ok(None) => Verdict::Redate,
        Err(failure) => Err(failure).into(),
    }
}

/// Reports to operators what waits for them, and what will.
fn report(company: CompanyId, factura: i64, request: &StampRequest, verdict: &Verdict) {
    let empresa = company.0;
    match verdict {
        Verdict::Held(Held::Stuck, why) => {
            tracing::error!(
                empresa,
                factura,
                why,
                "nobody can tell whether a document was stamped: it waits for invoice.restamp with forzar"
            );
        }
        Verdict::Held(Held::Misconfigured, why) => {
            tracing::error!(empresa, factura, why, "the stamping provider refuses the account; documents wait");
        }
        Verdict::Unreachable(why) if request.is_old() => {
            tracing::error!(empresa, factura, why, "a document's fate is unknown, and soon too old to be found out");
        }
        _ => {}
    }
}
