//! One pass over the documents to be stamped and the cancellations to be sent and followed.

use std::sync::OnceLock;

use chrono::TimeDelta;
use serde::Serialize;

use super::Stamper;
use super::cancellation::Cancellations;
use super::stampings::Stampings;
use crate::budget::Budget;
use crate::context::Context;
use crate::domain::company::CompanyId;
use crate::leases::{LeasedPass, LeasedQueue, Pace};
use crate::store::{Backlog, LeasedStamping, StoreError};

/// How long a lease lasts beyond two calls of the stamper: time to read the record and to write the outcome.
const MARGIN: TimeDelta = TimeDelta::minutes(1);

/// The longest deadline of a stamper that a lease takes into account.
const MAX_DEADLINE: TimeDelta = TimeDelta::days(1);

/// Records worked on at once. A company gets another one while it has fewer under way than are free: half of all by itself,
/// less beside others, and none has to wait for all of another's.
const AT_ONCE: u32 = 16;

const PACE: Pace =
    Pace { room: |all, own| AT_ONCE.saturating_sub(all).saturating_sub(own).div_ceil(2), at_once: AT_ONCE };

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
    /// Finished by another worker in the meantime; the outcome here was not written.
    pub perdidos: u64,
    /// Not read or not written, because of an error; they are due again when their lease ends.
    pub fallidos: u64,
}

impl StampReport {
    /// Whether the pass found nothing to do.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Stamps the records that are due when it begins, of all companies, and sends and follows the cancellations that are, until all are
/// done or `budget` is used up; gives what it did.
///
/// Call it on a timer. Several passes may run at once and share the work: a record is leased to one of them under a token, for
/// longer than the stamper may take, and an outcome is written only while its token is valid. No transaction is open and no
/// connection is held while a stamper works. What is due is found by one read over all companies, and leased one company at a
/// time, round-robin. A record or company that fails is logged and counted, and delays no other; the error is that of the read.
pub async fn stamp_due(context: &Context, stamper: &dyn Stamper, budget: Budget) -> Result<StampReport, StoreError> {
    let context = &context.in_background();
    let provider = Provider { context, stamper, installation: OnceLock::new() };
    let queues: [&dyn LeasedQueue<Record = LeasedStamping, Report = StampReport>; 2] =
        [&Stampings(&provider), &Cancellations(&provider)];
    let pass = LeasedPass { context, backlog: Backlog::Stamping, queues: &queues, pace: PACE, budget };
    let report = pass.run().await?;
    if !report.is_empty() {
        context.held().await?;
    }
    Ok(report)
}

/// The provider, and what it knows this installation by.
pub(super) struct Provider<'a> {
    pub(super) context: &'a Context,
    pub(super) stamper: &'a dyn Stamper,
    pub(super) installation: OnceLock<String>,
}

impl Provider<'_> {
    /// Reads the installation's name, which requests need.
    pub(super) async fn prepare(&self) -> Result<(), StoreError> {
        if self.installation.get().is_none() {
            let _ = self.installation.set(self.context.store().installation().await?);
        }
        Ok(())
    }

    /// The id of a request about a record: the same in all attempts, by any worker.
    pub(super) fn request_id(&self, company: CompanyId, factura: i64) -> String {
        format!("{}-{}-{factura}", self.installation.get().map_or("", String::as_str), company.0)
    }

    /// How long a record is leased: longer than two calls of the stamper.
    pub(super) fn lease_time(&self) -> TimeDelta {
        let deadline = TimeDelta::from_std(self.stamper.deadline());
        deadline.map_or(MAX_DEADLINE, |deadline| deadline.min(MAX_DEADLINE)) * 2 + MARGIN
    }
}
