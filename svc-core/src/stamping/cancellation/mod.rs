//! Cancellations: asking the authority, and following what comes of it.

mod finish;
mod prepare;
mod queue;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::StampFailure;
use crate::domain::words::CancellationReason;

pub use finish::CancelOutcome;
pub(super) use queue::Cancellations;
pub use queue::cancel_asked;

/// A stamped document, by the data that the authority identifies it by.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Cancelled {
    /// Fiscal folio of the document.
    pub uuid: Uuid,
    /// RFC of its issuer.
    pub emisor: String,
    /// RFC of its receiver.
    pub receptor: String,
    /// The receiver's name, as the document has it if it is here.
    pub nombre: String,
    /// Its total, as the document has it; `None` if it was stamped elsewhere and no record says it.
    pub total: Option<String>,
    /// The last eight characters of its signature; none if it was stamped elsewhere.
    pub sello: Option<String>,
    /// RFC of the provider that stamped it; none if it was stamped elsewhere.
    pub proveedor: Option<String>,
}

impl Cancelled {
    /// The expression in a printed document by which the authority identifies it:
    /// `?re=…&rr=…&tt=…&id=…&fe=…`. Fails if its total is unknown.
    pub fn expression(&self) -> Result<String, StampFailure> {
        let total = self.known_total()?;
        let rfc = |rfc: &str| rfc.replace('&', "&amp;");
        let seal = self.sello.as_deref().map(|last| format!("&fe={last}")).unwrap_or_default();
        let (emisor, receptor) = (rfc(&self.emisor), rfc(&self.receptor));
        Ok(format!("?re={emisor}&rr={receptor}&tt={total}&id={}{seal}", self.uuid.to_string().to_uppercase()))
    }

    /// The total, without which the authority finds no document. Fails for a person to act if it is
    /// unknown.
    pub(super) fn known_total(&self) -> Result<&str, StampFailure> {
        let unknown = || {
            let text = "the authority cannot be asked about a document without its total, and this one was imported \
                        without its XML and its sale; look it up in the authority's portal, and record what it says \
                        with invoice.cancel-accepted or invoice.cancel-rejected";
            StampFailure::Unknown(text.to_owned())
        };
        self.total.as_deref().ok_or_else(unknown)
    }
}

/// A cancellation to be requested, or whose status is queried.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CancelRequest {
    /// The same in all attempts, and unique among all companies and installations: 1 to 100 visible
    /// ASCII characters.
    pub id: String,
    /// The document to cancel.
    pub document: Cancelled,
    /// The SAT's reason, 01 to 04.
    pub motivo: CancellationReason,
    /// The fiscal folio of its substitute, with reason 01.
    pub sustitucion: Option<Uuid>,
    /// The request (`Cancelacion`), signed by the issuer; `None` while the company has no valid
    /// certificate.
    pub xml: Option<String>,
    /// When the cancellation was requested.
    pub asked: DateTime<Utc>,
    /// When this attempt is made.
    pub at: DateTime<Utc>,
    /// Whether the request says that the receiver has to accept. The authority decides; the sandbox
    /// takes their word.
    pub aceptacion: bool,
}

impl CancelRequest {
    /// The signed request, which providers are sent.
    pub fn signed(&self) -> Result<&str, StampFailure> {
        let missing = || StampFailure::Misconfigured("the company has no valid certificate to sign with".to_owned());
        self.xml.as_deref().ok_or_else(missing)
    }
}

/// The answer of the authority, which has received a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CancelReceipt {
    /// Its receipt (acuse), an XML, where the provider gives it.
    pub acuse: Option<String>,
}

/// The status of a document, as the authority reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentStatus {
    /// It is valid, and no cancellation is known.
    Valid,
    /// It is valid until its receiver accepts, or 72 hours are over.
    Pending,
    /// It is valid: its receiver refused.
    Refused,
    /// It is valid, and the authority does not cancel it while documents that relate to it are.
    NotCancellable,
    /// It is cancelled, finally.
    Cancelled,
    /// The authority does not know it (yet).
    NotFound,
}
