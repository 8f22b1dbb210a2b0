//! Who gets the notices: a receiver on this machine that counts them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use sqlx::types::Uuid;
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::domain::event::EventId;
use svc_core::secrets::Sealer;
use svc_core::webhooks::EVENT_ID;
use tokio::net::TcpListener;
use tokio::time::sleep;

use crate::database::Database;
use crate::figures::Figures;
use crate::stage::Company;

/// What notices are about.
pub(crate) const TIPO: &str = "cliente.creado";

/// How long the last notices may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often each event arrived, by its id.
pub(crate) type Arrived = Arc<Mutex<HashMap<String, usize>>>;

/// The receiver.
pub(crate) struct Receiver {
    port: u16,
    pub(crate) arrived: Arrived,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let arrived = Arrived::default();
        let app = Router::new().fallback(receive).with_state(arrived.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.expect("it serves") });
        Self { port, arrived }
    }

    /// Has a company's notices sent here.
    pub(crate) async fn register(&self, database: &Database, company: &Company) {
        let pool = sqlx::PgPool::connect_lazy_with(database.options().clone());
        let url = format!("http://localhost:{}/{{}}", self.port);
        let maker = (company.id, company.owner);
        // Secrets are stored as they are: the server has no key for them.
        svc_tests::notices::webhook(&pool, &Sealer::default(), maker, &url, &[TIPO], SystemClock.now()).await;
        pool.close().await;
    }

    /// Waits for the last notices, and judges all: of each customer that a load created, one notice has arrived.
    pub(crate) async fn judge(&self, database: &Database, figures: &mut Figures) {
        judge(&self.arrived, database, figures).await;
    }
}

async fn receive(State(arrived): State<Arrived>, headers: HeaderMap) -> StatusCode {
    let id = headers.get(EVENT_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
    *arrived.lock().expect("nobody panicked").entry(id.to_owned()).or_default() += 1;
    StatusCode::NO_CONTENT
}

/// The same for notices that arrived by other means.
pub(crate) async fn judge(arrived: &Arrived, database: &Database, figures: &mut Figures) {
    let mut connection = database.connect().await.expect("a connection");
    let happened = "SELECT e.id FROM eventos e JOIN clientes c ON c.empresa = e.empresa AND c.clave = e.recurso_clave
                    WHERE e.tipo = $1 AND c.nombre ~ '^c[0-9]+-[0-9]+$'";
    let ids: Vec<Uuid> = sqlx::query_scalar(happened).bind(TIPO).fetch_all(&mut connection).await.expect("the events");
    let times = || {
        let arrived = arrived.lock().expect("nobody panicked");
        ids.iter().map(|id| arrived.get(&EventId(*id).to_string()).copied().unwrap_or(0)).collect::<Vec<_>>()
    };
    let began = Instant::now();
    while times().contains(&0) && began.elapsed() < PATIENCE {
        sleep(Duration::from_millis(50)).await;
    }
    let times = times();
    let (lost, twice) =
        (times.iter().filter(|times| **times == 0).count(), times.iter().filter(|times| **times > 1).count());
    figures.notes.push(format!(
        "{} notices, the last {:.1} s after the load",
        times.len(),
        began.elapsed().as_secs_f64()
    ));
    if lost > 0 {
        figures.short.push(format!("{lost} notices not sent within {} s", PATIENCE.as_secs()));
    }
    figures.doubled += twice;
}
