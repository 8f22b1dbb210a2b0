//! Opening, migrating and closing the store.

use std::sync::Arc;

use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;

use crate::database::Database;
use crate::probe::Probe;
use crate::replica::Replica;
use crate::schema::{History, MIGRATOR, OpenError, Patience, migrate};
use crate::settings::Settings;

/// A [`svc_core::store::Store`] on a PostgreSQL database, version 14 or later.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    pub(crate) database: Database,
    pub(crate) replica: Option<Arc<Replica>>,
    patience: Patience,
}

impl PostgresStore {
    /// The store of the database at `url` (`postgres://user:password@host/database`). It connects at the first statement.
    pub fn open(url: &str, settings: &Settings) -> Result<Self, OpenError> {
        Ok(Self::with_options(url.parse().map_err(OpenError::Url)?, settings))
    }

    /// The store of a database by its connection options.
    pub fn with_options(options: PgConnectOptions, settings: &Settings) -> Self {
        Self { database: Database::new(options, settings), replica: None, patience: Patience::new(settings) }
    }

    /// With a replica at `url`, from which lists are read; see [`PostgresStore::with_replica_options`].
    pub fn with_replica(self, url: &str, settings: &Settings) -> Result<Self, OpenError> {
        Ok(self.with_replica_options(url.parse().map_err(OpenError::ReplicaUrl)?, settings))
    }

    /// With a replica, by its connection options, from which lists are read, and nothing else.
    ///
    /// What it yields is as old as the replica is behind: nothing here measures how far that is. A company reads from the primary for
    /// one second after it wrote through this store, so that it finds what it wrote; through another process it may have to wait
    /// until the replica has it. A replica that fails, or takes longer than three seconds, is left alone for five; its reads go to the
    /// primary.
    #[must_use]
    pub fn with_replica_options(mut self, options: PgConnectOptions, settings: &Settings) -> Self {
        self.replica = Some(Arc::new(Replica::new(options, settings)));
        self
    }

    /// Brings the schema up to date; gives how many migrations it took, none when there is nothing to do. A schema that a later
    /// release has brought further is left as it is: this program can work with it.
    ///
    /// Migrations run on a connection of their own, and as long as they need. Those that lock a table wait for it for
    /// [`Settings::migration_lock_timeout`] at a time, so that servers that answer meanwhile are not held up for longer. Processes that
    /// migrate at once wait for each other, for [`Settings::migration_patience`] at the most, by a lock of the session's: behind a
    /// pooler in transaction mode, where sessions keep nothing, a schema that is not up to date is [`OpenError::Pooled`].
    pub async fn migrate(&self) -> Result<u64, OpenError> {
        // Without the lock: a server that finds its schema up to date starts while another release's migration runs.
        let history = History::read(&self.database).await?;
        history.log_newer(&MIGRATOR);
        if history.pending(&MIGRATOR)?.is_empty() {
            return Ok(0);
        }
        if self.database.is_pooled() {
            return Err(OpenError::Pooled);
        }
        migrate(&self.database.pool().connect_options(), &MIGRATOR, self.patience).await
    }

    /// The pool, for what a front end wants of it (a readiness check, figures).
    pub fn pool(&self) -> &PgPool {
        self.database.pool()
    }

    /// Checks whether the database answers.
    pub fn probe(&self) -> Probe {
        Probe::new(self.database.pool().connect_options().as_ref().clone())
    }

    /// Waits until its connections are returned, and closes them.
    pub async fn close(&self) {
        if let Some(replica) = &self.replica {
            replica.close().await;
        }
        self.database.pool().close().await;
    }
}
