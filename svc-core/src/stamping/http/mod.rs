//! A provider over HTTP, by the protocol in `../README.md`.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode};
use serde::Deserialize;

use super::codes::{self, BEFORE};
use super::endpoint::{Endpoint, HttpStamperError};
use super::sat::SatStatus;
use super::{CancelReceipt, CancelRequest, DocumentStatus, StampFailure, StampRequest, StampedXml, Stamper, rejected};

/// The path of cancellations, below the address.
const CANCELLATIONS: &str = "/cancelaciones";

/// A provider over HTTP: one POST per document, each over its own connection.
pub struct HttpStamper {
    endpoint: Endpoint,
    authorization: HeaderValue,
    status: SatStatus,
}

impl HttpStamper {
    /// A provider at `url`, with `token` as the bearer token; cancellations are followed through
    /// `status`. A request whose answer is not complete after `timeout` is retried.
    ///
    /// The URL must be https; plain http is allowed to `localhost` and loopback addresses only, for
    /// development and for a provider's agent on the same machine.
    pub fn new(url: &str, token: &str, status: SatStatus, timeout: Duration) -> Result<Self, HttpStamperError> {
        Self::at(Endpoint::new(url, timeout)?, token, status)
    }

    fn at(endpoint: Endpoint, token: &str, status: SatStatus) -> Result<Self, HttpStamperError> {
        Ok(Self { endpoint, authorization: bearer(token)?, status })
    }

    async fn post(&self, below: &str, id: &str, xml: &str) -> Result<(StatusCode, Vec<u8>), StampFailure> {
        let request = self
            .endpoint
            .request(Method::POST, below)
            .header(AUTHORIZATION, &self.authorization)
            .header("idempotency-key", id)
            .header(CONTENT_TYPE, "application/xml")
            .header(ACCEPT, "application/xml, application/json");
        let answer = self.endpoint.send(request, xml.to_owned()).await?;
        Ok((answer.status(), answer.into_body().into()))
    }
}

/// The header with a bearer token.
pub(super) fn bearer(token: &str) -> Result<HeaderValue, HttpStamperError> {
    let header = Some(token).filter(|token| !token.trim().is_empty());
    let header = header.and_then(|token| HeaderValue::from_str(&format!("Bearer {token}")).ok());
    let mut header = header.ok_or(HttpStamperError::Token)?;
    header.set_sensitive(true);
    Ok(header)
}

#[async_trait]
impl Stamper for HttpStamper {
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure> {
        let (status, body) = self.post("", &request.id, &request.xml).await?;
        parse_answer(request, status, &body)
    }

    async fn cancel(&self, request: &CancelRequest) -> Result<CancelReceipt, StampFailure> {
        let (status, body) = self.post(CANCELLATIONS, &request.id, request.signed()?).await?;
        if status.is_success() {
            let acuse = String::from_utf8(body).map_err(|_| inconclusive(status))?;
            return Ok(CancelReceipt { acuse: Some(acuse).filter(|acuse| !acuse.trim().is_empty()) });
        }
        match serde_json::from_slice::<RejectionBody>(&body).ok().filter(|_| is_conclusive(status)) {
            Some(body) => codes::cancellation(&body.codigo, &body.mensaje, None, request),
            None => Err(inconclusive(status)),
        }
    }

    async fn status(&self, request: &CancelRequest) -> Result<DocumentStatus, StampFailure> {
        self.status.ask(request).await
    }

    fn deadline(&self) -> Duration {
        self.endpoint.timeout()
    }
}

impl fmt::Debug for HttpStamper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpStamper").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct RejectionBody {
    codigo: String,
    mensaje: String,
    /// The earlier XML, if the document was already stamped.
    xml: Option<String>,
}

/// Reads the result of an answer; it is a rejection only if both status and body say so.
fn parse_answer(request: &StampRequest, status: StatusCode, body: &[u8]) -> Result<StampedXml, StampFailure> {
    if status.is_success() {
        let xml = std::str::from_utf8(body).map_err(|_| inconclusive(status))?;
        return request.stamped(xml.to_owned());
    }
    let said = || serde_json::from_slice::<RejectionBody>(body).ok();
    match said().filter(|_| status.is_client_error()) {
        Some(RejectionBody { codigo, xml, .. }) if codigo.trim() == BEFORE => {
            request.stamped(xml.ok_or_else(|| inconclusive(status))?)
        }
        Some(body) if is_conclusive(status) => {
            Err(rejected(&body.codigo, &body.mensaje).unwrap_or_else(|| inconclusive(status)))
        }
        _ if matches!(status.as_u16(), 401..=403) => Err(StampFailure::Misconfigured(inconclusive(status).to_string())),
        _ => Err(inconclusive(status)),
    }
}

pub(super) fn inconclusive(status: StatusCode) -> StampFailure {
    StampFailure::Unreachable(format!("the provider answered {status} and no verdict"))
}

/// Whether this status can be due to the document, rather than to the token, the address, the
/// credit or the load.
fn is_conclusive(status: StatusCode) -> bool {
    status.is_client_error() && !matches!(status.as_u16(), 401..=404 | 407..=409 | 423 | 425 | 429)
}

#[cfg(test)]
mod tests;
