//! One database per test, or one for all, on the servers of the test's process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use sqlx::postgres::PgConnectOptions;
use svc_store_postgres::{PostgresStore, Settings};
use tokio::sync::OnceCell;

use crate::nodes::Nodes;
use crate::pooler::PgBouncer;
use crate::setup::Host;

/// The servers of this test binary; they stop with the process.
static NODES: OnceCell<Nodes> = OnceCell::const_new();

const TEMPLATE: &str = "plantilla";

const SHARED: &str = "compartida";

/// The databases that exist, each with the stores over it.
static MADE: Mutex<Vec<(String, [Weak<PostgresStore>; 2])>> = Mutex::new(Vec::new());

/// Emitted events, followed by those that still wait to be grouped; `lugar` is their position in
/// the table.
const EVENTS: &str = "
    CREATE VIEW emitidos AS
    SELECT *, row_number() OVER () AS lugar FROM (
        SELECT empresa, id, tipo, recurso, recurso_clave, cuerpo, creado FROM eventos
        UNION ALL
        SELECT empresa, id, tipo, recurso, recurso_clave, cuerpo, primero FROM eventos_agrupados
    ) t";

/// A new database with the whole schema. Unused databases are dropped first.
pub(crate) async fn fresh() -> PgConnectOptions {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let nodes = NODES.get_or_init(start).await;
    let name = format!("prueba_{}", COUNT.fetch_add(1, Ordering::Relaxed));
    for unused in unused() {
        nodes.everywhere(&format!("DROP DATABASE {unused} WITH (FORCE)")).await.expect("the database is dropped");
    }
    nodes.copy(TEMPLATE, &name).await;
    nodes.coordinator().options(&name)
}

/// The database that tests of this process share, with the tables of these hosts too.
pub(crate) async fn shared(hosts: &[Host]) -> PgConnectOptions {
    /// The hosts whose tables it has; none before it exists.
    static HOSTS: tokio::sync::Mutex<Option<Vec<&str>>> = tokio::sync::Mutex::const_new(None);
    let nodes = NODES.get_or_init(start).await;
    let options = nodes.coordinator().options(SHARED);
    let mut made = HOSTS.lock().await;
    if made.is_none() {
        nodes.copy(TEMPLATE, SHARED).await;
    }
    let made = made.get_or_insert_default();
    let store = PostgresStore::with_options(options.clone(), &Settings::default());
    for (name, migrations) in hosts {
        if !made.contains(name) {
            store.migrate_own(name, migrations()).await.expect("the host's tables");
            made.push(name);
        }
    }
    store.close().await;
    options
}

/// Drops the database of these stores once they are gone, when its test is over.
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
    /// It also stops with the process.
    static POOLER: OnceCell<Option<PgBouncer>> = OnceCell::const_new();
    let nodes = NODES.get_or_init(start).await;
    POOLER.get_or_init(async || PgBouncer::start(nodes.coordinator().dir())).await.as_ref()
}

/// The address for `options`: a socket, and a user without password.
pub fn url(options: &PgConnectOptions) -> String {
    let socket = options.get_socket().expect("the cluster has a socket").display().to_string();
    let (user, port, database) =
        (options.get_username(), options.get_port(), options.get_database().unwrap_or_default());
    format!("postgres://{user}@localhost:{port}/{database}?host={socket}&sslmode=disable")
}

async fn start() -> Nodes {
    let nodes = Nodes::start().await;
    nodes.make_template(TEMPLATE, EVENTS).await;
    nodes
}
