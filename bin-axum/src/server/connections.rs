//! The open connections of clients.

use std::pin::pin;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use metrics::gauge;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::metric_names::CONNECTIONS;

/// How long a client may take to send a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(20);

/// How long connections may take to end once they are cut.
const CUT_TIMEOUT: Duration = Duration::from_millis(500);

/// What all connections do.
#[derive(Debug, Clone, Copy)]
enum Phase {
    /// They answer.
    Open,
    /// Each ends with the request that it has begun, if any.
    Draining,
    /// They end.
    Cut,
}

/// The open connections, each in a task of its own.
pub(super) struct Connections {
    app: axum::Router,
    phase: watch::Sender<Phase>,
}

impl Connections {
    pub(super) fn new(app: axum::Router) -> Self {
        Self { app, phase: watch::Sender::new(Phase::Open) }
    }

    /// Answers the requests of a connection until it ends.
    pub(super) fn answer(&self, stream: TcpStream) {
        tokio::spawn(answer(stream, self.app.clone(), self.phase.subscribe()));
    }

    /// Lets every connection end with the request that it has begun, and waits for that.
    pub(super) async fn drain(&self) {
        self.phase.send_replace(Phase::Draining);
        self.phase.closed().await;
    }

    /// Ends every connection, and with it the request in progress, which gives up its database connection.
    pub(super) async fn cut(&self) {
        self.phase.send_replace(Phase::Cut);
        // Each ends at its next await point; one that computes is not waited for.
        let _ = timeout(CUT_TIMEOUT, self.phase.closed()).await;
    }
}

async fn answer(stream: TcpStream, app: axum::Router, mut phase: watch::Receiver<Phase>) {
    let _counted = CountedConnection::new();
    // Small answers go out at once instead of waiting for more.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
    let mut connection = pin!(connection);
    loop {
        tokio::select! {
            // A request that has arrived is taken before the connection is asked to end.
            biased;
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "connection ended early");
                }
                return;
            }
            changed = phase.changed() => match *phase.borrow_and_update() {
                Phase::Draining if changed.is_ok() => connection.as_mut().graceful_shutdown(),
                Phase::Open if changed.is_ok() => {}
                _ => return,
            },
        }
    }
}

/// Counts a connection for as long as it lives.
struct CountedConnection;

impl CountedConnection {
    fn new() -> Self {
        gauge!(CONNECTIONS).increment(1.0);
        Self
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        gauge!(CONNECTIONS).decrement(1.0);
    }
}
