//! Workers that end during a pass: killed, or by a stop signal.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use sqlx::{AssertSqlSafe, PgPool};
use svc_core::Context;
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::secrets::Sealer;
use svc_core::store::CompanyChange;
use svc_local_postgres::Cluster;
use svc_store_postgres::{PostgresStore, Settings};
use svc_tests::notices;
use tokio::net::TcpListener;

use crate::harness::Svc;

const KILLS: usize = 50;
const WEBHOOKS: i64 = 20;
const EVENTS: i64 = 200;

/// The most deliveries that one worker has sent without recording the outcome, besides one per
/// webhook.
const UNWRITTEN: usize = 128;

/// Networks of this machine.
const NETS: &str = "127.0.0.0/8,::1";

/// The received deliveries: for each, by its clave, the event's id and the body of every attempt.
type Arrived = HashMap<i64, Vec<(String, Bytes)>>;

#[derive(Clone)]
struct Receiver {
    arrived: Arc<Mutex<Arrived>>,
    /// How long the receiver takes to answer.
    pause: fn(i64) -> Duration,
}

impl Receiver {
    fn new(pause: fn(i64) -> Duration) -> Self {
        Self { arrived: Arc::default(), pause }
    }

    /// Starts receiving on a port of this machine; returns the port.
    async fn start(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let app = Router::new().fallback(receive).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        port
    }

    /// How often each delivery has arrived so far.
    fn times(&self) -> HashMap<i64, usize> {
        self.arrived.lock().unwrap().iter().map(|(clave, arrived)| (*clave, arrived.len())).collect()
    }

    fn count(&self) -> usize {
        self.arrived.lock().unwrap().values().map(Vec::len).sum()
    }

    /// Waits until nothing more arrives: data of a killed worker may still be in a socket.
    async fn wait_until_quiet(&self) {
        let mut count = None;
        while count != Some(self.count()) {
            count = Some(self.count());
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }
}

async fn receive(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let text = |name: &str| headers[name].to_str().unwrap().to_owned();
    let clave: i64 = text("x-svc-entrega").parse().unwrap();
    receiver.arrived.lock().unwrap().entry(clave).or_default().push((text("x-svc-evento-id"), body));
    tokio::time::sleep((receiver.pause)(clave)).await;
    StatusCode::OK
}

/// A database shared by workers of several processes, with webhooks and events for each of them.
struct Shared {
    cluster: Cluster,
    pool: PgPool,
    url: String,
    svc: Svc,
}

impl Shared {
    /// With this many events, and webhooks that lead to `port`.
    async fn new(port: u16, events: i64) -> Self {
        let cluster = tokio::task::spawn_blocking(Cluster::ephemeral).await.unwrap().unwrap();
        cluster.create_database("avisos").await.unwrap();
        let options = cluster.options("avisos");
        let url = svc_tests::database_url(&options);
        let mut settings = Settings::default();
        settings.max_connections = 1;
        let store = PostgresStore::with_options(options, &settings);
        prepare(&store, port, events).await;
        store.close().await;
        Self { cluster, pool: svc_tests::pool_of(&store), url, svc: Svc::new() }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.svc.command(&[args, &["--webhook-allow-nets", NETS]].concat());
        command.env("DATABASE_URL", &self.url);
        command
    }

    async fn count(&self, condition: &str) -> usize {
        let statement = format!("SELECT count(*) FROM entregas WHERE {condition}");
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(&self.pool).await.unwrap();
        count.try_into().unwrap()
    }

    async fn stop(self) {
        self.pool.close().await;
        tokio::task::spawn_blocking(|| self.cluster.stop()).await.unwrap().unwrap();
    }
}

/// Nothing is lost. A delivery that arrives twice was in progress when a worker was killed, and has
/// the same id and bytes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_killed_workers_lose_nothing() {
    let receiver = Receiver::new(|clave| Duration::from_millis(clave.unsigned_abs() % 16));
    let shared = Shared::new(receiver.start().await, EVENTS).await;
    let deliver = || shared.command(&["deliver"]);
    let mut random = ChaCha8Rng::seed_from_u64(50);
    // How often each delivery was in progress when its worker was killed.
    let mut out: HashMap<i64, usize> = HashMap::new();
    for round in 0..KILLS {
        let before = receiver.times();
        let (count, enough) = (receiver.count(), random.random_range(1..=200));
        let mut worker = deliver().spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while receiver.count() < count + enough {
            assert_eq!(worker.try_wait().unwrap(), None, "it ended before it was killed");
            assert!(Instant::now() < deadline, "round {round}: it delivers nothing");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(Duration::from_micros(random.random_range(0..5_000))).await;
        worker.kill().unwrap();
        worker.wait().unwrap();
        receiver.wait_until_quiet().await;
        let leased = leased(&shared.pool).await;
        let times = receiver.times();
        let arrived = times.iter().filter(|&(clave, times)| before.get(clave).copied().unwrap_or(0) < *times);
        let again: Vec<i64> = arrived.map(|(clave, _)| *clave).filter(|clave| leased.contains(clave)).collect();
        assert!(
            again.len() <= UNWRITTEN + usize::try_from(WEBHOOKS).unwrap(),
            "round {round}: {} were out",
            again.len()
        );
        for clave in again {
            *out.entry(clave).or_default() += 1;
        }
    }
    let last = deliver().output().unwrap();
    assert!(last.status.success(), "{}", String::from_utf8_lossy(&last.stderr));

    let total = usize::try_from(WEBHOOKS * EVENTS).unwrap();
    assert!(!out.is_empty() && out.len() < total, "they were killed amid it");
    let arrived = receiver.arrived.lock().unwrap().clone();
    assert_eq!(arrived.len(), total, "none is lost");
    for (clave, times) in &arrived {
        assert!(times.iter().all(|one| one == &times[0]), "{clave}: the same id and the same bytes");
        assert_eq!(times.len(), 1 + out.get(clave).copied().unwrap_or(0), "{clave}: again only if it was out");
    }
    assert_eq!(shared.count("estado = 'entregada' AND intentos = 1 AND token IS NULL").await, total);
    shared.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signalled_server_finishes_attempts_in_progress_and_hands_back_the_rest() {
    let receiver = Receiver::new(|_| Duration::from_secs(1));
    let shared = Shared::new(receiver.start().await, 50).await;
    let log = shared.svc.dir.path().join("log");
    let mut server = shared.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut server = server.stderr(File::create(&log).unwrap()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_mins(1);
    while receiver.count() == 0 {
        assert!(Instant::now() < deadline, "it delivers nothing: {}", std::fs::read_to_string(&log).unwrap());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    kill(Pid::from_raw(server.id().try_into().unwrap()), Signal::SIGTERM).unwrap();
    let stopped = tokio::task::spawn_blocking(move || server.wait()).await.unwrap().unwrap();
    assert!(stopped.success(), "{stopped}");
    let (delivered, total) = (receiver.count(), usize::try_from(WEBHOOKS * 50).unwrap());
    assert!((1..total).contains(&delivered), "{delivered}");
    assert_eq!(
        shared.count("estado = 'entregada' AND intentos = 1").await,
        delivered,
        "attempts in progress are recorded"
    );
    let back = "estado = 'pendiente' AND intentos = 0 AND token IS NULL AND proximo_intento <= now()";
    assert_eq!(shared.count(back).await, total - delivered, "the rest is there for the next");
    shared.stop().await;
}

/// A company with webhooks that lead to `port`, and events for each of them.
async fn prepare(store: &PostgresStore, port: u16, events: i64) {
    store.migrate().await.unwrap();
    let context = Context::builder(Arc::new(store.clone()), "http://localhost/api/v1").build().unwrap();
    let named = CompanyChange { nombre: Some("Uno".to_owned()), ..CompanyChange::default() };
    let company = context.create_company(named).await.unwrap();
    let now = SystemClock.now();
    let (maker, url) = ((company.empresa.0, company.usuario), format!("http://localhost:{port}/{{}}"));
    for _ in 0..WEBHOOKS {
        notices::webhook(&svc_tests::pool_of(store), &Sealer::default(), maker, &url, &["cliente.creado"], now).await;
    }
    notices::events(&svc_tests::pool_of(store), company.empresa.0, "cliente.creado", events, now).await;
}

/// The deliveries that the killed worker had claimed. Ends their leases, as if a minute had passed.
async fn leased(pool: &PgPool) -> HashSet<i64> {
    // Its last statement may still be running.
    let others = "SELECT count(*) FROM pg_stat_activity
                  WHERE datname = current_database() AND application_name = 'svc'";
    while sqlx::query_scalar::<_, i64>(others).fetch_one(pool).await.unwrap() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let end = "WITH programados AS (UPDATE webhooks SET proximo = proximo - interval '61 s', sondeo = NULL)
               UPDATE entregas SET arrendado = arrendado - interval '61 s', proximo_intento = proximo_intento - interval '61 s'
               WHERE token IS NOT NULL RETURNING clave";
    sqlx::query_scalar(end).fetch_all(pool).await.unwrap().into_iter().collect()
}
