//! One request out, one answer in: HTTP/1.1 over a connection of its own (feature `client`).
//!
//! No pool and no task in the background: a connection lives as long as the future that uses it, so whoever bounds that
//! bounds all of it. No proxy, no redirect, no decompression.

use std::io;
use std::pin::pin;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::future::{Either, select};
use http::{Request, Response};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// The most that the head of an answer may take.
const HEAD: usize = 64 * 1024;

/// How much is read of an answer's body.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Most {
    /// All of it, and more than this is an error.
    Whole(usize),
    /// This much and no more, of the head too; what follows, or breaks off, is not asked for.
    Part(usize),
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutboundError {
    /// No authority is trusted, so nobody could be.
    #[error("no trusted certificate authority was found")]
    NoRoots,
    /// The name cannot be one of a certificate.
    #[error("the host's name is none that a certificate could hold")]
    Name,
    /// The host has no address, or nobody listens there.
    #[error("no connection: {0}")]
    Connect(#[source] io::Error),
    /// The other side is not who it should be, or does not speak TLS.
    #[error("no TLS: {0}")]
    Tls(#[source] io::Error),
    /// The exchange broke off, or was no HTTP.
    #[error("the exchange failed: {0}")]
    Http(#[source] hyper::Error),
    /// The body broke off.
    #[error("the answer broke off: {0}")]
    Body(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The body is longer than was asked for.
    #[error("the answer is too long")]
    TooLong,
}

/// TLS as every outgoing connection speaks it.
#[derive(Clone)]
pub(crate) struct Tls(TlsConnector);

impl Tls {
    /// Trusts the machine's authorities, and those of `SSL_CERT_FILE` and `SSL_CERT_DIR` besides.
    pub(crate) fn new() -> Result<Self, OutboundError> {
        // With one of the variables set, this reads what they name and nothing else.
        let mut certificates = rustls_native_certs::load_native_certs().certs;
        if openssl_probe::has_ssl_cert_env_vars() {
            for directory in openssl_probe::candidate_cert_dirs() {
                certificates.extend(rustls_native_certs::load_certs_from_paths(None, Some(directory)).certs);
            }
        }
        Self::trusting(certificates)
    }

    /// Trusts these authorities; what is no certificate among them is left out.
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

/// Sends `request`, in origin form and with its `Host`, over `tcp`, under TLS if there is one and the name to expect; reads
/// as much of the answer as `most` says.
pub(crate) async fn exchange(
    tcp: TcpStream,
    tls: Option<(&Tls, &str)>,
    request: Request<Full<Bytes>>,
    most: Most,
) -> Result<Response<Bytes>, OutboundError> {
    let Some((Tls(connector), name)) = tls else { return talk(tcp, request, most).await };
    let name = ServerName::try_from(name.to_owned()).map_err(|_| OutboundError::Name)?;
    let secured = connector.connect(name, tcp).await.map_err(OutboundError::Tls)?;
    talk(secured, request, most).await
}

async fn talk<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    request: Request<Full<Bytes>>,
    most: Most,
) -> Result<Response<Bytes>, OutboundError> {
    let mut builder = http1::Builder::new();
    builder.max_buf_size(if let Most::Part(most) = most { most } else { HEAD });
    let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(OutboundError::Http)?;
    let answer = pin!(async move {
        let (head, body) = sender.send_request(request).await.map_err(OutboundError::Http)?.into_parts();
        let body = match most {
            Most::Whole(most) => whole(body, most).await?,
            Most::Part(most) => part(body, most).await,
        };
        Ok(Response::from_parts(head, body))
    });
    // The connection moves the bytes; if it ends first, what it has read is still the answer's to take.
    match select(answer, pin!(connection)).await {
        Either::Left((answer, _)) => answer,
        Either::Right((_, answer)) => answer.await,
    }
}

async fn whole(body: Incoming, most: usize) -> Result<Bytes, OutboundError> {
    let read = Limited::new(body, most).collect().await.map_err(|error| {
        if error.is::<LengthLimitError>() { OutboundError::TooLong } else { OutboundError::Body(error) }
    })?;
    Ok(read.to_bytes())
}

async fn part(mut body: Incoming, most: usize) -> Bytes {
    let mut read = BytesMut::new();
    while read.len() < most {
        let Some(Ok(frame)) = body.frame().await else { break };
        if let Some(data) = frame.data_ref() {
            read.extend_from_slice(&data[..data.len().min(most - read.len())]);
        }
    }
    read.freeze()
}
