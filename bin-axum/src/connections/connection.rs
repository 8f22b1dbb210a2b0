//! One connection of a client, from its acceptance to its end.

use std::future::poll_fn;
use std::io;
use std::task::Poll;
use std::time::Duration;

use http::Response;
use hyper::body::Bytes;
use hyper::server::conn::http1::{self, Connection};
use hyper_util::rt::{TokioIo, TokioTimer};
use svc_core::ClientAddress;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;

use super::client_stream::{ClientStream, Deadlines};
use super::exchange::Exchange;
use super::exchange_service::ExchangeService;
use super::places::Place;

/// The longest accepted head of a request, in bytes; a longer one gets 431. Reading a body uses no
/// larger buffer.
const HEAD: usize = 16 * 1024;

/// The most bytes of a refused body that are read and discarded: those of the longest import, so
/// that a client that reads only after it has sent everything gets its answer.
pub(super) const DISCARDED: usize = 65 * 1_048_576;

/// How long a client refused for lack of room has to begin its request, and then to accept the
/// answer.
const REFUSED: Duration = Duration::from_secs(1);

/// How long an idle connection is watched once the server drains, so that a request sent before
/// that is answered.
const SENT: Duration = Duration::from_millis(50);

/// The phase of all connections.
#[derive(Debug, Clone, Copy)]
pub(super) enum Phase {
    /// They answer requests.
    Open,
    /// Each ends after its current request, if any.
    Draining,
    /// They end at once.
    Cut,
}

/// The shared settings of an application's connections.
#[derive(Clone)]
pub(super) struct ConnectionSettings {
    pub(super) app: axum::Router,
    pub(super) deadlines: Deadlines,
    /// Whether a connection may carry more than one request.
    pub(super) keep_alive: bool,
}

type ClientConnection = Connection<TokioIo<ClientStream>, ExchangeService>;

/// Answers the requests of a connection until it ends or loses its place.
pub(super) async fn answer(
    stream: TcpStream,
    place: Place,
    settings: ConnectionSettings,
    mut phase: watch::Receiver<Phase>,
) {
    // Small answers go out at once instead of waiting for more.
    let _ = stream.set_nodelay(true);
    let exchange = Exchange::new(place);
    let answered = async {
        let Some(stream) = serve(stream, &exchange, &settings, &mut phase).await else { return };
        tokio::select! {
            () = linger(&stream, settings.deadlines.linger) => {}
            () = cut(&mut phase) => {}
        }
    };
    tokio::select! {
        () = answered => {}
        () = exchange.displaced() => {}
    }
}

/// Serves a connection to its end. Returns its socket, closed for writing, if the client may still
/// be sending: its data must be read, or closing the socket resets the connection and the client
/// may lose the answer.
async fn serve(
    stream: TcpStream,
    exchange: &Exchange,
    settings: &ConnectionSettings,
    phase: &mut watch::Receiver<Phase>,
) -> Option<TcpStream> {
    // It fails if the client is gone.
    let client = stream.peer_addr().ok().map(|address| ClientAddress(address.ip().to_canonical()));
    let mut stream = ClientStream::new(stream, exchange.clone(), settings.deadlines);
    let mut service = ExchangeService::new(settings.app.clone(), exchange.clone(), client);
    loop {
        // Hyper's buffers exist only while there is a request.
        wake(&mut stream, phase).await?;
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            // The stream enforces the deadlines.
            .header_read_timeout(None)
            .max_buf_size(HEAD)
            .keep_alive(settings.keep_alive)
            // A client that has sent its request may end its side and wait for the answer.
            .half_close(true)
            .serve_connection(TokioIo::new(stream), service);
        let mut connection = Box::new(connection);
        let ended = until_idle(&mut connection, exchange, phase).await?;
        let parts = connection.into_parts();
        (stream, service) = (parts.io.into_inner(), parts.service);
        match ended {
            None => stream.put_back(parts.read_buf),
            Some(ended) => {
                // Hyper answered an input that is not HTTP (400, 414, 431) and reads no further.
                let malformed = ended.as_ref().is_err_and(hyper::Error::is_parse);
                if let Err(error) = ended {
                    tracing::debug!(%error, "connection ended early");
                }
                let mut stream = stream.into_inner();
                // It fails if the client is gone.
                stream.shutdown().await.ok()?;
                return (malformed || service.left_unread()).then_some(stream);
            }
        }
    }
}

/// Waits for the next request to begin; `None` if the connection must end instead.
async fn wake(stream: &mut ClientStream, phase: &mut watch::Receiver<Phase>) -> Option<()> {
    loop {
        match *phase.borrow_and_update() {
            Phase::Open => {}
            Phase::Draining => break,
            Phase::Cut => return None,
        }
        tokio::select! {
            biased;
            ready = stream.readable() => return ready.ok(),
            changed = phase.changed() => changed.ok()?,
        }
    }
    timeout(SENT, stream.readable()).await.ok()?.ok()
}

/// Serves a connection until it is between two requests, which is `Some(None)`, or to its end;
/// `None` if it is cut.
async fn until_idle(
    connection: &mut ClientConnection,
    exchange: &Exchange,
    phase: &mut watch::Receiver<Phase>,
) -> Option<Option<hyper::Result<()>>> {
    loop {
        let served = poll_fn(|context| match connection.poll_without_shutdown(context) {
            Poll::Ready(ended) => Poll::Ready(Some(ended)),
            Poll::Pending if exchange.is_idle() => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        });
        tokio::select! {
            // A request that has arrived is accepted before the connection is asked to end.
            biased;
            served = served => return Some(served),
            changed = phase.changed() => match *phase.borrow_and_update() {
                Phase::Draining if changed.is_ok() => std::pin::Pin::new(&mut *connection).graceful_shutdown(),
                Phase::Open if changed.is_ok() => {}
                _ => return None,
            },
        }
    }
}

/// Waits for the end of every connection.
async fn cut(phase: &mut watch::Receiver<Phase>) {
    // The sender lives as long as any connection.
    let _ = phase.wait_for(|phase| matches!(phase, Phase::Cut)).await;
}

/// Reads and discards a client's data until it closes its side, has sent [`DISCARDED`] bytes, or
/// the time is over.
async fn linger(stream: &TcpStream, within: Duration) {
    let discard = async {
        let mut discarded = 0;
        while discarded < DISCARDED && stream.readable().await.is_ok() {
            match stream.try_read(&mut [0; 8192]) {
                Ok(0) => return,
                Ok(read) => discarded += read,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return,
            }
        }
    };
    // A client that keeps sending has had time to read the answer.
    let _ = timeout(within, discard).await;
}

/// Answers a connection for which there is no room, and ends it. The answer waits for the request
/// to begin, since not every client reads an earlier one.
pub(super) async fn refuse(mut stream: TcpStream, answer: Response<Bytes>) {
    let _ = timeout(REFUSED, stream.readable()).await;
    if timeout(REFUSED, write(&mut stream, &answer)).await.is_ok_and(|written| written.is_ok()) {
        linger(&stream, REFUSED).await;
    }
}

/// Answers a connection at once, as far as the socket accepts without waiting, and ends it.
pub(super) fn refuse_at_once(stream: &TcpStream, answer: &Response<Bytes>) {
    // The client is gone, or sees a closed connection.
    let _ = stream.try_write(&http1_bytes(answer));
}

async fn write(stream: &mut TcpStream, answer: &Response<Bytes>) -> io::Result<()> {
    stream.write_all(&http1_bytes(answer)).await?;
    stream.shutdown().await
}

/// An answer in HTTP/1.1, for a connection that closes.
fn http1_bytes(answer: &Response<Bytes>) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {}\r\n", answer.status()).into_bytes();
    for (name, value) in answer.headers() {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend(format!("content-length: {}\r\nconnection: close\r\n\r\n", answer.body().len()).into_bytes());
    bytes.extend_from_slice(answer.body());
    bytes
}
