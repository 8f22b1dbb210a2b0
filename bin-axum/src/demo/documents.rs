//! Creates the documents of the demo's last three months: invoices and payment complements as XML
//! and PDF.
//!
//! The import takes no documents. So the registry's records of these months are imported as
//! rejected (`error`) and then reissued like corrected ones, with a clock set to their date.
//! Records with a `motivo_cancelacion` are cancelled afterwards.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use svc_core::domain::clock::Clock;
use svc_core::domain::company::CompanyId;
use svc_core::domain::words::CancellationReason;
use svc_core::operations::import::Resource;
use svc_core::operations::{CancelInvoice, ReissueInvoice, ReissuePayment};
use svc_core::stamping::{Budget, stamp_due};
use svc_core::{Context, ContextError, Error};

use tokio::task::JoinSet;

use super::data::{Calendar, Record, records};
use crate::failure::Failure;

/// How old a document may be by the clock: providers refuse documents from 72 hours on, and
/// stamping redates them an hour earlier.
const OLDEST: TimeDelta = TimeDelta::hours(70);

/// A registry record without its document.
#[derive(Debug, Clone, Copy)]
struct Document {
    factura: i64,
    /// The payment, if it is a complement.
    pago: Option<i64>,
    issued: DateTime<Utc>,
    is_cancelled: bool,
}

/// A clock that stands still.
struct Stopped(DateTime<Utc>);

impl Clock for Stopped {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}

/// Stamps all of them, the earliest first; `context_at` builds a context with that clock.
pub(super) async fn stamp(
    context_at: impl Fn(Arc<dyn Clock>) -> Result<Context, ContextError>,
    company: CompanyId,
    calendar: &Calendar,
) -> Result<(), Failure> {
    let mut documents = documents(calendar).map_err(Failure::io("the demo's data"))?;
    documents.sort_by_key(|document| document.issued);
    let mut left = documents.as_slice();
    while let Some(first) = left.first() {
        let end = left.partition_point(|document| document.issued - first.issued < OLDEST);
        let (batch, rest) = left.split_at(end);
        let last = batch.last().unwrap_or(first);
        let context = context_at(Arc::new(Stopped(last.issued)))?;
        stamp_batch(&context, company, batch).await?;
        left = rest;
    }
    Ok(())
}

async fn stamp_batch(context: &Context, company: CompanyId, batch: &[Document]) -> Result<(), Failure> {
    let mut queued = JoinSet::new();
    for &document in batch {
        let context = context.clone();
        queued.spawn(async move { document.queue(&context, company).await });
    }
    for queued in queued.join_all().await {
        queued?;
    }
    pass(context).await?;
    let cancelled: Vec<i64> =
        batch.iter().filter(|document| document.is_cancelled).map(|document| document.factura).collect();
    for &factura in &cancelled {
        let (motivo, uuid_sustitucion, requiere_aceptacion) = (CancellationReason::Wrong, None, None);
        let cancel = CancelInvoice { factura, motivo, uuid_sustitucion, requiere_aceptacion };
        context.run(company, &cancel).await?;
    }
    if cancelled.is_empty() { Ok(()) } else { pass(context).await }
}

impl Document {
    /// Builds the document from the imported records and queues it for stamping.
    async fn queue(self, context: &Context, company: CompanyId) -> Result<(), Error> {
        match self.pago {
            Some(pago) => context.run(company, &ReissuePayment { pago, forzar: None }).await.map(drop),
            None => context.run(company, &ReissueInvoice { factura: self.factura, forzar: None }).await.map(drop),
        }
    }
}

/// One pass over what waits for a stamp or a cancellation.
pub(super) async fn pass(context: &Context) -> Result<(), Failure> {
    let report = stamp_due(context, None, Budget::unlimited()).await?;
    tracing::debug!(?report, "demo documents");
    Ok(())
}

fn documents(calendar: &Calendar) -> io::Result<Vec<Document>> {
    let payments = records(Resource::CxcPagos, calendar.clone()).zip(1..);
    let of_complement = |(record, pago): (io::Result<_>, i64)| {
        let factura = record.map(|record: Record| record.get("factura").and_then(Value::as_i64));
        factura.map(|factura| Some((factura?, pago))).transpose()
    };
    let payments: HashMap<i64, i64> = payments.filter_map(of_complement).collect::<io::Result<_>>()?;
    let mut documents = Vec::new();
    for (record, factura) in records(Resource::Facturas, calendar.clone()).zip(1..) {
        let record = record?;
        if record.get("estatus").and_then(Value::as_str) == Some("error") {
            let issued = record.get("fecha").and_then(|fecha| fecha.as_str()?.parse().ok());
            documents.push(Document {
                factura,
                pago: payments.get(&factura).copied(),
                issued: issued.ok_or_else(|| io::Error::other("facturas: fecha"))?,
                is_cancelled: record.contains_key("motivo_cancelacion"),
            });
        }
    }
    Ok(documents)
}
