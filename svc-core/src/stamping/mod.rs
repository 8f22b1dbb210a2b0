//! Stamping: the tax authority's word that a document is an invoice.
//!
//! - A **document** ([`Cfdi`]) is what the issuer says was sold or paid. It is nothing until it is stamped.
//! - A **provider** (PAC) is who the authority lets stamp: it signs the document for its issuer, judges it, and gives it its
//!   **UUID**, the fiscal folio. A [`Stamper`] is how we reach one.
//! - A **rejection** is the provider's or the authority's verdict that the document is wrong, with a code of theirs
//!   (`CFDI40161`). It is final: the same document would be rejected again.
//! - **Unreachable** is everything that is no verdict: no connection, no time left, no credit, an answer nobody understands.
//!   The same request is made again later.
//!
//! An invoice waits (`en_espera`) until it has been stamped (`vigente`) or rejected (`error`). A request that went out and
//! whose answer was lost may have been stamped, so each carries an id that is the same in all attempts at one invoice, and a
//! provider answers an id it has stamped with what it gave then.
//!
//! [`SandboxStamper`] is a provider in this process, for development and tests. `HttpStamper` (feature `client`) speaks to
//! one over HTTP, in the words of this folder's `README.md`.

#[cfg(feature = "client")]
mod http;
mod sandbox;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::domain::cfdi::Cfdi;

#[cfg(feature = "client")]
pub use http::{HttpStamper, HttpStamperError};
pub use sandbox::{NO_SERVICE, REJECTED, SandboxStamper};

/// A document to be stamped.
#[derive(Debug, Clone)]
pub struct StampRequest {
    /// Which invoice this is: the same in all attempts at it and no other's, of whatever company. 1 to 255 visible ASCII
    /// characters.
    pub id: String,
    /// The document.
    pub document: Cfdi,
}

/// A document was stamped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamped {
    /// Its fiscal folio.
    pub uuid: Uuid,
    /// When; none if the provider does not say.
    pub at: Option<DateTime<Utc>>,
}

/// A document was not stamped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StampFailure {
    /// It is wrong. Final.
    #[error("rejected: {codigo}: {mensaje}")]
    Rejected {
        /// The provider's or the authority's code, at most 50 characters.
        codigo: String,
        /// What is wrong, in Spanish, at most 1,000 characters.
        mensaje: String,
    },
    /// Nobody said. To be tried again.
    #[error("not reached: {0}")]
    Unreachable(String),
}

/// Has documents stamped.
#[async_trait]
pub trait Stamper: Send + Sync {
    /// Asks for the document to be stamped; it answers within a bounded time. Asking again with the same id is safe.
    async fn stamp(&self, request: &StampRequest) -> Result<Stamped, StampFailure>;
}
