//! Receives the notices, and checks that each arrived once.

use std::time::{Duration, Instant};

use sqlx::types::Uuid;
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::domain::event::EventId;
use svc_core::secrets::Sealer;
use svc_tests::receiver::{Arrived, Receiver};
use tokio::time::sleep;

use crate::database::Database;
use crate::figures::Figures;
use crate::stage::Company;

/// The event of the notices.
pub(crate) const TIPO: &str = "cliente.creado";

/// The time limit of the last notices.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends a company's notices to a receiver.
pub(crate) async fn register(receiver: &Receiver, database: &Database, company: &Company) {
    let pool = sqlx::PgPool::connect_lazy_with(database.options().clone());
    let url = format!("http://localhost:{}/{{}}", receiver.address.port());
    let maker = (company.id, company.owner);
    // Secrets are stored in the clear, since the server has no key for them.
    svc_tests::notices::webhook(&pool, &Sealer::default(), maker, &url, &[TIPO], SystemClock.now()).await;
    pool.close().await;
}

/// Waits for the last notices and checks all: each customer that a load created has one notice.
pub(crate) async fn validate(arrived: &Arrived, database: &Database, figures: &mut Figures) {
    let mut connection = database.connect().await.expect("a connection");
    let happened = "SELECT e.id FROM eventos e JOIN clientes c ON c.empresa = e.empresa AND c.clave = e.recurso_clave
                    WHERE e.tipo = $1 AND c.nombre ~ '^c[0-9]+-[0-9]+$'";
    let ids: Vec<Uuid> = sqlx::query_scalar(happened).bind(TIPO).fetch_all(&mut connection).await.expect("the events");
    let times = || {
        let arrived = arrived.lock().expect("nobody panicked");
        ids.iter().map(|id| arrived.get(&EventId(*id).to_string()).map_or(0, Vec::len)).collect::<Vec<_>>()
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
