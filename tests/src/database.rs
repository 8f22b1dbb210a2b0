//! One private PostgreSQL cluster a test binary, one database a test.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use sqlx::AssertSqlSafe;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use svc_store_postgres::local::Cluster;
use svc_store_postgres::{PostgresStore, Settings};
use tokio::sync::OnceCell;

use crate::pooler::PgBouncer;

/// The cluster of this test binary; it goes when the process does.
static CLUSTER: OnceCell<Cluster> = OnceCell::const_new();

const TEMPLATE: &str = "plantilla";

/// The databases that were made and not dropped yet, each with the stores over it.
static MADE: Mutex<Vec<(String, [Weak<PostgresStore>; 2])>> = Mutex::new(Vec::new());

/// What was emitted: events, and those that still wait to be grouped after them; `lugar` is their position in the table.
const EVENTS: &str = "
    CREATE VIEW emitidos AS
    SELECT *, row_number() OVER () AS lugar FROM (
        SELECT empresa, id, tipo, recurso, recurso_clave, cuerpo, creado FROM eventos
        UNION ALL
        SELECT empresa, id, tipo, recurso, recurso_clave, cuerpo, primero FROM eventos_agrupados
    ) t";

/// A new database with the whole schema. Databases no longer in use are dropped first.
pub(crate) async fn fresh() -> PgConnectOptions {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let cluster = CLUSTER.get_or_init(start).await;
    let name = format!("prueba_{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let mut admin = cluster.options("postgres").connect().await.expect("a connection");
    for unused in unused() {
        let drop = sqlx::query(AssertSqlSafe(format!("DROP DATABASE {unused} WITH (FORCE)")));
        drop.execute(&mut admin).await.expect("the database is dropped");
    }
    // Copying files is the only way of servers before 15, and half as long as the usual way of later ones.
    let strategy =
        if admin.server_version_num().is_some_and(|version| version < 150_000) { "" } else { "STRATEGY file_copy" };
    sqlx::query(AssertSqlSafe(format!("CREATE DATABASE {name} TEMPLATE {TEMPLATE} {strategy}")))
        .execute(&mut admin)
        .await
        .expect("a database from the template");
    admin.close().await.expect("the connection ends");
    cluster.options(&name)
}

/// Has the database that these stores are over dropped, once they are gone: the test that made it is over then.
pub(crate) fn drop_after(stores: [&Arc<PostgresStore>; 2]) {
    let name = stores[0].options().get_database().expect("a database").to_owned();
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.push((name, stores.map(Arc::downgrade)));
}

/// The databases whose stores are gone.
fn unused() -> Vec<String> {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let unused = made.extract_if(.., |(_, stores)| stores.iter().all(|store| store.strong_count() == 0));
    unused.map(|(name, _)| name).collect()
}

/// The pooler before the cluster, if the machine has one.
pub(crate) async fn pooler() -> Option<&'static PgBouncer> {
    /// It goes when the process does, too.
    static POOLER: OnceCell<Option<PgBouncer>> = OnceCell::const_new();
    let cluster = CLUSTER.get_or_init(start).await;
    POOLER.get_or_init(async || PgBouncer::start(cluster.dir())).await.as_ref()
}

/// The address that `options` stand for: a socket, and a user without password.
pub(crate) fn url(options: &PgConnectOptions) -> String {
    let socket = options.get_socket().expect("the cluster has a socket").display().to_string();
    let (user, port, database) =
        (options.get_username(), options.get_port(), options.get_database().unwrap_or_default());
    format!("postgres://{user}@localhost:{port}/{database}?host={socket}&sslmode=disable")
}

async fn start() -> Cluster {
    let cluster =
        tokio::task::spawn_blocking(Cluster::ephemeral).await.expect("no panic").expect("a private PostgreSQL");
    cluster.create_database(TEMPLATE).await.expect("the template");
    let template = PostgresStore::with_options(cluster.options(TEMPLATE), &Settings::default());
    template.migrate().await.expect("the schema");
    sqlx::query(EVENTS).execute(&crate::pool_of(&template)).await.expect("the view of events");
    template.close().await;
    cluster
}
