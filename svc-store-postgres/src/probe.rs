//! The readiness check.

use std::time::Duration;

use tokio::time::Instant;

use crate::database::Database;
use crate::schema::{History, MIGRATOR, OpenError};

/// How long all connections for requests may be in use without one coming back before they count as stuck.
const STUCK: Duration = Duration::from_secs(3);

/// Checks that requests can be answered: that the database answers over the store's own connections, takes writes and has the
/// schema, and that the connections for requests are not stuck. A busy pool is no fault.
#[derive(Debug)]
pub struct Probe {
    requests: Database,
    service: Database,
    /// Whether the schema was found to be up to date; migrations are never undone.
    current: bool,
    /// How many connections had come back when all were first seen in use, and when that was.
    full: Option<(u64, Instant)>,
}

impl Probe {
    pub(crate) fn new(requests: Database, service: Database) -> Self {
        Self { requests, service, current: false, full: None }
    }

    /// Waits for an answer. The caller sets the time limit; a check that is cancelled can be repeated. A schema that lacks a
    /// migration of this program is an error; one that has more is none.
    pub async fn check(&mut self) -> Result<(), OpenError> {
        // The connection may have died in a restart that is over by now; then there is none like it left.
        let read_only = match self.is_read_only().await {
            Err(_) => self.is_read_only().await?,
            Ok(read_only) => read_only,
        };
        if read_only {
            return Err(OpenError::ReadOnly);
        }
        if !self.current {
            let history = History::read(self.service.of_all()).await?;
            if !history.has_all(&MIGRATOR) {
                return Err(OpenError::Outdated);
            }
            history.log_newer(&MIGRATOR);
            self.current = true;
        }
        if self.is_stuck() { Err(OpenError::Stuck) } else { Ok(()) }
    }

    async fn is_read_only(&self) -> Result<bool, sqlx::Error> {
        let statement = "SELECT current_setting('transaction_read_only')::boolean";
        sqlx::query_scalar(statement).fetch_one(self.service.of_all()).await
    }

    /// Whether no request gets a connection, and none comes back.
    fn is_stuck(&mut self) -> bool {
        let pool = self.requests.pool();
        let (connections, returned) = (pool.connections(), pool.returned());
        if connections.used < connections.max {
            self.full = None;
            return false;
        }
        match self.full {
            Some((before, since)) if before == returned => since.elapsed() > STUCK,
            _ => {
                self.full = Some((returned, Instant::now()));
                false
            }
        }
    }
}
