//! Stamping: the validation of invoices by the tax authority.
//!
//! - A **document** ([`Cfdi`](crate::domain::cfdi::Cfdi)) states what was sold or paid; its issuer seals it. It has no fiscal effect
//!   until it is stamped.
//! - A **provider** (PAC) is authorised to stamp: it validates the sealed XML, assigns its **UUID**,
//!   the fiscal folio, and signs both in a stamp within the XML. A [`Stamper`] connects to one.
//! - A **rejection** says that the document is wrong, with a code of the provider or the authority (`CFDI40161`). It is final:
//!   the same document would be rejected again.
//! - **Unreachable** is any other failure: no connection, a timeout, no credit, an invalid answer. The request is retried.
//!
//! [`stamp_due`] stamps the records that are due. An invoice waits (`en_espera`) until it is stamped (`vigente`) or rejected
//! (`error`). A request whose answer was lost may have been stamped, and a provider knows a document by its sealed bytes. So the XML
//! is stored before it is first sent, and the same bytes are sent in all attempts, until the provider has spoken; only a
//! rejection drops them. An answer counts as a stamp only if it holds that document ([`StampRequest::stamped`]). The stamped XML
//! is stored for good.
//!
//! [`SandboxStamper`] is a provider within the process, for development and tests. `HttpStamper` (feature `client`) calls one
//! over HTTP, by the protocol in this folder's `README.md`.

#[cfg(feature = "client")]
mod http;
mod pace;
mod prepare;
mod sandbox;
mod settle;
mod worker;

use std::time::Duration;

use async_trait::async_trait;

pub use crate::domain::cfdi::StampedXml;

pub use crate::budget::Budget;
#[cfg(feature = "client")]
pub use http::{HttpStamper, HttpStamperError};
pub use sandbox::SandboxStamper;
pub use worker::{StampReport, stamp_due};

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
}

impl StampRequest {
    /// The request to stamp a sealed document.
    pub const fn new(id: String, xml: String) -> Self {
        Self { id, xml }
    }

    /// A provider's answer, if it is this document with its stamp; any other leaves the fate of this one unknown.
    pub fn stamped(&self, xml: String) -> Result<StampedXml, StampFailure> {
        let unfit =
            |error| StampFailure::Unreachable(format!("the provider's XML is not the stamped document: {error}"));
        StampedXml::read(xml, &self.xml).map_err(unfit)
    }
}

/// A document was not stamped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StampFailure {
    /// It is wrong; final.
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
}

/// A connection to a provider.
#[async_trait]
pub trait Stamper: Send + Sync {
    /// Stamps a document within [`Self::deadline`]; [`StampRequest::stamped`] reads what the provider gives. A document that was
    /// stamped before must give the first result ("already stamped", code 307).
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure>;

    /// The longest that [`Self::stamp`] takes. A record is leased for longer, so that no other worker stamps it meanwhile.
    fn deadline(&self) -> Duration {
        Duration::from_mins(1)
    }
}

/// The text with single spaces and no control characters, cut to `most` characters.
fn plain(text: &str, most: usize) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    words.join(" ").chars().take(most).collect()
}
