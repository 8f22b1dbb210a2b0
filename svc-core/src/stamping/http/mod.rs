//! A provider over HTTP, by the protocol in `../README.md`.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, USER_AGENT};
use http::uri::Scheme;
use http::{HeaderValue, Request, StatusCode, Uri};
use http_body_util::Full;
use serde::Deserialize;
use tokio::net::TcpStream;

use super::{MOST_CODE, MOST_MESSAGE, StampFailure, StampRequest, StampedXml, Stamper, plain};
use crate::outbound::{Most, OutboundError, Tls, exchange};

/// The longest answer that is read, in bytes: more than a document of 500 lines of the longest descriptions.
const MOST: usize = 8 * 1024 * 1024;

/// The code of a document that was stamped before.
const STAMPED_BEFORE: &str = "307";

/// Why an [`HttpStamper`] cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpStamperError {
    /// Not an absolute http or https URL, or one with a user's name or password.
    #[error("the provider's URL must be https://host[:port]/path, without credentials")]
    Url,
    /// Plain http to another machine: documents and the token would not be encrypted.
    #[error("the provider's URL must be https; http is for this machine only")]
    Plain,
    /// The token is empty, or has characters that no header can hold.
    #[error("the provider's token is empty or has characters that a header cannot hold")]
    Token,
    /// The machine trusts no certificate authority.
    #[error("no trusted certificate authority was found; SSL_CERT_FILE may name some")]
    Authorities,
}

/// A provider over HTTP: one POST per document, each over its own connection.
pub struct HttpStamper {
    host: String,
    port: u16,
    authority: HeaderValue,
    path: Uri,
    authorization: HeaderValue,
    /// None over plain HTTP.
    tls: Option<Tls>,
    timeout: Duration,
}

impl HttpStamper {
    /// A provider at `url`, with `token` as the bearer token. A request whose answer is not complete after `timeout` is retried.
    ///
    /// The URL must be https; plain http is allowed to `localhost` and loopback addresses only, for development and for a
    /// provider's agent on the same machine.
    pub fn new(url: &str, token: &str, timeout: Duration) -> Result<Self, HttpStamperError> {
        Self::over(url, token, timeout, Tls::new)
    }

    fn over(
        url: &str,
        token: &str,
        timeout: Duration,
        tls: impl FnOnce() -> Result<Tls, OutboundError>,
    ) -> Result<Self, HttpStamperError> {
        let uri: Uri = url.trim().parse().map_err(|_| HttpStamperError::Url)?;
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        let authority = authority.ok_or(HttpStamperError::Url)?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let tls = match uri.scheme() {
            _ if host.is_empty() => return Err(HttpStamperError::Url),
            Some(scheme) if *scheme == Scheme::HTTPS => Some(tls().map_err(|_| HttpStamperError::Authorities)?),
            Some(scheme) if *scheme == Scheme::HTTP && is_this_machine(&host) => None,
            Some(scheme) if *scheme == Scheme::HTTP => return Err(HttpStamperError::Plain),
            _ => return Err(HttpStamperError::Url),
        };
        let authorization = Some(token).filter(|token| !token.trim().is_empty());
        let authorization = authorization.and_then(|token| HeaderValue::from_str(&format!("Bearer {token}")).ok());
        let mut authorization = authorization.ok_or(HttpStamperError::Token)?;
        authorization.set_sensitive(true);
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        Ok(Self {
            port: authority.port_u16().unwrap_or(if tls.is_some() { 443 } else { 80 }),
            authority: HeaderValue::from_str(authority.as_str()).map_err(|_| HttpStamperError::Url)?,
            path: path.parse().map_err(|_| HttpStamperError::Url)?,
            host,
            authorization,
            tls,
            timeout,
        })
    }

    fn request(&self, request: &StampRequest) -> Result<Request<Full<Bytes>>, String> {
        Request::post(self.path.clone())
            .header(HOST, &self.authority)
            .header(AUTHORIZATION, &self.authorization)
            .header("idempotency-key", &request.id)
            .header(CONTENT_TYPE, "application/xml")
            .header(ACCEPT, "application/xml, application/json")
            .header(USER_AGENT, concat!("svc/", env!("CARGO_PKG_VERSION")))
            .body(Full::new(request.xml.clone().into()))
            .map_err(|_| "the request's id fits no header".to_owned())
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<http::Response<Bytes>, OutboundError> {
        let tcp = TcpStream::connect((self.host.as_str(), self.port)).await.map_err(OutboundError::Connect)?;
        exchange(tcp, self.tls.as_ref().map(|tls| (tls, self.host.as_str())), request, Most::Whole(MOST)).await
    }
}

#[async_trait]
impl Stamper for HttpStamper {
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure> {
        let sent = self.request(request).map_err(StampFailure::Unreachable)?;
        match tokio::time::timeout(self.timeout, self.send(sent)).await {
            Ok(Ok(answer)) => parse_answer(request, answer.status(), answer.body()),
            Ok(Err(error)) => Err(StampFailure::Unreachable(error.to_string())),
            Err(_) => Err(StampFailure::Unreachable(format!("no answer within {:?}", self.timeout))),
        }
    }

    fn deadline(&self) -> Duration {
        self.timeout
    }
}

impl fmt::Debug for HttpStamper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpStamper").field("host", &self.host).field("port", &self.port).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct RejectionBody {
    codigo: String,
    mensaje: String,
    /// The earlier XML, of a document that was stamped before.
    xml: Option<String>,
}

/// The result in an answer; a rejection only if the status and the body both say so.
fn parse_answer(request: &StampRequest, status: StatusCode, body: &[u8]) -> Result<StampedXml, StampFailure> {
    if status.is_success() {
        let xml = std::str::from_utf8(body).map_err(|_| no_verdict(status))?;
        return request.stamped(xml.to_owned());
    }
    let said = || serde_json::from_slice::<RejectionBody>(body).ok();
    match said().filter(|_| status.is_client_error()) {
        Some(RejectionBody { codigo, xml, .. }) if codigo.trim() == STAMPED_BEFORE => {
            request.stamped(xml.ok_or_else(|| no_verdict(status))?)
        }
        Some(body) if is_verdict(status) => Err(rejected(&body).unwrap_or_else(|| no_verdict(status))),
        _ => Err(no_verdict(status)),
    }
}

fn no_verdict(status: StatusCode) -> StampFailure {
    StampFailure::Unreachable(format!("the provider answered {status} and no verdict"))
}

/// Whether this status can be due to the document, rather than to the token, the address, the credit or the load.
fn is_verdict(status: StatusCode) -> bool {
    status.is_client_error() && !matches!(status.as_u16(), 401..=404 | 407..=409 | 423 | 425 | 429)
}

fn rejected(RejectionBody { codigo, mensaje, .. }: &RejectionBody) -> Option<StampFailure> {
    let (codigo, mensaje) = (plain(codigo, MOST_CODE), plain(mensaje, MOST_MESSAGE));
    (!codigo.is_empty() && !mensaje.is_empty()).then_some(StampFailure::Rejected { codigo, mensaje })
}

fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests;
