//! The queue of documents to be stamped.

use async_trait::async_trait;
use chrono::TimeDelta;
use futures_util::future::BoxFuture;
use uuid::Uuid;

use super::finish::{FinishStamping, StampingOutcome, StampingResult};
use super::prepare::{AskedDocument, PrepareStamping, PreparedStamping, ReadyDocument};
use super::provider::{ASKED, StampReport, StampingProvider};
use super::{StampFailure, StampRequest, Stamper};
use crate::context::UnsealedDocument;
use crate::domain::company::CompanyId;
use crate::domain::words::Held;
use crate::error::Error;
use crate::leases::{Lease, LeasedQueue, WorkOutcome};
use crate::observe;
use crate::store::{LeaseTerms, LeasedStamping, Queue, StoreError, Tx};

/// A provider's refusal of a document for its age, or for a date in the future.
const TOO_OLD: &str = "401";

/// Documents to be stamped.
pub(super) struct Stampings<'a>(pub(super) &'a StampingProvider<'a>);

#[async_trait]
impl LeasedQueue for Stampings<'_> {
    type Record = LeasedStamping;
    type Report = StampReport;

    fn queue(&self) -> Queue {
        Queue::Stampings
    }

    fn lease_time(&self) -> TimeDelta {
        self.0.lease_time()
    }

    async fn prepare(&self) -> Result<(), StoreError> {
        self.0.prepare().await
    }

    fn lease<'t>(
        &self,
        tx: &'t mut dyn Tx,
        terms: LeaseTerms,
    ) -> BoxFuture<'t, Result<Vec<LeasedStamping>, StoreError>> {
        tx.lease_stampings(terms)
    }

    fn clave(&self, record: &LeasedStamping) -> i64 {
        record.factura
    }

    async fn work(&self, lease: Lease, record: LeasedStamping) -> Result<WorkOutcome<StampReport>, Error> {
        let Lease { company, token, desfase } = lease;
        let LeasedStamping { factura, intentos } = record;
        let provider = self.0;
        let context = provider.context;
        let result = match prepared(provider, company, factura, token).await? {
            PreparedStamping::Document(ReadyDocument { xml, sent_before, stamper }) => {
                let request = StampRequest::new(provider.request_id(company, factura), xml).at(context.now() + desfase);
                let request = request.read_on(context.compute(), company);
                let result = stamp(stamper, &request, sent_before).await;
                report_to_operators(company, factura, &request, &result);
                result
            }
            PreparedStamping::Fault(fault) => fault.into(),
            PreparedStamping::Unattached(fault) => fault.into(),
            PreparedStamping::Ask(_) => {
                StampingResult::Unreachable("the document changed while the host was asked about it".to_owned())
            }
            PreparedStamping::Waits(invoice) => StampingResult::Waits(invoice),
            PreparedStamping::Lost => return Ok(counted(Some(StampingOutcome::Lost))),
        };
        let finish = FinishStamping { factura, token, intentos, result };
        let outcome = context.run_step(company, &finish).await?;
        if let (StampingOutcome::Lost, StampingResult::Accepted(stamped)) = (outcome, &finish.result) {
            tracing::warn!(empresa = company.0, factura, uuid = %stamped.timbre.uuid, "stamped after its lease had ended");
        }
        Ok(counted(Some(outcome)))
    }

    fn failed(&self) -> Option<WorkOutcome<StampReport>> {
        Some(counted(None))
    }
}

/// Prepares a leased record. The host is asked what it adds between two transactions, and once more
/// if the document changed meanwhile.
async fn prepared<'a>(
    provider: &'a StampingProvider<'a>,
    company: CompanyId,
    factura: i64,
    token: Uuid,
) -> Result<PreparedStamping<'a>, Error> {
    let context = provider.context;
    let mut parts = None;
    for _ in 0..ASKED {
        let step = PrepareStamping { provider, factura, token, parts: parts.as_ref() };
        let asked = match context.run_step(company, &step).await? {
            PreparedStamping::Ask(asked) => *asked,
            other => return Ok(other),
        };
        let AskedDocument { tipo, venta, cliente, document } = asked;
        let about = UnsealedDocument { company, factura, tipo, venta, cliente, document: &document };
        match context.attach(&about).await {
            Ok(given) => parts = Some((document, given)),
            Err(fault) => return Ok(PreparedStamping::Unattached(fault)),
        }
    }
    let step = PrepareStamping { provider, factura, token, parts: parts.as_ref() };
    context.run_step(company, &step).await
}

fn counted(outcome: Option<StampingOutcome>) -> WorkOutcome<StampReport> {
    let (label, counter): (_, fn(&mut StampReport) -> &mut u64) = match outcome {
        Some(StampingOutcome::Stamped) => ("stamped", |report| &mut report.timbrados),
        Some(StampingOutcome::Rejected) => ("rejected", |report| &mut report.rechazados),
        Some(StampingOutcome::Postponed) => ("postponed", |report| &mut report.pospuestos),
        Some(StampingOutcome::Held) => ("held", |report| &mut report.detenidos),
        Some(StampingOutcome::Waiting) => ("waiting", |report| &mut report.en_espera),
        Some(StampingOutcome::Lost) => ("lost", |report| &mut report.perdidos),
        None => ("failed", |report| &mut report.fallidos),
    };
    // Stamping an invoice makes its complements due.
    let more_due = matches!(outcome, Some(StampingOutcome::Stamped | StampingOutcome::Waiting));
    WorkOutcome { metric: observe::STAMPINGS, label, counter, more_due }
}

/// Has a document stamped. If it was sent before and is now refused for its age, queries what
/// became of it then.
async fn stamp(stamper: &dyn Stamper, request: &StampRequest, sent_before: bool) -> StampingResult {
    let answer = stamper.stamp(request).await;
    let too_old = matches!(&answer, Err(StampFailure::Rejected { codigo, .. }) if codigo == TOO_OLD);
    if !(too_old && sent_before) {
        return answer.into();
    }
    match stamper.earlier(request).await {
        Ok(Some(earlier)) => StampingResult::Accepted(earlier),
        Ok(None) => StampingResult::Redate,
        Err(failure) => Err(failure).into(),
    }
}

/// Logs what waits for an operator, and what soon will.
fn report_to_operators(company: CompanyId, factura: i64, request: &StampRequest, result: &StampingResult) {
    let empresa = company.0;
    match result {
        StampingResult::Held(Held::Stuck, why) => {
            tracing::error!(
                empresa,
                factura,
                why,
                "nobody can tell whether a document was stamped: it waits for invoice.restamp with forzar"
            );
        }
        StampingResult::Held(Held::Misconfigured, why) => {
            tracing::error!(empresa, factura, why, "the stamping provider refuses the account; documents wait");
        }
        StampingResult::Unreachable(why) if request.is_old() => {
            tracing::error!(empresa, factura, why, "a document's fate is unknown, and soon too old to be found out");
        }
        _ => {}
    }
}
