//! A provider's address, and one request to it.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use http::header::{HOST, USER_AGENT};
use http::request::Builder;
use http::uri::Scheme;
use http::{HeaderValue, Method, Request, Response, Uri};
use http_body_util::Full;
use tokio::net::TcpStream;

use super::StampFailure;
use crate::outbound::{OutboundError, ReadLimit, Tls, exchange};

/// The longest answer that is read, in bytes: more than a document of 500 lines with the longest
/// descriptions.
pub(super) const MAX_ANSWER: usize = 8 * 1024 * 1024;

/// Why a provider's stamper cannot be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpStamperError {
    /// Not an absolute http or https URL, or one with a user's name or password.
    #[error("the provider's URL must be https://host[:port]/path, without credentials")]
    Url,
    /// Plain http to another machine: documents and credentials would not be encrypted.
    #[error("the provider's URL must be https; http is for this machine only")]
    Plain,
    /// The token is empty, or has characters that a header cannot hold.
    #[error("the provider's token is empty or has characters that a header cannot hold")]
    Token,
    /// The provider requires a user, and none is given.
    #[error("the provider needs a user")]
    User,
    /// The machine trusts no certificate authority.
    #[error("no trusted certificate authority was found; SSL_CERT_FILE may name some")]
    Authorities,
}

/// An address that accepts requests, each over its own connection.
#[derive(Clone)]
pub(super) struct Endpoint {
    host: String,
    port: u16,
    authority: HeaderValue,
    /// The prefix of the requests' paths, without a slash at the end, and their suffix.
    path: String,
    query: String,
    /// None over plain HTTP.
    tls: Option<Tls>,
    timeout: Duration,
}

impl Endpoint {
    /// The endpoint at `url`: https, or plain http to `localhost` and loopback addresses, for
    /// development and for a provider's agent on the same machine. A request fails if its answer is
    /// not complete after `timeout`.
    pub(super) fn new(url: &str, timeout: Duration) -> Result<Self, HttpStamperError> {
        Self::over(url, timeout, Tls::new)
    }

    pub(super) fn over(
        url: &str,
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
        Ok(Self {
            port: authority.port_u16().unwrap_or(if tls.is_some() { 443 } else { 80 }),
            authority: HeaderValue::from_str(authority.as_str()).map_err(|_| HttpStamperError::Url)?,
            path: uri.path().trim_end_matches('/').to_owned(),
            query: uri.query().map(|query| format!("?{query}")).unwrap_or_default(),
            host,
            tls,
            timeout,
        })
    }

    pub(super) const fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Begins a request to a path below the endpoint; `below` begins with a slash or is empty.
    pub(super) fn request(&self, method: Method, below: &str) -> Builder {
        let path = format!("{}{below}", self.path);
        let path = if path.is_empty() { "/" } else { &path };
        Request::builder()
            .method(method)
            .uri(format!("{path}{}", self.query))
            .header(HOST, &self.authority)
            .header(USER_AGENT, concat!("svc/", env!("CARGO_PKG_VERSION")))
    }

    /// Sends a request, and reads its answer.
    pub(super) async fn send(&self, request: Builder, body: impl Into<Bytes>) -> Result<Response<Bytes>, StampFailure> {
        let unsendable = |_| StampFailure::Unreachable("the request's id fits no header".to_owned());
        let request = request.body(Full::new(body.into())).map_err(unsendable)?;
        match tokio::time::timeout(self.timeout, self.exchange(request)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(StampFailure::Unreachable(error.to_string())),
            Err(_) => Err(no_answer(self.timeout)),
        }
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, OutboundError> {
        let tcp = TcpStream::connect((self.host.as_str(), self.port)).await.map_err(OutboundError::Connect)?;
        exchange(tcp, self.tls.as_ref().map(|tls| (tls, self.host.as_str())), request, ReadLimit::Whole(MAX_ANSWER))
            .await
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("host", &self.host).field("port", &self.port).finish_non_exhaustive()
    }
}

/// Runs work of several requests within the time for one.
pub(super) async fn within<T>(
    timeout: Duration,
    work: impl Future<Output = Result<T, StampFailure>>,
) -> Result<T, StampFailure> {
    tokio::time::timeout(timeout, work).await.unwrap_or_else(|_| Err(no_answer(timeout)))
}

fn no_answer(timeout: Duration) -> StampFailure {
    StampFailure::Unreachable(format!("no answer within {timeout:?}"))
}

fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}
