//! One pass over all that is to be stamped.

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::StreamExt as _;
use futures_util::future::Either;
use futures_util::stream::FuturesUnordered;
use serde::Serialize;
use uuid::Uuid;

use super::prepare::{Prepare, Prepared};
use super::settle::{Settle, Settled, Verdict};
use super::{StampRequest, Stamper};
use crate::budget::Budget;
use crate::context::Context;
use crate::domain::clock::random_bytes;
use crate::domain::company::CompanyId;
use crate::error::Error;
use crate::observe;
use crate::store::{LeasedStamping, StampingLease, StoreError};

/// How many records are out at once.
const AT_ONCE: u32 = 8;

/// What a lease has beyond the stamper's deadline: for reading what the document needs, and for writing what came of it.
const MARGIN: TimeDelta = TimeDelta::minutes(1);

/// The longest deadline that a lease goes by.
const LONGEST: TimeDelta = TimeDelta::days(1);

/// What a pass did: how many records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct StampReport {
    /// Were stamped.
    pub timbrados: u64,
    /// Were refused, or no document of them can be made.
    pub rechazados: u64,
    /// Are tried again later: the provider was not reached.
    pub pospuestos: u64,
    /// Wait for the invoice that they pay.
    pub en_espera: u64,
    /// Were settled by someone else in the meantime; what came of them here counts for nothing.
    pub perdidos: u64,
    /// Could not be read or written; they are taken up again when their lease is over.
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
            Some(Settled::Waiting) => (&mut self.en_espera, "waiting"),
            Some(Settled::Lost) => (&mut self.perdidos, "lost"),
            None => (&mut self.fallidos, "failed"),
        };
        *counter += 1;
        observe::attempts(observe::STAMPINGS, outcome, 1);
    }
}

/// Has stamped what is due when it begins, of all companies, until that is done or the budget used up.
///
/// A server calls it on a timer, a scheduled function when it likes, and several at once share the work: a record is
/// leased to one of them under a token, for longer than the stamper may take, and a result is written only as long as its
/// token stands. No transaction is open and no connection held while a stamper works. A record that fails is counted and logged, and
/// holds up no other; an error is that of the queue itself.
pub async fn stamp_due(context: &Context, stamper: &dyn Stamper, budget: Budget) -> Result<StampReport, StoreError> {
    let mut queue = Some(Queue::new(context, stamper, budget));
    let (mut report, mut failure) = (StampReport::default(), None);
    let (mut out, mut renewed) = (0, false);
    // All of it is driven together: what is out may hold the connection that asking the queue waits for.
    let mut under_way = FuturesUnordered::new();
    loop {
        if let Some(mut asked) = queue.take_if(|queue| out < AT_ONCE && (renewed || !queue.dry)) {
            // An invoice that was stamped, before or after its complements were looked at, has made them due.
            (asked.dry, renewed) = (false, false);
            under_way.push(Either::Left(asked.ask(AT_ONCE - out)));
        }
        match under_way.next().await {
            Some(Step::Leased(asked, leased)) => {
                queue = Some(asked);
                for (token, record) in leased {
                    out += 1;
                    under_way
                        .push(Either::Right(async move { Step::Done(work(context, stamper, token, record).await) }));
                }
            }
            // Nothing more is taken, and what is out is finished.
            Some(Step::Failed(error)) => failure = Some(error),
            Some(Step::Done(settled)) => {
                out -= 1;
                renewed |= matches!(settled, Some(Settled::Stamped | Settled::Waiting));
                report.count(settled);
            }
            None => return failure.map_or(Ok(report), Err),
        }
    }
}

/// A step of a pass.
enum Step<'a> {
    /// The queue was asked, and gave these.
    Leased(Queue<'a>, Vec<(Uuid, LeasedStamping)>),
    /// The queue was asked in vain.
    Failed(StoreError),
    /// A record was worked on.
    Done(Option<Settled>),
}

/// Where a pass stands in the queue.
struct Queue<'a> {
    context: &'a Context,
    budget: Budget,
    lease: TimeDelta,
    /// What was due then is taken: a pass ends even if what it postpones becomes due again before.
    due: DateTime<Utc>,
    /// The company after which the next are taken from: each in turn, so that none waits for all of another's.
    after: CompanyId,
    taken: u32,
    /// Whether nothing was left when it was last asked.
    dry: bool,
}

/// Before the first company.
const NOBODY: CompanyId = CompanyId(i64::MIN);

impl<'a> Queue<'a> {
    fn new(context: &'a Context, stamper: &dyn Stamper, budget: Budget) -> Self {
        let deadline = TimeDelta::from_std(stamper.deadline()).map_or(LONGEST, |deadline| deadline.min(LONGEST));
        Self { context, budget, lease: deadline + MARGIN, due: context.now(), after: NOBODY, taken: 0, dry: false }
    }

    /// Takes at most `free` records, with the token that they are leased under.
    async fn ask(mut self, free: u32) -> Step<'a> {
        let now = self.context.now();
        let most = free.min(self.budget.left(self.taken, now));
        if most == 0 {
            self.dry = true;
            return Step::Leased(self, Vec::new());
        }
        let token = uuid::Builder::from_random_bytes(random_bytes(self.context.random())).into_uuid();
        let lease = StampingLease { after: self.after, most, due: self.due, token, until: now + self.lease };
        let leased = match self.context.store().lease_stampings(&lease).await {
            Ok(leased) => leased,
            Err(error) => return Step::Failed(error),
        };
        let count = u32::try_from(leased.len()).unwrap_or(most);
        self.taken = self.taken.saturating_add(count);
        // At the end of the companies it goes on with the first; begun there, it has seen them all.
        self.dry = count < most && self.after == NOBODY;
        let last = leased.iter().map(|record| record.company).max();
        self.after = last.filter(|_| count == most).unwrap_or(NOBODY);
        Step::Leased(self, leased.into_iter().map(|record| (token, record)).collect())
    }
}

/// One record, from its document to what came of it; none if that could not be read or written.
async fn work(context: &Context, stamper: &dyn Stamper, token: Uuid, record: LeasedStamping) -> Option<Settled> {
    let LeasedStamping { company, factura, intentos } = record;
    let failed = |error: &Error| {
        tracing::warn!(empresa = company.0, factura, error = %error, cause = error.cause().map(tracing::field::display), "stamping failed");
    };
    let prepared = context.perform(company, &Prepare { factura, token }).await;
    let verdict = match prepared.inspect_err(failed).ok()? {
        Prepared::Document(document) => {
            // The same in all attempts, of whatever worker.
            let request = StampRequest { id: format!("{}-{factura}", company.0), document: *document };
            Verdict::from(stamper.stamp(&request).await)
        }
        Prepared::Fault(fault) => fault.into(),
        Prepared::Waits(invoice) => Verdict::Waits(invoice),
        Prepared::Lost => return Some(Settled::Lost),
    };
    let settle = Settle { factura, token, intentos, verdict };
    let settled = context.perform(company, &settle).await.inspect_err(failed).ok()?;
    if let (Settled::Lost, Verdict::Accepted(stamped)) = (settled, &settle.verdict) {
        tracing::warn!(empresa = company.0, factura, uuid = %stamped.uuid, "stamped after its lease had ended");
    }
    Some(settled)
}
