//! Stamping: the validation of invoices by the tax authority.
//!
//! - A **document** ([`Cfdi`]) describes a sale or a payment; its issuer seals it. It has no fiscal
//!   effect until it is stamped.
//! - A **provider** (PAC) is authorised to stamp: it validates the sealed XML, assigns its
//!   **UUID**, the fiscal folio, and signs both in a stamp within the XML. A [`Stamper`] connects
//!   to one.
//! - A **rejection** means that the document is wrong; it has a code of the provider or the
//!   authority (`CFDI40161`). It is final: the same document would be rejected again.
//! - **Misconfigured** means that an operator must act: credentials, credit, account, certificate.
//!   The document itself is fine; it waits and is reported (log, metric, readiness detail).
//! - **Unknown** means that the document may have been stamped and no query can tell. It waits for
//!   a person's decision.
//! - **Unreachable** is any other failure: no connection, a timeout, an invalid answer. The request
//!   is retried.
//!
//! [`stamp_due`] stamps the records that are due. An invoice waits (`en_espera`) until it is
//! stamped (`vigente`) or rejected (`error`). A request whose answer was lost may have been
//! stamped, and a provider identifies a document by its sealed bytes. So the XML is stored before
//! it is first sent, and all attempts send the same bytes until the provider answers; only a
//! rejection discards them. An answer counts as a stamp only if it contains that document
//! ([`StampRequest::stamped`]). The stamped XML is stored permanently.
//!
//! A **cancellation** starts with a request that the issuer signs ([`CancelRequest`]), and is final
//! only when the authority's status service says so: a receiver may have to accept it within 72
//! hours. Until then nothing else changes. The same pass sends and follows cancellations;
//! [`cancel_asked`] does so at once for one company.
//!
//! [`SandboxStamper`] is a provider within the process, for development, tests and test companies
//! ([`Company::prueba`](crate::domain::company::Company::prueba)): theirs go to it and to nobody
//! else, which is decided where a document is prepared, from the company as its transaction reads
//! it. Without a provider the documents of all other companies wait. The feature
//! `client` adds `SwStamper` and `FinkokStamper`, which speak these providers' protocols, and
//! `HttpStamper`, which speaks the one in this folder's `README.md`.

mod cancellation;
#[cfg(feature = "client")]
mod codes;
#[cfg(feature = "client")]
mod endpoint;
#[cfg(all(test, feature = "client"))]
mod fake_provider;
mod finish;
#[cfg(feature = "client")]
mod finkok;
#[cfg(feature = "client")]
mod http;
mod pace;
mod pass;
mod prepare;
mod provider;
mod sandbox;
#[cfg(feature = "client")]
mod sat;
#[cfg(feature = "client")]
mod soap;
mod stampings;
#[cfg(feature = "client")]
mod sw;

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use crate::compute::Compute;
pub use crate::domain::cfdi::StampedXml;
use crate::domain::cfdi::{Cfdi, UnfitStamp};
use crate::domain::company::CompanyId;
#[cfg(feature = "client")]
use crate::error::Error;

pub use crate::budget::Budget;
pub use cancellation::{CancelOutcome, CancelReceipt, CancelRequest, Cancelled, DocumentStatus, cancel_asked};
#[cfg(feature = "client")]
pub use endpoint::HttpStamperError;
#[cfg(feature = "client")]
pub use finkok::FinkokStamper;
#[cfg(feature = "client")]
pub use http::HttpStamper;
pub use pass::stamp_due;
pub use provider::StampReport;
pub use sandbox::SandboxStamper;
#[cfg(feature = "client")]
pub use sat::SatStatus;
#[cfg(feature = "client")]
pub use sw::SwStamper;

/// The maximum stored length of a rejection's code and message, in characters.
const MAX_CODE: usize = 50;
const MAX_MESSAGE: usize = 1_000;

/// A document to be stamped.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StampRequest {
    /// The idempotency key: the same in all attempts at one invoice, and unique among all
    /// companies. It has 1 to 255 visible ASCII characters.
    pub id: String,
    /// The sealed document: the same bytes in all attempts.
    pub xml: String,
    /// The time of this attempt; `None` if the caller has no clock.
    pub at: Option<DateTime<Utc>>,
    /// Where the answer is read, and for which company; where it is awaited if none.
    reader: Option<(Compute, CompanyId)>,
}

impl StampRequest {
    /// A request to stamp a sealed document.
    pub const fn new(id: String, xml: String) -> Self {
        Self { id, xml, at: None, reader: None }
    }

    /// Sets where the answer is read.
    #[must_use]
    pub(crate) fn read_on(mut self, compute: &Compute, company: CompanyId) -> Self {
        self.reader = Some((compute.clone(), company));
        self
    }

    /// Sets the time of the attempt.
    #[must_use]
    pub const fn at(mut self, now: DateTime<Utc>) -> Self {
        self.at = Some(now);
        self
    }

    /// Whether so much of the 72 hours for stamping has passed that operators are alerted.
    fn is_old(&self) -> bool {
        let issued = Cfdi::read(&self.xml).ok().map(|document| document.issued());
        self.at.zip(issued).is_some_and(|(now, issued)| now - issued > TimeDelta::hours(60))
    }

    /// Accepts a provider's answer if it is this document with its stamp; any other leaves the
    /// document's fate unknown.
    pub fn stamped(&self, xml: String) -> Result<StampedXml, StampFailure> {
        StampedXml::read(xml, &self.xml).map_err(unfit)
    }

    /// The same, on a thread that answers no requests if there is one.
    #[cfg(feature = "client")]
    async fn read_stamped(&self, xml: String) -> Result<StampedXml, StampFailure> {
        self.read(xml, StampedXml::read).await?.map_err(unfit)
    }

    /// The same for an answer with the stamp alone.
    #[cfg(feature = "client")]
    async fn read_stamp(&self, stamp: String) -> Result<Result<StampedXml, UnfitStamp>, StampFailure> {
        self.read(stamp, |stamp, sealed| StampedXml::with(sealed, &stamp)).await
    }

    #[cfg(feature = "client")]
    async fn read(
        &self,
        answer: String,
        read: fn(String, &str) -> Result<StampedXml, UnfitStamp>,
    ) -> Result<Result<StampedXml, UnfitStamp>, StampFailure> {
        let Some((compute, company)) = &self.reader else { return Ok(read(answer, &self.xml)) };
        let sealed = self.xml.clone();
        let unread = |error: Error| StampFailure::Unreachable(format!("the answer could not be read: {error}"));
        compute.run(*company, move || read(answer, &sealed)).await.map_err(unread)
    }
}

/// An answer without a valid stamp leaves the document's fate unknown.
fn unfit(error: UnfitStamp) -> StampFailure {
    StampFailure::Unreachable(format!("the provider's XML is not the stamped document: {error}"))
}

/// Why a document was not stamped or a cancellation not received.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StampFailure {
    /// The request is wrong; final.
    #[error("rejected: {codigo}: {mensaje}")]
    Rejected {
        /// The provider's or the authority's code, at most 50 characters.
        codigo: String,
        /// The explanation in Spanish, at most 1,000 characters.
        mensaje: String,
    },
    /// There was no result, for this reason; to be retried.
    #[error("not reached: {0}")]
    Unreachable(String),
    /// The account, the credentials or the certificate is wrong: an operator must act, and it is
    /// retried from time to time.
    #[error("the provider refuses the account or the certificate: {0}")]
    Misconfigured(String),
    /// It may have been done and no query can tell: a person must decide.
    #[error("its fate is unknown: {0}")]
    Unknown(String),
}

/// A connection to a provider. Each method takes no longer than [`Self::deadline`].
#[async_trait]
pub trait Stamper: Send + Sync {
    /// Stamps a document; [`StampRequest::stamped`] reads the provider's answer. A document that
    /// was already stamped must return the first result ("already stamped", code 307).
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure>;

    /// Queries a document that was sent before and is now refused for its age: its stamp, or `None`
    /// if the provider says that it was never stamped. By default the answer is unknown.
    async fn earlier(&self, _request: &StampRequest) -> Result<Option<StampedXml>, StampFailure> {
        Err(StampFailure::Unknown("the provider does not tell what became of an old document".to_owned()))
    }

    /// Asks the authority to cancel a stamped document; a repeated request is received again.
    /// [`Self::status`] returns the outcome. By default nothing is cancelled.
    async fn cancel(&self, _request: &CancelRequest) -> Result<CancelReceipt, StampFailure> {
        Err(StampFailure::Misconfigured("the stamper cancels no documents".to_owned()))
    }

    /// Queries the authority about a document whose cancellation was requested. By default the
    /// answer is unknown.
    async fn status(&self, _request: &CancelRequest) -> Result<DocumentStatus, StampFailure> {
        Err(StampFailure::Misconfigured("the stamper knows nothing of the authority's status service".to_owned()))
    }

    /// The longest duration of a method. A record's lease lasts longer than two of these, so that
    /// no other worker takes it meanwhile.
    fn deadline(&self) -> Duration {
        Duration::from_mins(1)
    }
}

/// The text with single spaces and no control characters, cut to `max` characters.
fn plain(text: &str, max: usize) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    words.join(" ").chars().take(max).collect()
}

/// A rejection, if the provider gave both a code and a message.
#[cfg(feature = "client")]
fn rejected(codigo: &str, mensaje: &str) -> Option<StampFailure> {
    let (codigo, mensaje) = (plain(codigo, MAX_CODE), plain(mensaje, MAX_MESSAGE));
    (!codigo.is_empty() && !mensaje.is_empty()).then_some(StampFailure::Rejected { codigo, mensaje })
}
