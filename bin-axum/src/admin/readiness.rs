//! Whether requests can be answered.

use std::time::Duration;

use svc_store_postgres::Probe;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::shutdown::StopSignal;

/// How long a check of the database counts, so that frequent probes do not become frequent connections.
const FRESH: Duration = Duration::from_secs(1);

/// How long the database may take to answer.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Why requests should go to another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotReady {
    #[error("stopping")]
    Stopping,
    #[error("the database is not available")]
    Database,
}

/// Whether requests can be answered.
pub(super) struct Readiness {
    stop: StopSignal,
    /// Concurrent probes wait for one check.
    database: Mutex<DatabaseCheck>,
}

struct DatabaseCheck {
    probe: Probe,
    /// The last outcome, and when it was.
    last: Option<(Instant, Result<(), NotReady>)>,
}

impl Readiness {
    pub(super) fn new(probe: Probe, stop: StopSignal) -> Self {
        Self { stop, database: Mutex::new(DatabaseCheck { probe, last: None }) }
    }

    pub(super) async fn check(&self) -> Result<(), NotReady> {
        if self.stop.came() {
            return Err(NotReady::Stopping);
        }
        self.database.lock().await.run().await
    }
}

impl DatabaseCheck {
    async fn run(&mut self) -> Result<(), NotReady> {
        if let Some((at, outcome)) = self.last
            && at.elapsed() < FRESH
        {
            return outcome;
        }
        let before = self.last.is_none_or(|(_, outcome)| outcome.is_ok());
        let failure = match timeout(TIMEOUT, self.probe.check()).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some(format!("no answer within {TIMEOUT:?}")),
        };
        // Only when it changes: probes come every few seconds.
        match &failure {
            Some(failure) if before => tracing::warn!(failure, "not ready: the database is not available"),
            None if !before => tracing::info!("ready again: the database is back"),
            _ => {}
        }
        let outcome = if failure.is_some() { Err(NotReady::Database) } else { Ok(()) };
        self.last = Some((Instant::now(), outcome));
        outcome
    }
}
