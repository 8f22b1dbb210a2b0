//! The open connections of clients.

use std::sync::Arc;
use std::time::Duration;

use metrics::{counter, gauge};
use svc_core::Api;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use super::client_stream::Deadlines;
use super::connection::{self, Phase};
use crate::metric_names::{CONNECTIONS, CONNECTIONS_REFUSED};

/// How long connections may take to end once they are cut.
const CUT_TIMEOUT: Duration = Duration::from_millis(500);

/// The most refused connections open at the same time, each for at most 3 s. Further ones are
/// answered and closed at once, even if they have not sent their request.
pub(super) const REFUSALS: usize = 256;

/// The open connections, each in a task of its own.
pub(super) struct Connections {
    api: Api,
    app: axum::Router,
    deadlines: Deadlines,
    room: Arc<Semaphore>,
    refusals: Arc<Semaphore>,
    phase: watch::Sender<Phase>,
}

impl Connections {
    /// Accepts at most `max` connections of clients of `app` at once; `api` words the answer to the
    /// others.
    pub(super) fn new(api: Api, app: axum::Router, max: usize, deadlines: Deadlines) -> Self {
        let (room, refusals) = (Arc::new(Semaphore::new(max)), Arc::new(Semaphore::new(REFUSALS)));
        Self { api, app, deadlines, room, refusals, phase: watch::Sender::new(Phase::Open) }
    }

    /// Answers the requests of a connection until it ends, or refuses it if too many are open.
    pub(super) fn answer(&self, stream: TcpStream) {
        let Ok(place) = Arc::clone(&self.room).try_acquire_owned() else { return self.refuse(stream) };
        let answered = connection::answer(stream, self.app.clone(), self.deadlines, self.phase.subscribe());
        tokio::spawn(async move {
            let _counted = CountedConnection::new();
            answered.await;
            drop(place);
        });
    }

    fn refuse(&self, stream: TcpStream) {
        counter!(CONNECTIONS_REFUSED).increment(1);
        let answer = self.api.overloaded();
        match Arc::clone(&self.refusals).try_acquire_owned() {
            Ok(place) => {
                tokio::spawn(async move {
                    connection::refuse(stream, answer).await;
                    drop(place);
                });
            }
            Err(_) => connection::refuse_at_once(&stream, &answer),
        }
    }

    /// Lets every connection finish its current request, and waits for that.
    pub(super) async fn drain(&self) {
        self.phase.send_replace(Phase::Draining);
        self.phase.closed().await;
    }

    /// Ends every connection with its current request, which releases its database connection.
    pub(super) async fn cut(&self) {
        self.phase.send_replace(Phase::Cut);
        // Each ends at its next await point; one that computes is abandoned.
        let _ = timeout(CUT_TIMEOUT, self.phase.closed()).await;
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
