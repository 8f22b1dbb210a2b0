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
//! [`stamp_due`] works off the queue of what waits to be stamped. An invoice waits (`en_espera`) until it has been stamped (`vigente`) or rejected (`error`). A request that went out and
//! whose answer was lost may have been stamped, so each carries an id that is the same in all attempts at one invoice, and a
//! provider answers an id it has stamped with what it gave then.
//!
//! [`SandboxStamper`] is a provider in this process, for development and tests. `HttpStamper` (feature `client`) speaks to
//! one over HTTP, in the words of this folder's `README.md`.

#[cfg(feature = "client")]
mod http;
mod pace;
mod prepare;
mod sandbox;
mod settle;
mod worker;

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::domain::cfdi::Cfdi;

pub use crate::budget::Budget;
#[cfg(feature = "client")]
pub use http::{HttpStamper, HttpStamperError};
pub use sandbox::{NO_SERVICE, REJECTED, SandboxStamper};
pub use worker::{StampReport, stamp_due};

/// The longest code and message that are kept of a rejection.
const MOST_CODE: usize = 50;
const MOST_MESSAGE: usize = 1_000;

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
    /// Asks for the document to be stamped; it answers within [`Self::deadline`]. Asking again with the same id is safe.
    async fn stamp(&self, request: &StampRequest) -> Result<Stamped, StampFailure>;

    /// The longest that an answer takes. Whoever asks keeps others from asking for that long.
    fn deadline(&self) -> Duration {
        Duration::from_mins(1)
    }
}

/// Text that can be stored and shown: single spaces, no control characters, at most `most` characters.
fn plain(text: &str, most: usize) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    words.join(" ").chars().take(most).collect()
}
