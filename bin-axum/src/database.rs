//! The database of a command: the one at `DATABASE_URL`, or a private one.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use svc_core::{Context, ContextBuilder};
use svc_local_postgres::Cluster;
use svc_store_postgres::{OpenError, PostgresStore, Probe, Settings};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep, timeout};

use crate::cli::DatabaseArgs;
use crate::failure::Failure;
use crate::parts::Parts;

/// The database's name in the private cluster.
const NAME: &str = "svc";

/// The pause between attempts to reach the database.
const RETRY: Duration = Duration::from_secs(2);

/// How often a command looks whether the server that another one started still runs.
const WATCH: Duration = Duration::from_secs(1);

/// How long closing the connections may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Names the database in a failure to use it.
pub(crate) fn named(failure: Failure, args: &DatabaseArgs) -> Failure {
    let store = args.url().and_then(|url| PostgresStore::open(url, &Settings::default()).ok());
    match (failure.of_database(), store) {
        (Some(text), Some(store)) => Failure::Other(described(&store, text)),
        _ => failure,
    }
}

/// An error of a database with its host and port. The server's own text may name the user, who
/// belongs to the credentials.
pub(crate) fn described(store: &PostgresStore, error: impl fmt::Display) -> String {
    let options = store.options();
    let text = error.to_string().replace(&format!("\"{}\"", options.get_username()), "…");
    format!("the database at {}:{}: {text}", options.get_host(), options.get_port())
}

/// The private server that a command uses. If another command started it, this one starts it anew
/// when that one ends, at the same address, so that the store's next connections reach it.
struct PrivateServer {
    cluster: Arc<Mutex<Cluster>>,
    watch: Option<JoinHandle<()>>,
}

impl PrivateServer {
    fn new(cluster: Cluster) -> Self {
        let (is_owner, dir) = (cluster.is_owner(), cluster.dir().to_owned());
        let cluster = Arc::new(Mutex::new(cluster));
        let watch = (!is_owner).then(|| tokio::spawn(take_over(cluster.clone(), dir)));
        Self { cluster, watch }
    }

    /// Stops the server, if this command started it.
    async fn stop(self) -> Result<(), Failure> {
        if let Some(watch) = self.watch {
            watch.abort();
            // It is gone with its share of the cluster.
            let _ = watch.await;
        }
        let Some(cluster) = Arc::into_inner(self.cluster) else { return Ok(()) };
        let cluster = cluster.into_inner().unwrap_or_else(PoisonError::into_inner);
        let stopping = spawn_blocking(|| cluster.stop());
        Ok(stopping.await.map_err(|error| Failure::Other(error.to_string()))??)
    }
}

/// Opens the cluster again and again until this command has started its server.
async fn take_over(cluster: Arc<Mutex<Cluster>>, dir: PathBuf) {
    loop {
        sleep(WATCH).await;
        let dir = dir.clone();
        match spawn_blocking(move || Cluster::open(&dir)).await {
            Ok(Ok(opened)) if opened.is_owner() => {
                tracing::info!("the command that ran the private database has ended; this one runs it now");
                *cluster.lock().unwrap_or_else(PoisonError::into_inner) = opened;
                return;
            }
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the private database cannot be opened again"),
            Err(_) => return,
        }
    }
}

/// A store, with its private server, if any, which stops on drop.
pub(crate) struct OpenedDatabase {
    pub(crate) store: PostgresStore,
    server: Option<PrivateServer>,
    /// A store that bypasses the pooler, for migrations, if such an address is set.
    direct: Option<PostgresStore>,
    /// The host's parts, whose tables belong to it.
    parts: Parts,
}

impl OpenedDatabase {
    /// Opens the database at `DATABASE_URL`, or a private one in the data directory.
    pub(crate) async fn open(args: &DatabaseArgs, parts: &Parts) -> Result<Self, Failure> {
        let mut settings = Settings::default();
        let apart = settings.service_connections + settings.background_connections;
        settings.max_connections = args.max_connections.saturating_sub(apart).max(1);
        settings.private_hosts = args.private_hosts();
        match args.url() {
            Some(url) => Self::at(url, args, &settings, parts.clone()),
            None if args.url_is_empty() => Err(Failure::Other(
                "DATABASE_URL is empty: without the variable, a private database is used".to_owned(),
            )),
            None if args.is_about_an_address() => Err(Failure::Other(
                "SVC_POOLER, DATABASE_DIRECT_URL and DATABASE_REPLICA_URL go with DATABASE_URL".to_owned(),
            )),
            None => Self::private(&args.data_dir, &settings, parts.clone()).await,
        }
    }

    fn at(url: &str, args: &DatabaseArgs, settings: &Settings, parts: Parts) -> Result<Self, Failure> {
        let mut past_the_pooler = settings.clone();
        past_the_pooler.max_connections = 2;
        let mut settings = settings.clone();
        settings.pooler = args.pooler;
        let mut store = PostgresStore::open(url, &settings)?;
        if let Some(replica) = args.replica_url() {
            store = store.with_replica(replica, &settings)?;
        }
        let direct = args.direct_url().map(|url| PostgresStore::open(url, &past_the_pooler));
        Ok(Self { store, server: None, direct: direct.transpose()?, parts })
    }

    /// The store that bypasses the pooler, if its address is set.
    pub(crate) fn direct(&self) -> Option<&PostgresStore> {
        self.direct.as_ref()
    }

    /// The hosts of its addresses that are other machines and not verified.
    pub(crate) fn unverified_hosts(&self) -> BTreeSet<String> {
        std::iter::once(&self.store).chain(&self.direct).flat_map(PostgresStore::unverified_hosts).collect()
    }

    /// Logs a warning if a database on another machine is not verified.
    pub(crate) fn warn_if_unverified(&self) {
        PostgresStore::warn_of_unverified_hosts(std::iter::once(&self.store).chain(&self.direct));
    }

    /// The directory that the private database would be made in, if `DATABASE_URL` is not set and
    /// there is none yet.
    pub(crate) fn missing(args: &DatabaseArgs) -> Result<Option<PathBuf>, Failure> {
        if args.url().is_some() {
            return Ok(None);
        }
        // Root's is elsewhere if the server's user cannot reach this directory.
        let dir = Cluster::location(&args.data_dir)?;
        Ok((!dir.join("cluster").exists()).then_some(dir))
    }

    /// Logs where the private database is, if it is one.
    pub(crate) fn announce(args: &DatabaseArgs) -> Result<(), Failure> {
        if args.url().is_none() && !args.url_is_empty() {
            let dir = Cluster::location(&args.data_dir)?;
            tracing::info!(dir = %dir.display(), "DATABASE_URL is not set: the database is a private one");
        }
        Ok(())
    }

    /// Brings the schema up to date; returns the number of applied migrations. Waits for a database
    /// that cannot be reached yet.
    pub(crate) async fn migrate(&self, longest: Duration) -> Result<u64, Failure> {
        self.migrate_telling(longest, &mut |_, _| ()).await
    }

    /// [`Self::migrate`], which reports how many of the API's own migrations are applied.
    pub(crate) async fn migrate_telling(
        &self,
        longest: Duration,
        progress: &mut (dyn FnMut(u64, u64) + Send),
    ) -> Result<u64, Failure> {
        let began = Instant::now();
        let mut migrated = self.migrate_now(progress).await;
        while let Err(error) = &migrated
            && error.is_unreachable()
            && began.elapsed() + RETRY < longest
        {
            tracing::warn!("waiting for {}", described(self.direct.as_ref().unwrap_or(&self.store), error));
            sleep(RETRY).await;
            migrated = self.migrate_now(progress).await;
        }
        match migrated {
            Err(error @ OpenError::Pooled) => Err(Failure::Other(format!("{error} (DATABASE_DIRECT_URL)"))),
            Err(error @ OpenError::FormerNumbering) if self.server.is_some() => {
                Err(Failure::Other(format!("{error} (delete the directory SVC_DATA_DIR, or name another)")))
            }
            outcome => Ok(outcome?),
        }
    }

    async fn migrate_now(&self, progress: &mut (dyn FnMut(u64, u64) + Send)) -> Result<u64, OpenError> {
        let store = self.direct.as_ref().unwrap_or(&self.store);
        Ok(store.migrate_telling(progress).await? + self.parts.migrate(store).await?)
    }

    /// Starts a context over the database, with the host's parts.
    pub(crate) fn context(&self, base_url: impl Into<String>) -> ContextBuilder {
        self.parts.apply(Context::builder(Arc::new(self.store.clone()), base_url))
    }

    /// A check of readiness, of the hosts' own tables too.
    pub(crate) fn probe(&self) -> Result<Probe, Failure> {
        Ok(self.parts.probe(&self.store)?)
    }

    /// Distributes the tables over the engine's workers; returns their number.
    pub(crate) async fn distribute(&self) -> Result<u64, Failure> {
        Ok(self.direct.as_ref().unwrap_or(&self.store).distribute().await?)
    }

    async fn private(dir: &Path, settings: &Settings, parts: Parts) -> Result<Self, Failure> {
        let dir = dir.to_owned();
        let opening = spawn_blocking(move || Cluster::open(&dir));
        let cluster = opening.await.map_err(|error| Failure::Other(error.to_string()))??;
        cluster.create_database(NAME).await.map_err(svc_store_postgres::OpenError::from)?;
        let store = PostgresStore::with_options(cluster.options(NAME), settings);
        Ok(Self { store, server: Some(PrivateServer::new(cluster)), direct: None, parts })
    }

    /// Opens the database as [`Self::open`] does, and migrates a private one: there, every command
    /// migrates.
    pub(crate) async fn ready(args: &DatabaseArgs, parts: &Parts) -> Result<Self, Failure> {
        let database = Self::open(args, parts).await?;
        if database.server.is_some() {
            database.migrate(Duration::ZERO).await?;
        }
        Ok(database)
    }

    /// Closes the connections, then stops the private server. A connection that remains in use is
    /// abandoned after a short wait: it ends with the process.
    pub(crate) async fn close(self) -> Result<(), Failure> {
        let closing = async {
            self.store.close().await;
            if let Some(direct) = &self.direct {
                direct.close().await;
            }
        };
        if timeout(CLOSE_TIMEOUT, closing).await.is_err() {
            tracing::warn!("not all connections to the database were handed back");
        }
        match self.server {
            Some(server) => server.stop().await,
            None => Ok(()),
        }
    }
}
