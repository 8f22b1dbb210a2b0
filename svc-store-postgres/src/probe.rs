//! The readiness check.

use std::time::Duration;

use sqlx::migrate::Migrator;
use tokio::time::Instant;

use crate::database::Database;
use crate::schema::{History, MIGRATOR, OpenError, own_migrations};

/// How long all connections for requests may be in use, without one returning, before they count as
/// stuck.
const STUCK: Duration = Duration::from_secs(3);

/// Checks readiness: the database answers over the store's own connections, accepts writes and has
/// the schema, and the connections for requests are not stuck. A busy pool is not a fault.
#[derive(Debug)]
pub struct Probe {
    requests: Database,
    service: Database,
    /// The migrations of hosts' own tables.
    own: Vec<Migrator>,
    /// Whether the schema was found to be up to date; migrations are never undone.
    current: bool,
    /// The number of returned connections when all were first seen in use, and the time of that.
    full: Option<(u64, Instant)>,
}

impl Probe {
    pub(crate) fn new(requests: Database, service: Database) -> Self {
        Self { requests, service, own: Vec::new(), current: false, full: None }
    }

    /// Checks a host's own tables too: see
    /// [`PostgresStore::migrate_own`](crate::PostgresStore::migrate_own).
    pub fn and_own(mut self, host: &str, migrations: Migrator) -> Result<Self, OpenError> {
        self.own.push(own_migrations(host, migrations)?);
        Ok(self)
    }

    /// Waits for an answer. The caller sets the time limit; a cancelled check can be repeated. A
    /// schema that lacks one of this program's migrations is an error; one with additional
    /// migrations is not.
    pub async fn check(&mut self) -> Result<(), OpenError> {
        // The connection may have died in a restart that is already over; then no other connection
        // is broken.
        let read_only = match self.is_read_only().await {
            Err(_) => self.is_read_only().await?,
            Ok(read_only) => read_only,
        };
        if read_only {
            return Err(OpenError::ReadOnly);
        }
        if !self.current {
            for migrator in std::iter::once(&*MIGRATOR).chain(&self.own) {
                let history = History::read(self.service.of_all(), migrator).await?;
                if !history.has_all(migrator) {
                    return Err(OpenError::Outdated);
                }
                history.log_newer(migrator);
            }
            self.current = true;
        }
        if self.is_stuck() { Err(OpenError::Stuck) } else { Ok(()) }
    }

    async fn is_read_only(&self) -> Result<bool, sqlx::Error> {
        let statement = "SELECT current_setting('transaction_read_only')::boolean";
        sqlx::query_scalar(statement).fetch_one(self.service.of_all()).await
    }

    /// Whether no request gets a connection and none returns.
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
