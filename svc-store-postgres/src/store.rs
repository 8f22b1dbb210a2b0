//! Opening, migrating and closing the store.

use std::sync::Arc;

use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;

use crate::database::Database;
use crate::probe::Probe;
use crate::replica::Replica;
use crate::schema::{MIGRATOR, OpenError};
use crate::settings::Settings;
use crate::tls::unverified_host;

/// A [`svc_core::store::Store`] on a PostgreSQL database, version 14 or later.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    pub(crate) database: Database,
    pub(crate) replica: Option<Arc<Replica>>,
}

impl PostgresStore {
    /// The store of the database at `url` (`postgres://user:password@host/database`). It connects at the first statement.
    pub fn open(url: &str, settings: &Settings) -> Result<Self, OpenError> {
        Ok(Self::with_options(url.parse().map_err(OpenError::Url)?, settings))
    }

    /// The store of a database by its connection options.
    pub fn with_options(options: PgConnectOptions, settings: &Settings) -> Self {
        Self { database: Database::new(options, settings), replica: None }
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

    /// Brings the schema up to date; gives how many migrations it took. Processes that do so at once wait for each other, by
    /// a lock of the session's: behind a pooler in transaction mode, where sessions keep nothing, a schema that is not up to date is
    /// [`OpenError::Pooled`].
    pub async fn migrate(&self) -> Result<u64, OpenError> {
        let before = self.migrations().await?;
        if self.database.is_pooled() {
            let all = MIGRATOR.iter().filter(|migration| migration.migration_type.is_up_migration()).count();
            return if before < all as u64 { Err(OpenError::Pooled) } else { Ok(0) };
        }
        MIGRATOR.run(self.database.pool()).await?;
        Ok(self.migrations().await?.saturating_sub(before))
    }

    /// How many migrations have been done.
    async fn migrations(&self) -> Result<u64, sqlx::Error> {
        let exists: bool =
            sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NOT NULL").fetch_one(&self.database).await?;
        if !exists {
            return Ok(0);
        }
        let count: i64 =
            sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations WHERE success").fetch_one(&self.database).await?;
        u64::try_from(count).map_err(|error| sqlx::Error::Decode(error.into()))
    }

    /// The hosts of the database and of its replica that are other machines whose certificate is not verified (`sslmode` is
    /// neither `verify-full` nor `verify-ca`).
    pub fn unverified_hosts(&self) -> Vec<String> {
        let replica = self.replica.as_ref().map(|replica| replica.pool());
        let pools = std::iter::once(self.pool()).chain(replica);
        pools.filter_map(|pool| unverified_host(&pool.connect_options()).map(str::to_owned)).collect()
    }

    /// Logs one warning if any of these databases or their replicas is on another machine and not verified: for a server's
    /// start. It connects to nothing.
    pub fn warn_of_unverified_hosts<'s>(stores: impl IntoIterator<Item = &'s Self>) {
        let mut hosts: Vec<_> = stores.into_iter().flat_map(Self::unverified_hosts).collect();
        hosts.sort_unstable();
        hosts.dedup();
        if !hosts.is_empty() {
            tracing::warn!(
                ?hosts,
                "the database's certificate is not verified: anyone on the way can read and change everything; add \
                 ?sslmode=verify-full to its URL, and &sslrootcert=FILE if its authority is a private one"
            );
        }
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
