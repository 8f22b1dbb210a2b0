//! The provider that a pass works with, and the pass's report.

use std::sync::OnceLock;

use chrono::TimeDelta;
use serde::Serialize;

use super::{SandboxStamper, Stamper};
use crate::context::Context;
use crate::domain::company::{Company, CompanyId};
use crate::error::Error;
use crate::store::StoreError;

/// How long a lease lasts beyond two calls of the stamper: time to read the record and to write the
/// outcome.
const MARGIN: TimeDelta = TimeDelta::minutes(1);

/// The longest deadline of a stamper that a lease takes into account.
const MAX_DEADLINE: TimeDelta = TimeDelta::days(1);

/// How often a host may be asked what it adds to one document.
pub(super) const ASKED: u32 = 2;

/// What a stamping pass did, in numbers of records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StampReport {
    /// Stamped, with the provider's document stored.
    pub timbrados: u64,
    /// Rejected, or unfit to make a document of.
    pub rechazados: u64,
    /// To be retried: the provider was not reached.
    pub pospuestos: u64,
    /// Waiting for a person: the provider refuses the account, or nobody can tell what became of
    /// them.
    pub detenidos: u64,
    /// Payment complements that wait for their invoice to be stamped.
    pub en_espera: u64,
    /// Cancelled for good.
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

/// The provider, and the name by which it knows this installation.
pub(super) struct StampingProvider<'a> {
    pub(super) context: &'a Context,
    /// Of all companies but test companies, which are the sandbox's; none if no provider is set.
    stamper: Option<&'a dyn Stamper>,
    installation: OnceLock<String>,
}

impl<'a> StampingProvider<'a> {
    pub(super) const fn new(context: &'a Context, stamper: Option<&'a dyn Stamper>) -> Self {
        Self { context, stamper, installation: OnceLock::new() }
    }

    /// The stamper of a company, which stamps, cancels and follows its documents. Fails if that is
    /// a provider and none is set: such documents are not leased.
    pub(super) fn of(&self, company: &Company) -> Result<&'a dyn Stamper, Error> {
        if company.prueba {
            return Ok(&SandboxStamper);
        }
        self.stamper.ok_or_else(|| Error::internal(format!("company {} has no provider", company.id.0)))
    }

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

    /// How long a record is leased: longer than two calls of the stamper and those of the host.
    pub(super) fn lease_time(&self) -> TimeDelta {
        // The sandbox takes no time.
        let stamper = self.stamper.unwrap_or(&SandboxStamper);
        let deadline = TimeDelta::from_std(stamper.deadline());
        let asking = TimeDelta::from_std(self.context.attachment_deadline() * ASKED).unwrap_or_default();
        deadline.map_or(MAX_DEADLINE, |deadline| deadline.min(MAX_DEADLINE)) * 2 + asking + MARGIN
    }
}
