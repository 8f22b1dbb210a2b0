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
const HEAD: Duration = Duration::from_secs(20);

/// How long what is cut may take to be gone.
const GONE: Duration = Duration::from_millis(500);

/// Where all connections stand.
#[derive(Debug, Clone, Copy)]
enum Phase {
    /// They are answered.
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

    /// Answers whoever is at the other end, for as long as they ask.
    pub(super) fn answer(&self, stream: TcpStream) {
        tokio::spawn(answer(stream, self.app.clone(), self.phase.subscribe()));
    }

    /// Lets every connection end with the request that it has begun, and waits for that.
    pub(super) async fn drain(&self) {
        self.phase.send_replace(Phase::Draining);
        self.phase.closed().await;
    }

    /// Ends every connection: with it goes what is done for its request, and the database's connection that this holds.
    pub(super) async fn cut(&self) {
        self.phase.send_replace(Phase::Cut);
        // They end where they next wait; what computes is not waited for.
        let _ = timeout(GONE, self.phase.closed()).await;
    }
}

async fn answer(stream: TcpStream, app: axum::Router, mut phase: watch::Receiver<Phase>) {
    let _counted = Counted::new();
    // Small answers go out at once instead of waiting for more.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
    let mut connection = pin!(connection);
    loop {
        tokio::select! {
            // A request that has arrived is taken before the connection is told to end.
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

/// A connection, as long as it is counted.
struct Counted;

impl Counted {
    fn new() -> Self {
        gauge!(CONNECTIONS).increment(1.0);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        gauge!(CONNECTIONS).decrement(1.0);
    }
}
