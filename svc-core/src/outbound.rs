//! Outgoing requests: HTTP/1.1 over a connection (feature `client`).
//!
//! There is no background task: a connection progresses only while the exchange's future is polled,
//! so a timeout of that future limits everything. It follows no proxies and no redirects, and
//! decompresses nothing.

use std::io;
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::future::{Either, FutureExt as _, select};
use http::{Request, Response};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// The largest head of an answer, in bytes.
const HEAD: usize = 64 * 1024;

/// How much of an answer's body is read, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReadLimit {
    /// All of it; a longer body is an error.
    Whole(usize),
    /// At most so much, of the head too. Whatever follows, or breaks off, is not read.
    Part(usize),
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutboundError {
    /// The machine trusts no certificate authority.
    #[error("no trusted certificate authority was found")]
    NoRoots,
    /// A certificate cannot contain the host's name.
    #[error("no certificate can contain the host's name")]
    Name,
    /// The connection could not be established.
    #[error("the connection failed: {0}")]
    Connect(#[source] io::Error),
    /// The TLS handshake failed: a wrong certificate, or no TLS.
    #[error("TLS failed: {0}")]
    Tls(#[source] io::Error),
    /// The connection ended before any of the request was sent.
    #[error("the connection was closed")]
    Closed,
    /// The exchange was interrupted, or the answer is not HTTP.
    #[error("the exchange failed: {0}")]
    Http(#[source] hyper::Error),
    /// The body was interrupted.
    #[error("the answer broke off: {0}")]
    Body(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The body is longer than the limit.
    #[error("the answer is too long")]
    TooLong,
}

/// The TLS configuration of outgoing connections.
#[derive(Clone)]
pub(crate) struct Tls(TlsConnector);

impl Tls {
    /// Trusts the machine's authorities, and those in `SSL_CERT_FILE` and `SSL_CERT_DIR`. A file
    /// that is named must have some.
    pub(crate) fn new() -> Result<Self, OutboundError> {
        if let Some(named) = std::env::var_os("SSL_CERT_FILE")
            && rustls_native_certs::load_certs_from_paths(Some(Path::new(&named)), None).certs.is_empty()
        {
            return Err(OutboundError::NoRoots);
        }
        // If one of the variables is set, this reads only the files that they name.
        let mut certificates = rustls_native_certs::load_native_certs().certs;
        if openssl_probe::has_ssl_cert_env_vars() {
            for directory in openssl_probe::candidate_cert_dirs() {
                certificates.extend(rustls_native_certs::load_certs_from_paths(None, Some(directory)).certs);
            }
        }
        Self::trusting(certificates)
    }

    /// Trusts these authorities; entries that are not certificates are ignored.
    pub(crate) fn trusting(authorities: Vec<CertificateDer<'static>>) -> Result<Self, OutboundError> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(authorities);
        if roots.is_empty() {
            return Err(OutboundError::NoRoots);
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| OutboundError::Tls(io::Error::other(error)))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}

/// Sends `request`, in origin form and with its `Host`, over `tcp`, and reads the answer up to
/// `max`. `tls` has the server name to expect.
pub(crate) async fn exchange(
    tcp: TcpStream,
    tls: Option<(&Tls, &str)>,
    request: Request<Full<Bytes>>,
    max: ReadLimit,
) -> Result<Response<Bytes>, OutboundError> {
    HttpConnection::open(tcp, tls, max).await?.exchange(request).await
}

/// A connection for one request at a time.
pub(crate) struct HttpConnection {
    sender: SendRequest<Full<Bytes>>,
    /// Transfers bytes while it is polled; `None` once it has ended.
    connection: Option<Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>>,
    max: ReadLimit,
    /// Whether the last request was answered completely.
    whole: bool,
}

impl HttpConnection {
    /// Opens a channel over `tcp`; `tls` has the server name to expect.
    pub(crate) async fn open(tcp: TcpStream, tls: Option<(&Tls, &str)>, max: ReadLimit) -> Result<Self, OutboundError> {
        let Some((Tls(connector), name)) = tls else { return Self::over(tcp, max).await };
        let name = ServerName::try_from(name.to_owned()).map_err(|_| OutboundError::Name)?;
        Self::over(connector.connect(name, tcp).await.map_err(OutboundError::Tls)?, max).await
    }

    async fn over<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        stream: S,
        max: ReadLimit,
    ) -> Result<Self, OutboundError> {
        let mut builder = http1::Builder::new();
        builder.max_buf_size(if let ReadLimit::Part(max) = max { max } else { HEAD });
        let (sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(OutboundError::Http)?;
        Ok(Self { sender, connection: Some(Box::pin(connection)), max, whole: true })
    }

    /// Sends a request and reads the answer up to the channel's limit.
    pub(crate) async fn exchange(&mut self, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, OutboundError> {
        self.whole = false;
        let Self { sender, connection: slot, max, .. } = self;
        let connection = slot.as_mut().ok_or(OutboundError::Closed)?;
        let answer = pin!(async move {
            let (head, mut body) = sender.try_send_request(request).await.map_err(unanswered)?.into_parts();
            let (body, to_its_end) = match *max {
                ReadLimit::Whole(max) => (whole(body, max).await?, true),
                ReadLimit::Part(max) => part(&mut body, max).await,
            };
            Ok((Response::from_parts(head, body), to_its_end))
        });
        let (answer, to_its_end) = match select(answer, connection).await {
            Either::Left((answer, _)) => answer?,
            // The connection has ended. The answer may have been read before, and a request that
            // was not begun is returned.
            Either::Right((_, answer)) => {
                *slot = None;
                answer.await?
            }
        };
        self.whole = to_its_end;
        Ok(answer)
    }

    /// Whether another request can be sent: the last answer was read completely, and the peer has
    /// not closed the connection since. Does not wait.
    pub(crate) fn is_ready(&mut self) -> bool {
        // Polling first notices a close by the peer.
        if self.connection.as_mut().is_some_and(|connection| connection.now_or_never().is_some()) {
            self.connection = None;
        }
        self.whole && self.connection.is_some() && self.sender.ready().now_or_never().is_some_and(|ready| ready.is_ok())
    }
}

/// Hyper returns a request only if it was not begun.
fn unanswered(mut error: TrySendError<Request<Full<Bytes>>>) -> OutboundError {
    match error.take_message() {
        Some(_) => OutboundError::Closed,
        None => OutboundError::Http(error.into_error()),
    }
}

async fn whole(body: Incoming, max: usize) -> Result<Bytes, OutboundError> {
    let read = Limited::new(body, max).collect().await.map_err(|error| {
        if error.is::<LengthLimitError>() { OutboundError::TooLong } else { OutboundError::Body(error) }
    })?;
    Ok(read.to_bytes())
}

/// The bytes read, and whether the body is complete.
async fn part(body: &mut Incoming, max: usize) -> (Bytes, bool) {
    let mut read = BytesMut::new();
    while read.len() < max {
        let Some(frame) = body.frame().await else { return (read.freeze(), true) };
        let Ok(frame) = frame else { break };
        if let Some(data) = frame.data_ref() {
            read.extend_from_slice(&data[..data.len().min(max - read.len())]);
        }
    }
    (read.freeze(), false)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    fn request() -> Request<Full<Bytes>> {
        Request::post("/").header("host", "example.com").body(Full::default()).unwrap()
    }

    /// A channel that was used once, and its peer.
    async fn used(answer: &[u8]) -> (HttpConnection, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let mut far = listener.accept().await.unwrap().0;
        let mut channel = HttpConnection::open(near, None, ReadLimit::Part(16 * 1024)).await.unwrap();
        let answered = async {
            assert_ne!(far.read(&mut [0; 1024]).await.unwrap(), 0);
            far.write_all(answer).await.unwrap();
        };
        assert!(tokio::join!(channel.exchange(request()), answered).0.is_ok());
        (channel, far)
    }

    #[tokio::test]
    async fn what_the_other_side_has_ended_is_not_used_again() {
        for (answer, expected) in [
            (&b"HTTP/1.1 204 No Content\r\n\r\n"[..], true),
            (b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", true),
            (b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n", false),
            (b"HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", false),
            (b"HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", false),
        ] {
            let (mut channel, _far) = used(answer).await;
            assert_eq!(channel.is_ready(), expected, "{}", String::from_utf8_lossy(answer));
        }
        let (mut channel, far) = used(b"HTTP/1.1 204 No Content\r\n\r\n").await;
        drop(far);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        // A send without that check reports the closed connection, since nothing was sent.
        assert!(matches!(channel.exchange(request()).await, Err(OutboundError::Closed)));
        assert!(matches!(channel.exchange(request()).await, Err(OutboundError::Closed)));
        assert!(!channel.is_ready());
    }
}
