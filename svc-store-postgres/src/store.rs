//! Opening, migrating and closing the store.

use std::sync::Arc;

use futures_util::future::join_all;
use sqlx::migrate::Migrator;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use svc_core::store::StoreError;
use tokio::sync::OnceCell;

use crate::database::Database;
use crate::pool::{Access, Connections};
use crate::probe::Probe;
use crate::replica::Replica;
use crate::run::Run as _;
use crate::schema::{
    HAS_ENGINE, History, HistoryAttempts, MIGRATOR, MigrationProgress, OpenError, Patience, distribute, migrate,
    own_migrations,
};
use crate::searches::Searches;
use crate::settings::Settings;
use crate::sql::sql;
use crate::tls::unverified_host;

/// A [`svc_core::store::Store`] on a PostgreSQL database, version 15 or later.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    /// For requests.
    pub(crate) requests: Database,
    /// For the service's own statements: keys, usage, readiness.
    pub(crate) service: Database,
    /// For background work.
    pub(crate) background: Database,
    pub(crate) replica: Option<Arc<Replica>>,
    pub(crate) searches: Arc<Searches>,
    patience: Patience,
    private_hosts: Arc<[String]>,
    distributed: OnceCell<bool>,
}

/// The connection options of an address. The driver takes any scheme.
fn options(url: &str) -> Result<PgConnectOptions, sqlx::Error> {
    let scheme = url.trim_start().split(':').next().unwrap_or_default();
    if ["postgres", "postgresql"].iter().any(|own| scheme.eq_ignore_ascii_case(own)) {
        url.parse()
    } else {
        Err(sqlx::Error::Configuration("it begins with postgres:// or postgresql://".into()))
    }
}

impl PostgresStore {
    /// The store of the database at `url` (`postgres://user:password@host/database`). It connects
    /// when it runs the first statement.
    pub fn open(url: &str, settings: &Settings) -> Result<Self, OpenError> {
        Ok(Self::with_options(options(url).map_err(OpenError::Url)?, settings))
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
            private_hosts: settings.private_hosts.clone().into(),
            distributed: OnceCell::new(),
        }
    }

    /// Whether the database may be distributed, so that a write names one company. It is read once.
    pub(crate) async fn is_distributed(&self) -> Result<bool, StoreError> {
        let read = || async { self.service.of_all().value(sql!(HAS_ENGINE)).await };
        self.distributed.get_or_try_init(read).await.copied()
    }

    /// Reads lists from the replica at `url`: see [`PostgresStore::with_replica_options`].
    pub fn with_replica(self, url: &str, settings: &Settings) -> Result<Self, OpenError> {
        Ok(self.with_replica_options(options(url).map_err(OpenError::ReplicaUrl)?, settings))
    }

    /// Reads lists, and nothing else, from a replica.
    ///
    /// Lists are as old as the replica lags behind; nothing here measures the lag. For one second
    /// after a write through this store, a company reads from the primary, so that it finds what it
    /// wrote; a write through another process may be missing until the replica has it. A replica
    /// that fails or takes longer than three seconds is not used for five seconds: lists are read
    /// from the primary.
    #[must_use]
    pub fn with_replica_options(mut self, options: PgConnectOptions, settings: &Settings) -> Self {
        self.replica = Some(Arc::new(Replica::new(options, settings)));
        self
    }

    /// Brings the schema up to date; returns the number of migrations. A schema of a later release
    /// stays as it is: this program works with it.
    ///
    /// Migrations run on a connection of their own, and as long as they need. Those that lock a
    /// table wait for it for [`Settings::migration_lock_timeout`] at a time, so that servers that
    /// answer meanwhile are not held up for longer, and so for the table of the history. Processes
    /// that migrate at once wait for each other, for [`Settings::migration_patience`] at the most,
    /// by a lock of the session's: behind a pooler in transaction mode, where sessions keep
    /// nothing, a schema that is not up to date is [`OpenError::Pooled`].
    pub async fn migrate(&self) -> Result<u64, OpenError> {
        self.migrate_telling(&mut |_, _| ()).await
    }

    /// [`Self::migrate`], which reports before and after each migration how many of the pending
    /// ones are applied; it reports nothing if none is pending.
    pub async fn migrate_telling(&self, progress: &mut (dyn FnMut(u64, u64) + Send)) -> Result<u64, OpenError> {
        self.migrate_by(&MIGRATOR, progress).await
    }

    /// Brings a host's own tables up to date, after Svc's schema, by the same rules; returns the
    /// number of its migrations. `host` (up to 50 lower-case letters, digits and `_`) names the table
    /// in which they are recorded, so that the two histories have nothing to do with each other;
    /// `metadatos` is that of [`metadata`](crate::metadata). Migrations have different numbers,
    /// from 1 on.
    ///
    /// Every table begins its key with the column `empresa`, and where the database is distributed
    /// it is distributed by that column.
    ///
    /// ```no_run
    /// # async fn migrate(store: &svc_store_postgres::PostgresStore) -> Result<(), svc_store_postgres::OpenError> {
    /// let parcels = "CREATE TABLE paquetes (empresa bigint, clave bigint, PRIMARY KEY (empresa, clave))";
    /// let migrations = svc_store_postgres::migrations(&[("0001_parcels", parcels)]);
    /// store.migrate_own("paqueteria", migrations).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn migrate_own(&self, host: &str, migrations: Migrator) -> Result<u64, OpenError> {
        let migrations = own_migrations(host, migrations)?;
        self.migrate().await?;
        self.migrate_by(&migrations, &mut |_, _| ()).await.map_err(|error| error.of_host(host))
    }

    async fn migrate_by(&self, migrator: &Migrator, progress: MigrationProgress<'_>) -> Result<u64, OpenError> {
        // Without the lock: a server that finds its schema up to date starts while another
        // release's migration runs.
        let attempts = HistoryAttempts::new(self.patience);
        let history = loop {
            match History::read(self.requests.of_all(), migrator).await {
                Err(error) if attempts.pause_after(&error).await => {}
                outcome => break outcome?,
            }
        };
        history.log_newer(migrator);
        if history.pending(migrator)?.is_empty() {
            return Ok(0);
        }
        if self.requests.is_pooled() {
            return Err(OpenError::Pooled);
        }
        migrate(self.options(), migrator, self.patience, progress).await
    }

    /// Runs the migrations of a later release, for tests of deployments.
    #[doc(hidden)]
    pub async fn migrate_further(&self, release: &Migrator) -> Result<u64, OpenError> {
        migrate(self.options(), release, self.patience, &mut |_, _| ()).await
    }

    /// Brings the schema up to date, then distributes every table by `empresa`, all colocated, over
    /// the workers of Citus; returns the number of distributed tables. From then on
    /// [`PostgresStore::migrate`] distributes new tables itself. The rows from before remain in the
    /// coordinator's tables, hidden, until `truncate_local_data_after_distributing_table` is called
    /// for each.
    ///
    /// The database needs the extension `citus` with its workers, else this fails with
    /// [`OpenError::NoEngine`]. Like a migration it cannot run through a pooler. A table is locked
    /// while its rows move, so do it while no server answers.
    pub async fn distribute(&self) -> Result<u64, OpenError> {
        if self.requests.is_pooled() {
            return Err(OpenError::Pooled);
        }
        self.migrate().await?;
        distribute(self.options(), self.patience).await
    }

    /// The same store, whose requests count as background work.
    pub(crate) fn in_background(&self) -> Self {
        Self { requests: self.background.clone(), ..self.clone() }
    }

    /// The hosts of the database and its replica that are other machines and whose certificate is
    /// not verified (`sslmode` is neither `verify-full` nor `verify-ca`), but for
    /// [`Settings::private_hosts`].
    pub fn unverified_hosts(&self) -> Vec<String> {
        let replica = self.replica.as_ref().map(|replica| replica.options());
        let all = std::iter::once(self.options()).chain(replica);
        let is_private = |host: &&str| self.private_hosts.iter().any(|private| private == host);
        let hosts = all.filter_map(unverified_host).filter(|host| !is_private(host));
        hosts.map(str::to_owned).collect()
    }

    /// Logs one warning if any of these databases or their replicas is on another machine and not
    /// verified. It does not connect; a server calls it when it starts.
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

    /// Metrics of the connections for requests.
    pub fn connections(&self) -> Connections {
        self.requests.pool().connections()
    }

    /// The connection options, for an embedder's own connections.
    pub fn options(&self) -> &PgConnectOptions {
        self.requests.pool().options()
    }

    /// A check of readiness. Keep it from one check to the next, since it compares them.
    pub fn probe(&self) -> Probe {
        Probe::new(self.requests.clone(), self.service.clone())
    }

    /// Connects anew and waits for an answer, which a replica gives too. The caller sets the time
    /// limit.
    pub async fn ping(&self) -> Result<(), OpenError> {
        let mut connection = self.options().clone().connect().await?;
        connection.ping().await?;
        connection.close().await?;
        Ok(())
    }

    /// Closes all connections. It waits a few seconds for those in use.
    pub async fn close(&self) {
        if let Some(replica) = &self.replica {
            replica.close().await;
        }
        let pools = [&self.requests, &self.service, &self.background].map(|database| database.pool().close());
        join_all(pools).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_another_database_is_none() {
        for (url, is_taken) in [
            ("postgres://svc@localhost/svc", true),
            ("PostgreSQL:///svc?host=/run", true),
            ("mysql://svc@localhost/svc", false),
            ("localhost:5432", false),
        ] {
            assert_eq!(options(url).is_ok(), is_taken, "{url}");
        }
    }
}
