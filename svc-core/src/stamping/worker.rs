//! One pass over the records that are due to be stamped.

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
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

/// Records worked on at once.
const AT_ONCE: u32 = 8;

/// How long a lease lasts beyond the stamper's deadline: time to read the record and to write the outcome.
const MARGIN: TimeDelta = TimeDelta::minutes(1);

/// The longest deadline of a stamper that a lease takes into account.
const LONGEST: TimeDelta = TimeDelta::days(1);

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
    /// Payment complements that wait for their invoice to be stamped.
    pub en_espera: u64,
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
            Some(Settled::Waiting) => (&mut self.en_espera, "waiting"),
            Some(Settled::Lost) => (&mut self.perdidos, "lost"),
            None => (&mut self.fallidos, "failed"),
        };
        *counter += 1;
        observe::attempts(observe::STAMPINGS, outcome, 1);
    }
}

/// Stamps the records that are due when it begins, of all companies, until all are done or `budget` is used up; gives what it
/// did.
///
/// Call it on a timer. Several passes may run at once and share the work: a record is leased to one of them under a token, for
/// longer than the stamper may take, and an outcome is written only while its token is valid. No transaction is open and no
/// connection is held while a stamper works. A record that fails is logged and counted, and delays no other; the error is that
/// of leasing records.
pub async fn stamp_due(context: &Context, stamper: &dyn Stamper, budget: Budget) -> Result<StampReport, StoreError> {
    let context = &context.in_background();
    let mut idle = Some(LeaseCursor::new(context, stamper, budget));
    let (mut report, mut failure) = (StampReport::default(), None);
    let (mut out, mut more_due) = (0, false);
    // Polled together: a record under way may hold the connection that leasing waits for.
    let mut under_way = FuturesUnordered::<BoxFuture<'_, Step<'_>>>::new();
    loop {
        if let Some(mut cursor) = idle.take_if(|cursor| out < AT_ONCE && (more_due || !cursor.exhausted)) {
            // Stamping an invoice makes its complements due.
            (cursor.exhausted, more_due) = (false, false);
            under_way.push(cursor.lease(AT_ONCE - out).boxed());
        }
        match under_way.next().await {
            Some(Step::Leased(cursor, leased)) => {
                idle = Some(cursor);
                for (token, record) in leased {
                    out += 1;
                    under_way.push(async move { Step::Done(work(context, stamper, token, record).await) }.boxed());
                }
            }
            // Without its cursor the pass leases nothing more; records under way are finished.
            Some(Step::Failed(error)) => failure = Some(error),
            Some(Step::Done(settled)) => {
                out -= 1;
                more_due |= matches!(settled, Some(Settled::Stamped | Settled::Waiting));
                report.count(settled);
            }
            None => return failure.map_or(Ok(report), Err),
        }
    }
}

/// A step of a pass.
enum Step<'a> {
    /// These records were leased, under these tokens.
    Leased(LeaseCursor<'a>, Vec<(Uuid, LeasedStamping)>),
    /// Leasing failed.
    Failed(StoreError),
    /// The work on a record has ended; none if it failed.
    Done(Option<Settled>),
}

/// How far a pass has leased records.
struct LeaseCursor<'a> {
    context: &'a Context,
    budget: Budget,
    lease_time: TimeDelta,
    /// Only records due by then are leased, so that a pass ends even if records that it postpones become due again.
    due: DateTime<Utc>,
    /// The last company leased from: companies are served round-robin, so that none waits for all records of another.
    after: CompanyId,
    taken: u32,
    /// Whether the last lease got all that was due.
    exhausted: bool,
}

/// Before the first company.
const BEFORE_ALL: CompanyId = CompanyId(i64::MIN);

impl<'a> LeaseCursor<'a> {
    fn new(context: &'a Context, stamper: &dyn Stamper, budget: Budget) -> Self {
        let deadline = TimeDelta::from_std(stamper.deadline()).map_or(LONGEST, |deadline| deadline.min(LONGEST));
        Self {
            context,
            budget,
            lease_time: deadline + MARGIN,
            due: context.now(),
            after: BEFORE_ALL,
            taken: 0,
            exhausted: false,
        }
    }

    /// Leases at most `free` records under a new token.
    async fn lease(mut self, free: u32) -> Step<'a> {
        let now = self.context.now();
        let most = free.min(self.budget.left(self.taken, now));
        if most == 0 {
            self.exhausted = true;
            return Step::Leased(self, Vec::new());
        }
        let token = uuid::Builder::from_random_bytes(random_bytes(self.context.random())).into_uuid();
        let lease = StampingLease { after: self.after, most, due: self.due, token, until: now + self.lease_time };
        let leased = match self.context.store().lease_stampings(&lease).await {
            Ok(leased) => leased,
            Err(error) => return Step::Failed(error),
        };
        let count = u32::try_from(leased.len()).unwrap_or(most);
        self.taken = self.taken.saturating_add(count);
        // After the last company it continues with the first; if a batch from there is not full, nothing else is due.
        self.exhausted = count < most && self.after == BEFORE_ALL;
        let last = leased.iter().map(|record| record.company).max();
        self.after = last.filter(|_| count == most).unwrap_or(BEFORE_ALL);
        Step::Leased(self, leased.into_iter().map(|record| (token, record)).collect())
    }
}

/// Prepares, stamps and settles one record; none, and a line in the log, if it could not be read or written.
async fn work(context: &Context, stamper: &dyn Stamper, token: Uuid, record: LeasedStamping) -> Option<Settled> {
    let LeasedStamping { company, factura, intentos } = record;
    let failed = |error: &Error| {
        tracing::warn!(empresa = company.0, factura, error = %error, cause = error.cause().map(tracing::field::display), "stamping failed");
    };
    let prepared = context.perform(company, &Prepare { factura, token }).await;
    let verdict = match prepared.inspect_err(failed).ok()? {
        Prepared::Document(document) => {
            // The same in all attempts, by any worker.
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
