//! Opening, migrating and closing the store.

use std::sync::Arc;

use futures_util::future::join_all;
use sqlx::postgres::PgConnectOptions;

use crate::database::Database;
use crate::pool::{Access, Connections};
use crate::probe::Probe;
use crate::replica::Replica;
use crate::schema::{History, MIGRATOR, OpenError, Patience, distribute, migrate};
use crate::searches::Searches;
use crate::settings::Settings;
use crate::tls::unverified_host;

/// A [`svc_core::store::Store`] on a PostgreSQL database, version 14 or later.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    /// The connections of requests.
    pub(crate) requests: Database,
    /// Those of the service's own statements: keys, usage, readiness.
    pub(crate) service: Database,
    /// Those of background work.
    pub(crate) background: Database,
    pub(crate) replica: Option<Arc<Replica>>,
    pub(crate) searches: Arc<Searches>,
    patience: Patience,
}

impl PostgresStore {
    /// The store of the database at `url` (`postgres://user:password@host/database`). It connects
    /// at the first statement.
    pub fn open(url: &str, settings: &Settings) -> Result<Self, OpenError> {
        Ok(Self::with_options(url.parse().map_err(OpenError::Url)?, settings))
    }

    /// The store of a database by its connection options.
    pub fn with_options(options: PgConnectOptions, settings: &Settings) -> Self {
        let requests = Database::new(options.clone(), settings, Access::Write);
        let service = requests.apart(options.clone(), &settings.for_service());
        let background = requests.apart(options, &settings.for_background());
        Self {
            requests,
            service,
            background,
            replica: None,
            searches: Arc::default(),
            patience: Patience::new(settings),
        }
    }

    /// With a replica at `url`, from which lists are read; see
    /// [`PostgresStore::with_replica_options`].
    pub fn with_replica(self, url: &str, settings: &Settings) -> Result<Self, OpenError> {
        Ok(self.with_replica_options(url.parse().map_err(OpenError::ReplicaUrl)?, settings))
    }

    /// With a replica, by its connection options, from which lists are read, and nothing else.
    ///
    /// What it yields is as old as the replica is behind: nothing here measures how far that is. A
    /// company reads from the primary for one second after it wrote through this store, so that it
    /// finds what it wrote; through another process it may have to wait until the replica has it. A
    /// replica that fails, or takes longer than three seconds, is left alone for five; its reads go
    /// to the primary.
    #[must_use]
    pub fn with_replica_options(mut self, options: PgConnectOptions, settings: &Settings) -> Self {
        self.replica = Some(Arc::new(Replica::new(options, settings)));
        self
    }

    /// Brings the schema up to date; gives how many migrations it took, none when there is nothing
    /// to do. A schema that a later release has brought further is left as it is: this program can
    /// work with it.
    ///
    /// Migrations run on a connection of their own, and as long as they need. Those that lock a
    /// table wait for it for [`Settings::migration_lock_timeout`] at a time, so that servers that
    /// answer meanwhile are not held up for longer. Processes that migrate at once wait for each
    /// other, for [`Settings::migration_patience`] at the most, by a lock of the session's: behind
    /// a pooler in transaction mode, where sessions keep nothing, a schema that is not up to date
    /// is [`OpenError::Pooled`].
    pub async fn migrate(&self) -> Result<u64, OpenError> {
        // Without the lock: a server that finds its schema up to date starts while another
        // release's migration runs.
        let history = History::read(self.requests.of_all()).await?;
        history.log_newer(&MIGRATOR);
        if history.pending(&MIGRATOR)?.is_empty() {
            return Ok(0);
        }
        if self.requests.is_pooled() {
            return Err(OpenError::Pooled);
        }
        migrate(self.options(), &MIGRATOR, self.patience).await
    }

    /// Does the migrations of another release on top of this one's, for tests of deployments.
    #[doc(hidden)]
    pub async fn migrate_further(&self, release: &sqlx::migrate::Migrator) -> Result<u64, OpenError> {
        migrate(self.options(), release, self.patience).await
    }

    /// Distributes every table by `empresa`, all colocated, over the workers of Citus, after
    /// bringing the schema up to date; gives how many tables it distributed, none when there is
    /// nothing to do. From then on [`PostgresStore::migrate`] distributes new tables itself. What
    /// the rows had been before stays in the coordinator's tables, unseen, until
    /// `truncate_local_data_after_distributing_table` is called on each.
    ///
    /// It needs the extension `citus` in the database and workers that are known to it, else it
    /// fails with [`OpenError::NoEngine`]; and, like a migration, a connection that is no pooler's.
    /// A table is locked while its rows are moved: do it while no server answers.
    pub async fn distribute(&self) -> Result<u64, OpenError> {
        if self.requests.is_pooled() {
            return Err(OpenError::Pooled);
        }
        self.migrate().await?;
        distribute(self.options(), self.patience).await
    }

    /// The same, whose requests are background work.
    pub(crate) fn in_background(&self) -> Self {
        Self { requests: self.background.clone(), ..self.clone() }
    }

    /// The hosts of the database and of its replica that are other machines whose certificate is
    /// not verified (`sslmode` is neither `verify-full` nor `verify-ca`).
    pub fn unverified_hosts(&self) -> Vec<String> {
        let replica = self.replica.as_ref().map(|replica| replica.options());
        let all = std::iter::once(self.options()).chain(replica);
        all.filter_map(|options| unverified_host(options).map(str::to_owned)).collect()
    }

    /// Logs one warning if any of these databases or their replicas is on another machine and not
    /// verified: for a server's start. It connects to nothing.
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

    /// Its connections for requests, in figures.
    pub fn connections(&self) -> Connections {
        self.requests.pool().connections()
    }

    /// How connections are opened, for connections of an embedder's own.
    pub fn options(&self) -> &PgConnectOptions {
        self.requests.pool().options()
    }

    /// Checks whether the database answers.
    pub fn probe(&self) -> Probe {
        Probe::new(self.requests.clone(), self.service.clone())
    }

    /// Closes its connections. It waits a few seconds for those in use.
    pub async fn close(&self) {
        if let Some(replica) = &self.replica {
            replica.close().await;
        }
        let pools = [&self.requests, &self.service, &self.background].map(|database| database.pool().close());
        join_all(pools).await;
    }
}
