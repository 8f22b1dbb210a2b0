//! The queue of cancellations that the authority has not decided.

use async_trait::async_trait;
use chrono::TimeDelta;
use futures_util::future::BoxFuture;

use super::DocumentStatus;
use super::finish::{CancelOutcome, CancellationResult, FinishCancellation};
use super::prepare::{PrepareCancellation, PreparedCancellation};
use crate::context::{Context, Step};
use crate::domain::clock::random_uuid;
use crate::domain::company::CompanyId;
use crate::error::Error;
use crate::leases::{Lease, LeasedQueue, WorkOutcome};
use crate::observe;
use crate::operation::Cx;
use crate::stamping::provider::{StampReport, StampingProvider};
use crate::stamping::{StampFailure, Stamper};
use crate::store::{LeaseTerms, LeasedStamping, Queue, StoreError, Tx};

/// How long the authority may have no trace of a request that it received; then the request is sent
/// again.
const LOST_AFTER: TimeDelta = TimeDelta::days(4);

/// The shortest time between a request and its refusal: an earlier refusal answers an earlier
/// request, or tells how the document stood before this one.
const NOT_YET: TimeDelta = TimeDelta::minutes(2);

/// The most cancellations that [`cancel_asked`] sends.
const MAX_ASKED: u32 = 100;

/// Cancellations to be sent and followed.
pub(in crate::stamping) struct Cancellations<'a>(pub(in crate::stamping) &'a StampingProvider<'a>);

#[async_trait]
impl LeasedQueue for Cancellations<'_> {
    type Record = LeasedStamping;
    type Report = StampReport;

    fn queue(&self) -> Queue {
        Queue::Cancellations
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
        tx.lease_cancellations(terms, false)
    }

    fn clave(&self, record: &LeasedStamping) -> i64 {
        record.factura
    }

    async fn work(&self, lease: Lease, record: LeasedStamping) -> Result<WorkOutcome<StampReport>, Error> {
        Ok(counted(Some(&cancel(self.0, lease, record).await?)))
    }

    fn failed(&self) -> Option<WorkOutcome<StampReport>> {
        Some(counted(None))
    }
}

fn counted(outcome: Option<&CancelOutcome>) -> WorkOutcome<StampReport> {
    let (label, counter): (_, fn(&mut StampReport) -> &mut u64) = match outcome {
        Some(CancelOutcome::Cancelled) => ("cancelled", |report| &mut report.cancelados),
        Some(CancelOutcome::Refused { .. }) => ("rejected", |report| &mut report.cancelaciones_rechazadas),
        Some(CancelOutcome::Waiting) => ("waiting", |report| &mut report.cancelaciones_en_proceso),
        Some(CancelOutcome::Postponed) => ("postponed", |report| &mut report.pospuestos),
        Some(CancelOutcome::Held) => ("held", |report| &mut report.detenidos),
        Some(CancelOutcome::Lost) => ("lost", |report| &mut report.perdidos),
        None => ("failed", |report| &mut report.fallidos),
    };
    WorkOutcome { metric: observe::CANCELLATIONS, label, counter, more_due: false }
}

/// Works on one leased cancellation.
async fn cancel(provider: &StampingProvider<'_>, lease: Lease, record: LeasedStamping) -> Result<CancelOutcome, Error> {
    let Lease { company, token, .. } = lease;
    let LeasedStamping { factura, intentos } = record;
    let context = provider.context;
    let Some(mut prepared) = context.run_step(company, &PrepareCancellation { provider, factura, token }).await? else {
        return Ok(CancelOutcome::Lost);
    };
    prepared.request.id = provider.request_id(company, factura);
    let (sent, acuse, result) = ask(&prepared).await;
    if let CancellationResult::Failed(StampFailure::Misconfigured(why))
    | CancellationResult::Waits(Some(StampFailure::Misconfigured(why))) = &result
    {
        tracing::error!(empresa = company.0, factura, why, "a cancellation waits for an operator");
    }
    let enviada = prepared.enviada;
    let finish = FinishCancellation { factura, token, intentos, enviada, sent, acuse, result };
    context.run_step(company, &finish).await
}

/// Sends a cancellation that the authority does not have yet, and queries its status. Returns
/// whether the authority has it now, its receipt, and the outcome.
async fn ask(prepared: &PreparedCancellation<'_>) -> (bool, Option<String>, CancellationResult) {
    let PreparedCancellation { stamper, request, enviada } = prepared;
    let mut acuse = None;
    if enviada.is_none() {
        match stamper.cancel(request).await {
            Ok(receipt) => acuse = receipt.acuse,
            Err(failure) => return (false, None, CancellationResult::Failed(failure)),
        }
    }
    let since = enviada.unwrap_or(request.at);
    let result = match stamper.status(request).await {
        Ok(DocumentStatus::Cancelled) => CancellationResult::Final,
        Ok(DocumentStatus::Refused) if request.at - since >= NOT_YET => CancellationResult::Refused,
        Ok(DocumentStatus::NotCancellable) if request.at - since >= NOT_YET => {
            CancellationResult::Failed(not_cancellable())
        }
        Ok(DocumentStatus::Valid | DocumentStatus::NotFound) if request.at - since > LOST_AFTER => {
            CancellationResult::Lost
        }
        Ok(_) => CancellationResult::Waits(None),
        Err(failure) => CancellationResult::Waits(Some(failure)),
    };
    (true, acuse, result)
}

/// The refusal of a document that others relate to, as providers word it.
fn not_cancellable() -> StampFailure {
    StampFailure::Rejected {
        codigo: "no_cancelable".to_owned(),
        mensaje: "El SAT dice que no es cancelable: otros comprobantes que lo relacionan están vigentes.".to_owned(),
    }
}

/// Sends the cancellations of one company that were requested and never sent, and queries the
/// status of each once. Returns what was written, by the clave of the record. Call it after a
/// cancellation was requested, so that one that is final at once is seen at once;
/// [`crate::stamping::stamp_due`] sends and follows all others. It skips those that another worker
/// has leased. Those of a test company go to the sandbox, those of any other to `stamper`; without
/// one they wait.
pub async fn cancel_asked(
    context: &Context,
    stamper: Option<&dyn Stamper>,
    company: CompanyId,
) -> Result<Vec<(i64, CancelOutcome)>, Error> {
    let (prueba, desfase) = context.run_step(company, &TestCompany).await?;
    if stamper.is_none() && !prueba {
        return Ok(Vec::new());
    }
    let provider = StampingProvider::new(context, stamper);
    let (now, token) = (context.now(), random_uuid(context.random()));
    let until = now + provider.lease_time();
    let terms = LeaseTerms { max: MAX_ASKED, due: now, now, token, until }.ahead(desfase);
    let leased = context.call_store(company, |tx| tx.lease_cancellations(terms, true)).await?;
    if leased.is_empty() {
        return Ok(Vec::new());
    }
    provider.prepare().await?;
    let mut outcomes = Vec::with_capacity(leased.len());
    for record in leased {
        outcomes.push((record.factura, cancel(&provider, Lease { company, token, desfase }, record).await?));
    }
    Ok(outcomes)
}

/// Whether the company is a test company, and how far its clock is ahead.
struct TestCompany;

impl Step for TestCompany {
    type Output = (bool, TimeDelta);

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<(bool, TimeDelta), Error> {
        Ok((cx.company.prueba, cx.company.desfase))
    }
}
