//! `svc deliver` is killed (SIGKILL) fifty times in the middle of a pass. Nothing is lost, and what arrives again is what was
//! out when a worker was killed, with the same id and the same bytes.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use sqlx::PgPool;
use svc_core::backoffice::Office;
use svc_core::store::CompanyChange;
use svc_store_postgres::local::Cluster;
use svc_store_postgres::{PostgresStore, Settings};
use tokio::net::TcpListener;

use crate::harness::Svc;

const KILLS: usize = 50;
const WEBHOOKS: i32 = 20;
const EVENTS: i32 = 200;

/// The most that one worker has sent and not yet written down.
const UNWRITTEN: usize = 128;

/// Networks of this machine.
const NETS: &str = "127.0.0.0/8,::1";

/// What arrived: of each delivery, by its clave, the event's id and the body, each time.
#[derive(Clone, Default)]
struct Receiver(Arc<Mutex<HashMap<i64, Vec<(String, Bytes)>>>>);

impl Receiver {
    /// Receives on a port of this machine; gives it.
    async fn start(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let app = Router::new().fallback(receive).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        port
    }

    /// How often each delivery arrived so far.
    fn times(&self) -> HashMap<i64, usize> {
        self.0.lock().unwrap().iter().map(|(clave, arrived)| (*clave, arrived.len())).collect()
    }

    fn count(&self) -> usize {
        self.0.lock().unwrap().values().map(Vec::len).sum()
    }

    /// Waits until nothing arrives any more: what a killed worker wrote last may still lie in a socket.
    async fn settle(&self) {
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
    receiver.0.lock().unwrap().entry(clave).or_default().push((text("x-svc-evento-id"), body));
    tokio::time::sleep(Duration::from_millis(clave.unsigned_abs() % 16)).await;
    StatusCode::OK
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_killed_workers_lose_nothing() {
    let cluster = tokio::task::spawn_blocking(Cluster::ephemeral).await.unwrap().unwrap();
    cluster.create_database("avisos").await.unwrap();
    let options = cluster.options("avisos");
    let (socket, user) = (options.get_socket().unwrap().display(), options.get_username());
    let url = format!("postgres://{user}@localhost:{}/avisos?host={socket}&sslmode=disable", options.get_port());
    let store = PostgresStore::with_options(options.clone(), &Settings { max_connections: 1, ..Settings::default() });
    let receiver = Receiver::default();
    prepare(&store, receiver.start().await).await;

    let svc = Svc::new();
    let deliver = || {
        let mut command = svc.command(&["deliver", "--webhook-allow-nets", NETS]);
        command.env("DATABASE_URL", &url);
        command
    };
    let mut random = ChaCha8Rng::seed_from_u64(50);
    // How often each delivery was out when its worker was killed.
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
        receiver.settle().await;
        let leased = leased(store.pool()).await;
        let times = receiver.times();
        let arrived = times.iter().filter(|&(clave, times)| before.get(clave).copied().unwrap_or(0) < *times);
        let again: Vec<i64> = arrived.map(|(clave, _)| *clave).filter(|clave| leased.contains(clave)).collect();
        assert!(again.len() <= UNWRITTEN, "round {round}: {} were out", again.len());
        again.into_iter().for_each(|clave| *out.entry(clave).or_default() += 1);
    }
    let last = deliver().output().unwrap();
    assert!(last.status.success(), "{}", String::from_utf8_lossy(&last.stderr));

    let total = usize::try_from(WEBHOOKS * EVENTS).unwrap();
    assert!(!out.is_empty() && out.len() < total, "they were killed amid it");
    let arrived = receiver.0.lock().unwrap().clone();
    assert_eq!(arrived.len(), total, "none is lost");
    for (clave, times) in &arrived {
        assert!(times.iter().all(|one| one == &times[0]), "{clave}: the same id and the same bytes");
        assert_eq!(times.len(), 1 + out.get(clave).copied().unwrap_or(0), "{clave}: again only if it was out");
    }
    let done = "SELECT count(*) FROM entregas WHERE estado = 'entregada' AND intentos = 1 AND token IS NULL";
    let done: i64 = sqlx::query_scalar(done).fetch_one(store.pool()).await.unwrap();
    assert_eq!(usize::try_from(done).unwrap(), total);
    store.close().await;
    tokio::task::spawn_blocking(|| cluster.stop()).await.unwrap().unwrap();
}

/// A company with webhooks that lead to `port`, and events of which each of them is to be told.
async fn prepare(store: &PostgresStore, port: u16) {
    store.migrate().await.unwrap();
    let office = Office::new(Arc::new(store.clone()), "http://localhost/api/v1");
    let named = CompanyChange { nombre: Some("Uno".to_owned()), ..CompanyChange::default() };
    let company = office.create_company(named).await.unwrap();
    sqlx::query(
        "INSERT INTO webhooks (empresa, clave, url, eventos, activo_desde, secreto, usuario, creado)
         SELECT $1, n, format('http://localhost:%s/%s', $3::int, n), '{cliente.creado}', '2026-01-01', '\\x00ff', $2, '2026-01-01'
         FROM generate_series(1, $4) n",
    )
    .bind(company.empresa)
    .bind(company.usuario)
    .bind(i32::from(port))
    .bind(WEBHOOKS)
    .execute(store.pool())
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO eventos (empresa, id, tipo, recurso, recurso_clave, cuerpo, creado)
         SELECT $1, gen_random_uuid(), 'cliente.creado', 'clientes', n, convert_to(format('{\"n\":%s}', n), 'UTF8'), '2026-01-02'
         FROM generate_series(1, $2) n",
    )
    .bind(company.empresa)
    .bind(EVENTS)
    .execute(store.pool())
    .await
    .unwrap();
}

/// The deliveries that the killed worker had; their leases end, as if a minute had passed.
async fn leased(pool: &PgPool) -> HashSet<i64> {
    // What it asked for last may still be going on.
    let others = "SELECT count(*) FROM pg_stat_activity
                  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
    while sqlx::query_scalar::<_, i64>(others).fetch_one(pool).await.unwrap() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let end = "UPDATE entregas SET arrendado = arrendado - interval '61 s', proximo_intento = proximo_intento - interval '61 s'
               WHERE token IS NOT NULL RETURNING clave";
    sqlx::query_scalar(end).fetch_all(pool).await.unwrap().into_iter().collect()
}
