//! Sends deliveries over HTTP: each attempt resolves the host's name once, checks every address,
//! and connects to one of them.
//!
//! Connections are reused within a pass, after the same checks (`pool.rs`).

mod pool;
mod resolve;

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::header::{HOST, RETRY_AFTER};
use http::{HeaderValue, Request, Response};
use http_body_util::Full;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_rustls::rustls;
use tokio_rustls::rustls::pki_types::CertificateDer;

use self::pool::{Link, Pool};
use self::resolve::Resolved;
pub use self::resolve::{ResolveError, Resolver, SystemResolver};
use super::destination::validate;
use super::{DEADLINE, Networks, Outcome, Post, Sender, Target, validate_url};
use crate::domain::words::DeliveryReason;
use crate::outbound::{HttpConnection, OutboundError, ReadLimit, Tls};

/// The most bytes of an answer that are read: only its head matters.
const MAX_ANSWER: usize = 16 * 1024;

/// The most addresses of a name that are tried.
const TRIED: usize = 4;

/// No certificate authority is trusted, so no receiver can be verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no trusted certificate authority was found; SSL_CERT_FILE may name some")]
pub struct NoAuthorities;

/// Sends deliveries over HTTPS, by the rules of contract §6.
pub struct HttpSender {
    resolver: Arc<dyn Resolver>,
    resolved: Resolved,
    networks: Networks,
    tls: Tls,
    pool: Pool,
    deadline: Duration,
}

impl HttpSender {
    /// Trusts the machine's authorities and those of `SSL_CERT_FILE`.
    pub fn new(networks: Networks) -> Result<Self, NoAuthorities> {
        Self::over(networks, Tls::new())
    }

    /// Trusts these authorities only: certificates in DER.
    pub fn trusting(networks: Networks, authorities: impl IntoIterator<Item = Vec<u8>>) -> Result<Self, NoAuthorities> {
        Self::over(networks, Tls::trusting(authorities.into_iter().map(CertificateDer::from).collect()))
    }

    /// Resolves names with `resolver` instead of the machine's.
    #[must_use]
    pub fn resolver(mut self, resolver: impl Resolver) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    fn over(networks: Networks, tls: Result<Tls, OutboundError>) -> Result<Self, NoAuthorities> {
        let tls = tls.map_err(|_| NoAuthorities)?;
        Ok(Self {
            resolver: Arc::new(SystemResolver),
            resolved: Resolved::default(),
            networks,
            tls,
            pool: Pool::default(),
            deadline: DEADLINE,
        })
    }

    async fn attempt(&self, post: Post, until: Instant) -> Result<Outcome, Outcome> {
        // The URL was checked when it was registered; the setting may have changed since.
        const BLOCKED: Outcome = Outcome::Failed(DeliveryReason::DestinoBloqueado);
        let target = validate_url(&post.url, self.networks.is_development()).map_err(|_| BLOCKED)?;
        let request = request(&target, post).ok_or(BLOCKED)?;
        let addresses = self.addresses(&target, until).await?;
        let answer = self.exchange(&target, &addresses, request, until).await?;
        let retry_after = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        Ok(Outcome::Answered { status: answer.status().as_u16(), retry_after: retry_after.map(str::to_owned) })
    }

    /// Sends the request over an idle connection, or else over a new one. A request may have
    /// arrived once any part of it was sent, so one attempt never sends it twice.
    async fn exchange(
        &self,
        target: &Target,
        addresses: &[IpAddr],
        request: Request<Full<Bytes>>,
        until: Instant,
    ) -> Result<Response<Bytes>, Outcome> {
        if let Some((link, mut channel)) = self.pool.take(target, addresses) {
            match channel.exchange(request.clone()).await {
                Ok(answer) => {
                    self.pool.put(link, channel);
                    return Ok(answer);
                }
                // The receiver closed the idle connection before anything was sent.
                Err(OutboundError::Closed) => {}
                Err(error) => {
                    self.pool.spoil(link);
                    return Err(failure(&error));
                }
            }
        }
        let (link, mut channel) = self.open(target, addresses, until).await?;
        let answer = channel.exchange(request).await.map_err(|error| failure(&error))?;
        self.pool.put(link, channel);
        Ok(answer)
    }

    /// Opens a new connection to one of the addresses.
    async fn open(
        &self,
        target: &Target,
        addresses: &[IpAddr],
        until: Instant,
    ) -> Result<(Link, HttpConnection), Outcome> {
        let (address, tcp) = connect(addresses, target.port, until).await?;
        let tls = target.https.then_some((&self.tls, target.host.as_str()));
        let channel =
            HttpConnection::open(tcp, tls, ReadLimit::Part(MAX_ANSWER)).await.map_err(|error| failure(&error))?;
        Ok((Link::new(target, address), channel))
    }

    /// Resolves the target's name; fails unless deliveries may go to all of its addresses.
    async fn addresses(&self, target: &Target, until: Instant) -> Result<Vec<IpAddr>, Outcome> {
        let addresses = match timeout_at(until, self.resolver.resolve(&target.host)).await {
            Ok(Ok(addresses)) if !addresses.is_empty() => addresses,
            Ok(Ok(_) | Err(ResolveError::NotFound)) => return Err(Outcome::Failed(DeliveryReason::ErrorRed)),
            Ok(Err(ResolveError::Ours(cause))) => {
                return Err(self.unresolved(target, DeliveryReason::ErrorRed, &cause));
            }
            Err(late) => return Err(self.unresolved(target, DeliveryReason::TiempoAgotado, &late.to_string())),
        };
        self.resolved.note(&target.host);
        // Other ports and plain HTTP are for development, and only within the allowed networks.
        let ordinary = target.https && target.port == 443;
        let passes = |&address: &IpAddr| {
            validate(address, &self.networks).is_ok() && (ordinary || self.networks.allows(address))
        };
        let all = addresses.iter().all(passes);
        if all { Ok(addresses) } else { Err(Outcome::Failed(DeliveryReason::DestinoBloqueado)) }
    }

    /// A failed lookup counts against the webhook only while other names can be looked up (contract
    /// §6).
    fn unresolved(&self, target: &Target, reason: DeliveryReason, cause: &str) -> Outcome {
        if self.resolved.other_than(&target.host) {
            return Outcome::Failed(reason);
        }
        tracing::warn!(cause, "names cannot be resolved");
        Outcome::Ours(Some(reason))
    }
}

#[async_trait]
impl Sender for HttpSender {
    async fn send(&self, post: Post) -> Outcome {
        let until = Instant::now() + self.deadline;
        match timeout_at(until, self.attempt(post, until)).await {
            Ok(Ok(outcome) | Err(outcome)) => outcome,
            Err(_) => Outcome::Failed(DeliveryReason::TiempoAgotado),
        }
    }

    fn deadline(&self) -> Duration {
        self.deadline
    }

    async fn pause(&self, pause: Duration) {
        sleep(pause).await;
    }

    fn rest(&self) {
        self.pool.clear();
    }
}

impl fmt::Debug for HttpSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSender").field("networks", &self.networks).finish_non_exhaustive()
    }
}

fn request(target: &Target, post: Post) -> Option<Request<Full<Bytes>>> {
    let standard = if target.https { 443 } else { 80 };
    let host = if target.port == standard { target.host.clone() } else { format!("{}:{}", target.host, target.port) };
    let mut request = Request::new(Full::new(post.body));
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = target.path.parse().ok()?;
    *request.headers_mut() = post.headers;
    request.headers_mut().insert(HOST, HeaderValue::from_str(&host).ok()?);
    Some(request)
}

/// Connects to the first address that accepts; each gets a share of the remaining time. The failure
/// is this machine's only if it is that at every address: a machine without IPv6 reaches half of a
/// receiver's addresses at best.
async fn connect(addresses: &[IpAddr], port: u16, until: Instant) -> Result<(IpAddr, TcpStream), Outcome> {
    let tried = &addresses[..addresses.len().min(TRIED)];
    let (mut ours, mut theirs) = (None, None);
    for (at, &address) in tried.iter().enumerate() {
        let share = until.saturating_duration_since(Instant::now()) / (tried.len() - at) as u32;
        match within(share, TcpStream::connect(SocketAddr::new(address, port))).await {
            Ok(Ok(tcp)) => return Ok((address, tcp)),
            Ok(Err(error)) if is_ours(&error) => ours = Some(Outcome::Ours(Some(DeliveryReason::ErrorRed))),
            Ok(Err(_)) => _ = theirs.get_or_insert(Outcome::Failed(DeliveryReason::ErrorRed)),
            Err(()) => _ = theirs.get_or_insert(Outcome::Failed(DeliveryReason::TiempoAgotado)),
        }
    }
    Err(theirs.or(ours).unwrap_or(Outcome::Failed(DeliveryReason::ErrorRed)))
}

async fn within<T>(share: Duration, future: impl Future<Output = T>) -> Result<T, ()> {
    timeout(share, future).await.map_err(|_| ())
}

/// Whether the cause is on this machine: no network, no local address, no memory or no file
/// descriptor.
fn is_ours(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    const TOO_MANY_OPEN_FILES: [i32; 2] = [23, 24];
    matches!(error.kind(), Kind::AddrNotAvailable | Kind::NetworkDown | Kind::NetworkUnreachable | Kind::OutOfMemory)
        || error.raw_os_error().is_some_and(|code| TOO_MANY_OPEN_FILES.contains(&code))
}

fn failure(error: &OutboundError) -> Outcome {
    Outcome::Failed(match error {
        OutboundError::Name | OutboundError::NoRoots => DeliveryReason::CertificadoInvalido,
        OutboundError::Tls(error) if is_certificate(error) => DeliveryReason::CertificadoInvalido,
        _ => DeliveryReason::ErrorRed,
    })
}

/// Whether the handshake failed because of the receiver's certificate.
fn is_certificate(error: &io::Error) -> bool {
    let error = error.get_ref().and_then(|error| error.downcast_ref());
    matches!(
        error,
        Some(
            rustls::Error::InvalidCertificate(_)
                | rustls::Error::NoCertificatesPresented
                | rustls::Error::UnsupportedNameType
                | rustls::Error::InvalidCertRevocationList(_)
        )
    )
}

#[cfg(test)]
mod tests;
