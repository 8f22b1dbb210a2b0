//! Lists from a replica. Another database with other rows stands in for it, so that a list shows
//! where it was read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::postgres::PgConnectOptions;
use svc_core::{Api, Context};
use svc_store_postgres::Settings;
use svc_tests::{Actor, BASE_URL, Resource, World, with};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::task::JoinSet;

/// A primary and the stand-in for its replica, each with a customer named after it, and a user of
/// an API over both.
struct Pair {
    primary: World,
    replica: World,
    api: Api,
    ana: Actor,
}

impl Pair {
    async fn new() -> Self {
        Self::reached_by(options).await
    }

    /// With a replica reached by `options`.
    async fn reached_by(options: impl FnOnce(&World) -> PgConnectOptions) -> Self {
        Self::of(Settings::default(), options).await
    }

    async fn of(settings: Settings, options: impl FnOnce(&World) -> PgConnectOptions) -> Self {
        let (primary, replica) = (World::new().await, World::new().await);
        let ana = named(&primary, "primaria").await;
        named(&replica, "réplica").await;
        let store = (*primary.store).clone().with_replica_options(options(&replica), &settings);
        let api = Api::new(
            &Context::builder(Arc::new(store), BASE_URL).clock(primary.clock.clone()).build().expect("a context"),
        );
        Self { ana: ana.at(&api), api, primary, replica }
    }

    /// The names of the listed customers.
    async fn read(&self) -> Vec<String> {
        let list = self.ana.get("/clientes").await.ok(200);
        list["datos"]
            .as_array()
            .expect("datos")
            .iter()
            .map(|one| one["nombre"].as_str().expect("a name").to_owned())
            .collect()
    }
}

/// A company with one customer of that name; returns a user.
async fn named(world: &World, nombre: &str) -> Actor {
    let company = world.company().await;
    company.load(Resource::Clientes, &[json!({"nombre": nombre})]).await;
    company.admin().await
}

fn options(world: &World) -> PgConnectOptions {
    world.pool().connect_options().as_ref().clone()
}

#[tokio::test]
async fn lists_come_from_the_replica_and_all_else_from_the_primary() {
    let pair = Pair::new().await;
    // The replica has no key.
    sqlx::query("DELETE FROM llaves").execute(&svc_tests::pool_of(&pair.replica.store)).await.expect("done");
    assert_eq!(pair.read().await, ["réplica"]);
    pair.ana.post("/clientes", json!({"nombre": "nueva"})).await.ok(201);
    assert_eq!(pair.read().await, ["primaria", "nueva"], "who wrote finds it");
    let other = named(&pair.primary, "de otra").await.at(&pair.api);
    assert_eq!(other.get("/clientes").await.ok(200)["datos"], json!([]), "another company's writes are not its own");
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(pair.read().await, ["réplica"]);
    assert_eq!(pair.primary.count("clientes").await, 3);
    assert_eq!(pair.replica.count("clientes").await, 1);
}

#[tokio::test]
async fn a_record_missing_on_the_replica_is_read_from_the_primary() {
    let pair = Pair::new().await;
    let hook = json!({"url": "https://example.com/avisos", "eventos": ["venta.creada"]});
    pair.ana.post("/webhooks", hook).await.ok(201);
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(pair.ana.get("/webhooks").await.ok(200)["datos"], json!([]));
    assert_eq!(pair.ana.get("/webhooks/1/entregas").await.ok(200)["datos"], json!([]));
    pair.ana.get("/webhooks/2/entregas").await.fails(404, "no_encontrado");
}

#[tokio::test]
async fn a_broken_connection_costs_no_answer() {
    let pair = Pair::new().await;
    assert_eq!(pair.read().await, ["réplica"]);
    let end = "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    pair.replica.sql::<i64>(end).await;
    let found = pair.read().await;
    // A connection unused for a second is tested and replaced; a busier one fails when it is used.
    assert!(found == ["primaria"] || found == ["réplica"], "{found:?}");
    assert_eq!(pair.read().await, found, "it is left alone for a while, or used again");
}

#[tokio::test]
async fn a_replica_whose_schema_is_behind_answers_nothing() {
    let pair = Pair::new().await;
    sqlx::query("ALTER TABLE clientes RENAME COLUMN nombre TO otro")
        .execute(&svc_tests::pool_of(&pair.replica.store))
        .await
        .expect("done");
    assert_eq!(pair.read().await, ["primaria"], "its schema is behind");
}

#[tokio::test]
async fn searches_that_take_too_long_leave_the_replica_in_use() {
    let settings = with!(Settings::default(), search_timeout: Duration::from_millis(300));
    let pair = Pair::of(settings, options).await;
    let other = named(&pair.primary, "de otra").await.at(&pair.api);
    let mut lock = pair.replica.pool().begin().await.expect("a transaction");
    sqlx::raw_sql("LOCK TABLE productos").execute(&mut *lock).await.expect("the lock");
    for actor in [&pair.ana, &other] {
        actor.get("/productos?buscar=tornillo").await.fails(503, "no_disponible");
    }
    assert_eq!(pair.read().await, ["réplica"]);
}

#[tokio::test]
async fn an_unreachable_replica_is_skipped_and_comes_back() {
    let gate = Arc::new(Gate::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (entered, mut socket) = (gate.clone(), None);
    let pair = Pair::reached_by(|replica| {
        let options = options(replica);
        socket = options.get_socket().map(|dir| dir.join(format!(".s.PGSQL.{}", options.get_port())));
        PgConnectOptions::new_without_pgpass()
            .host("127.0.0.1")
            .port(address.port())
            .username("svc")
            .ssl_mode(sqlx::postgres::PgSslMode::Disable)
            .database(options.get_database().expect("a database"))
    })
    .await;
    let passing = tokio::spawn(async move { entered.keep(listener, socket.expect("a socket")).await });

    let started = Instant::now();
    assert_eq!(pair.read().await, ["primaria"]);
    let first = started.elapsed();
    assert!((Duration::from_millis(400)..Duration::from_secs(3)).contains(&first), "{first:?}");
    let accepted = gate.accepted.load(Ordering::SeqCst);
    let started = Instant::now();
    for _ in 0..20 {
        assert_eq!(pair.read().await, ["primaria"]);
    }
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    assert_eq!(gate.accepted.load(Ordering::SeqCst), accepted, "nobody went there meanwhile");

    gate.open.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(pair.read().await, ["réplica"]);
    passing.abort();
}

/// A proxy to the replica. While closed it accepts connections and sends nothing.
#[derive(Default)]
struct Gate {
    open: AtomicBool,
    accepted: AtomicUsize,
}

impl Gate {
    async fn keep(&self, listener: TcpListener, socket: std::path::PathBuf) {
        let (mut passing, mut waiting) = (JoinSet::new(), Vec::<TcpStream>::new());
        loop {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            self.accepted.fetch_add(1, Ordering::SeqCst);
            if self.open.load(Ordering::SeqCst) {
                let mut server = UnixStream::connect(&socket).await.expect("the replica");
                passing.spawn(async move { tokio::io::copy_bidirectional(&mut stream, &mut server).await });
            } else {
                waiting.push(stream);
            }
        }
    }
}
