//! Stamping: the validation of invoices by the tax authority.
//!
//! - A **document** ([`Cfdi`]) states what was sold or paid; its issuer seals it. It has no fiscal effect
//!   until it is stamped.
//! - A **provider** (PAC) is authorised to stamp: it validates the sealed XML, assigns its **UUID**,
//!   the fiscal folio, and signs both in a stamp within the XML. A [`Stamper`] connects to one.
//! - A **rejection** says that the document is wrong, with a code of the provider or the authority (`CFDI40161`). It is final:
//!   the same document would be rejected again.
//! - **Misconfigured** is what an operator has to mend: credentials, credit, account, certificate. Nothing is wrong with the
//!   document, which waits and is reported (log, figure, readiness detail).
//! - **Unknown** is a fate that nobody can tell: the document may have been stamped. It waits for a person's decision.
//! - **Unreachable** is any other failure: no connection, a timeout, an invalid answer. The request is retried.
//!
//! [`stamp_due`] stamps the records that are due. An invoice waits (`en_espera`) until it is stamped (`vigente`) or rejected
//! (`error`). A request whose answer was lost may have been stamped, and a provider knows a document by its sealed bytes. So the XML
//! is stored before it is first sent, and the same bytes are sent in all attempts, until the provider has spoken; only a
//! rejection drops them. An answer counts as a stamp only if it holds that document ([`StampRequest::stamped`]). The stamped XML
//! is stored for good.
//!
//! A **cancellation** is asked for with a request that the issuer signs ([`CancelRequest`]), and is final only when the authority's
//! status service says so: a receiver may have to accept it, within 72 hours. Until then nothing else changes. The same pass
//! sends and follows cancellations; [`cancel_asked`] does so for those of one company at once.
//!
//! [`SandboxStamper`] is a provider within the process, for development and tests. With the feature `client` there are
//! `SwStamper` and `FinkokStamper`, which speak these providers' protocols, and `HttpStamper`, which speaks the one in this
//! folder's `README.md`.

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

pub use crate::domain::cfdi::StampedXml;
use crate::domain::cfdi::{Cfdi, UnfitStamp};

pub use crate::budget::Budget;
pub use cancellation::{CancelOutcome, CancelReceipt, CancelRequest, Cancelled, DocumentStatus, cancel_asked};
#[cfg(feature = "client")]
pub use endpoint::HttpStamperError;
#[cfg(feature = "client")]
pub use finkok::FinkokStamper;
#[cfg(feature = "client")]
pub use http::HttpStamper;
pub use pass::{StampReport, stamp_due};
pub use sandbox::SandboxStamper;
#[cfg(feature = "client")]
pub use sat::SatStatus;
#[cfg(feature = "client")]
pub use sw::SwStamper;

/// The longest code and message of a rejection that are stored, in characters.
const MOST_CODE: usize = 50;
const MOST_MESSAGE: usize = 1_000;

/// A document to be stamped.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StampRequest {
    /// The idempotency key: the same in all attempts at one invoice, and unique among all companies. 1 to 255 visible ASCII
    /// characters.
    pub id: String,
    /// The document, sealed: the same bytes in all attempts.
    pub xml: String,
    /// When this attempt is made; none if the caller has no clock.
    pub at: Option<DateTime<Utc>>,
}

impl StampRequest {
    /// The request to stamp a sealed document.
    pub const fn new(id: String, xml: String) -> Self {
        Self { id, xml, at: None }
    }

    /// The same, made at that time.
    #[must_use]
    pub const fn at(mut self, now: DateTime<Utc>) -> Self {
        self.at = Some(now);
        self
    }

    /// Whether so much of the 72 hours in which a document can be stamped is over that operators are told.
    fn is_old(&self) -> bool {
        let issued = Cfdi::read(&self.xml).ok().map(|document| document.issued());
        self.at.zip(issued).is_some_and(|(now, issued)| now - issued > TimeDelta::hours(60))
    }

    /// A provider's answer, if it is this document with its stamp; any other leaves the fate of this one unknown.
    pub fn stamped(&self, xml: String) -> Result<StampedXml, StampFailure> {
        StampedXml::read(xml, &self.xml).map_err(unfit)
    }
}

/// What is no stamp leaves the fate of the document unknown.
fn unfit(error: UnfitStamp) -> StampFailure {
    StampFailure::Unreachable(format!("the provider's XML is not the stamped document: {error}"))
}

/// What was asked was not done: a document is not stamped, or a cancellation not received.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StampFailure {
    /// What was sent is wrong; final.
    #[error("rejected: {codigo}: {mensaje}")]
    Rejected {
        /// The provider's or the authority's code, at most 50 characters.
        codigo: String,
        /// What is wrong, in Spanish, at most 1,000 characters.
        mensaje: String,
    },
    /// There is no result, for this reason; to be retried.
    #[error("not reached: {0}")]
    Unreachable(String),
    /// The account, the credentials or the certificate is wrong: an operator's matter, and retried when that may be mended.
    #[error("the provider refuses the account or the certificate: {0}")]
    Misconfigured(String),
    /// It may have been done, and nobody can tell any more: a person's matter.
    #[error("its fate is unknown: {0}")]
    Unknown(String),
}

/// A connection to a provider. Each method takes no longer than [`Self::deadline`].
#[async_trait]
pub trait Stamper: Send + Sync {
    /// Stamps a document; [`StampRequest::stamped`] reads what the provider gives. A document that was stamped before must give
    /// the first result ("already stamped", code 307).
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure>;

    /// What became of a document that was sent before, and is refused now for its age: its stamp, or none if the provider says
    /// that it was never stamped. By default nobody can tell.
    async fn earlier(&self, _request: &StampRequest) -> Result<Option<StampedXml>, StampFailure> {
        Err(StampFailure::Unknown("the provider does not tell what became of an old document".to_owned()))
    }

    /// Asks the authority to cancel a stamped document. What was asked for before is received again. What comes of it is told by
    /// [`Self::status`]. By default nothing is cancelled.
    async fn cancel(&self, _request: &CancelRequest) -> Result<CancelReceipt, StampFailure> {
        Err(StampFailure::Misconfigured("the stamper cancels no documents".to_owned()))
    }

    /// What the authority says of a document whose cancellation was asked for. By default nobody can tell.
    async fn status(&self, _request: &CancelRequest) -> Result<DocumentStatus, StampFailure> {
        Err(StampFailure::Misconfigured("the stamper knows nothing of the authority's status service".to_owned()))
    }

    /// The longest that a method takes. A record is leased for longer than two, so that no other worker takes it meanwhile.
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

/// A rejection, if there are words for it.
#[cfg(feature = "client")]
fn rejected(codigo: &str, mensaje: &str) -> Option<StampFailure> {
    let (codigo, mensaje) = (plain(codigo, MOST_CODE), plain(mensaje, MOST_MESSAGE));
    (!codigo.is_empty() && !mensaje.is_empty()).then_some(StampFailure::Rejected { codigo, mensaje })
}
