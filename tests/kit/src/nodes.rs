//! The servers of the tests' databases: one private PostgreSQL, or with `SVC_TEST_CITUS=1` in the
//! environment a coordinator and two workers of Citus, with every table distributed.
//! `docs/scaling.md` lists what does not work there yet.

use std::io::{self, Write as _};

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};
use svc_local_postgres::Cluster;
use svc_store_postgres::{PostgresStore, Settings};

/// The settings of a node: few shards, so that a database is copied quickly.
const NODE: [&str; 6] = [
    "shared_preload_libraries=citus,pg_stat_statements",
    "citus.shard_count=4",
    "citus.enable_statistics_collection=off",
    "max_prepared_transactions=200",
    "max_worker_processes=64",
    "citus.max_cached_conns_per_worker=1",
];

/// Further settings of workers, which the store's session settings do not reach.
const WORKER: [&str; 3] = ["lock_timeout=5s", "enable_seqscan=off", "jit=off"];

const WORKERS: usize = 2;

/// Settings of a server that loses no commit, as PostgreSQL is by itself.
const DURABLE: [&str; 4] = ["fsync=on", "synchronous_commit=on", "full_page_writes=on", "max_wal_size=1GB"];

/// The servers; they stop with the process.
pub(crate) struct Nodes {
    coordinator: Cluster,
    workers: Vec<Cluster>,
}

impl Nodes {
    /// Starts them. If the engine is requested and its library is missing, prints a message past
    /// the capture of test output.
    pub(crate) async fn start() -> Self {
        let wanted = |name| std::env::var(name).is_ok_and(|wanted| wanted == "1");
        if wanted("SVC_TEST_CITUS") {
            match Self::start_engine().await {
                Ok(nodes) => return nodes,
                Err(error) => {
                    let _ = writeln!(io::stderr(), "SKIPPED: the distributed engine, which does not start: {error}");
                }
            }
        }
        let settings = if wanted("SVC_TEST_DURABLE") { DURABLE.to_vec() } else { Vec::new() };
        let coordinator = started(settings).await.expect("a private PostgreSQL");
        Self { coordinator, workers: Vec::new() }
    }

    async fn start_engine() -> Result<Self, String> {
        let coordinator = started(NODE.to_vec()).await?;
        let mut workers = Vec::new();
        for _ in 0..WORKERS {
            workers.push(started([&NODE[..], &WORKER].concat()).await?);
        }
        Ok(Self { coordinator, workers })
    }

    /// The server to connect to.
    pub(crate) fn coordinator(&self) -> &Cluster {
        &self.coordinator
    }

    /// Runs a statement on every server.
    pub(crate) async fn everywhere(&self, statement: &str) -> Result<(), sqlx::Error> {
        for node in std::iter::once(&self.coordinator).chain(&self.workers) {
            run(&node.options("postgres"), statement).await?;
        }
        Ok(())
    }

    /// Creates a database with the whole schema and `more`.
    pub(crate) async fn make_template(&self, name: &str, more: &'static str) {
        for node in std::iter::once(&self.coordinator).chain(&self.workers) {
            node.create_database(name).await.expect("the template");
            if !self.workers.is_empty() {
                run(&node.options(name), "CREATE EXTENSION citus").await.expect("the engine");
            }
        }
        let options = self.coordinator.options(name);
        let node = |options: &PgConnectOptions| {
            let socket = options.get_socket().expect("a socket").display().to_string();
            format!("('{socket}', {})", options.get_port())
        };
        if !self.workers.is_empty() {
            let set = format!("SELECT citus_set_coordinator_host{}", node(&options));
            run(&options, &set).await.expect("the coordinator is known");
        }
        for worker in &self.workers {
            let add = format!("SELECT citus_add_node{}", node(&worker.options(name)));
            run(&options, &add).await.expect("the worker is known");
        }
        let template = PostgresStore::with_options(options.clone(), &Settings::default());
        template.migrate().await.expect("the schema");
        if !self.workers.is_empty() {
            assert!(template.distribute().await.expect("distributed") > 40);
            assert_eq!(template.distribute().await.expect("nothing to do"), 0);
        }
        template.close().await;
        run(&options, more).await.expect("what tests look at");
    }

    /// Copies an unused database.
    pub(crate) async fn copy(&self, template: &str, name: &str) {
        let leave = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{template}' AND pid <> pg_backend_pid()"
        );
        // Servers before 15 can only copy files, which takes half as long as the usual way of later
        // ones.
        let connection = self.coordinator.options("postgres").connect().await.expect("a connection");
        let old = connection.server_version_num().is_some_and(|version| version < 150_000);
        connection.close().await.expect("the connection ends");
        let create =
            format!("CREATE DATABASE {name} TEMPLATE {template} {}", if old { "" } else { "STRATEGY file_copy" });
        for node in std::iter::once(&self.coordinator).chain(&self.workers) {
            let options = node.options("postgres");
            let mut attempts = 0;
            loop {
                if !self.workers.is_empty() {
                    // The engine's own sessions.
                    run(&options, &leave).await.expect("they leave");
                }
                match run(&options, &create).await {
                    Ok(()) => break,
                    Err(error) if attempts == 20 || self.workers.is_empty() => panic!("no database: {error}"),
                    Err(_) => attempts += 1,
                }
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
        }
    }
}

async fn started(settings: Vec<&'static str>) -> Result<Cluster, String> {
    let starting = tokio::task::spawn_blocking(move || Cluster::ephemeral_with(&settings));
    starting.await.expect("no panic").map_err(|error| error.to_string())
}

async fn run(options: &PgConnectOptions, statement: &str) -> Result<(), sqlx::Error> {
    let mut connection: PgConnection = options.connect().await?;
    let done = sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await;
    connection.close().await?;
    done.map(|_| ())
}
