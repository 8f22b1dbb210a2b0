use std::time::Duration;

use svc_store_postgres::Probe;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::shutdown::Stop;

/// How long an answer of the database counts: it is asked no more often, whoever asks us.
const FRESH: Duration = Duration::from_secs(1);

/// How long the database may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// Why requests should go elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotReady {
    #[error("stopping")]
    Stopping,
    #[error("the database is not available")]
    Database,
}

/// Whether requests can be answered.
pub(super) struct Readiness {
    stop: Stop,
    /// Who asks meanwhile waits for the answer that is on its way.
    database: Mutex<Database>,
}

struct Database {
    probe: Probe,
    /// What it last said, and when.
    last: Option<(Instant, Result<(), NotReady>)>,
}

impl Readiness {
    pub(super) fn new(probe: Probe, stop: Stop) -> Self {
        Self { stop, database: Mutex::new(Database { probe, last: None }) }
    }

    pub(super) async fn ask(&self) -> Result<(), NotReady> {
        if self.stop.is_told() {
            return Err(NotReady::Stopping);
        }
        self.database.lock().await.ask().await
    }
}

impl Database {
    async fn ask(&mut self) -> Result<(), NotReady> {
        if let Some((at, said)) = self.last
            && at.elapsed() < FRESH
        {
            return said;
        }
        let before = self.last.is_none_or(|(_, said)| said.is_ok());
        let failure = match timeout(PATIENCE, self.probe.ask()).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some(format!("no answer within {PATIENCE:?}")),
        };
        // Once, when it changes: probes come every few seconds.
        match &failure {
            Some(failure) if before => tracing::warn!(failure, "not ready: the database is not available"),
            None if !before => tracing::info!("ready again: the database is back"),
            _ => {}
        }
        let said = if failure.is_some() { Err(NotReady::Database) } else { Ok(()) };
        self.last = Some((Instant::now(), said));
        said
    }
}
