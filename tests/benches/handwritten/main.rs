//! The library compared with a service written by hand (`server.rs`), and its creations also with
//! one that keeps the same promises (`promises.rs`): each behind axum in a process of its own, over
//! the same rows in one private PostgreSQL, asked by HTTP in turns. Prints medians of requests a
//! second, of the time to an answer, and of the CPU time that the service and PostgreSQL spend on a
//! request; and the same once more with the database further away.
//!
//! `cargo bench -p svc-tests --bench handwritten [-- NAME [CONNECTIONS]]`: only the operations
//! whose name contains NAME; so many connections of each service instead of 20. With
//! `SVC_TEST_DURABLE=1` in the environment PostgreSQL loses no commit.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "figures to be read"
)]

mod distance;
mod lists;
mod measure;
mod promises;
mod server;
#[path = "../service/mod.rs"]
mod service;

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use http::request::Builder;
use serde_json::{Value, json};
use sqlx::PgPool;
use svc_core::domain::clock::SystemClock;
use svc_core::operations::import::Resource;
use svc_tests::{Actor, Company, World, database_url, fresh_key, median};

use self::measure::{Round, round};
use self::service::{LIBRARY, Served, Service};

/// The process's word for the handwritten service.
const BY_HAND: &str = "by hand";

/// The word for the one that keeps the library's promises.
pub(crate) const PROMISING: &str = "promising";

/// The number of concurrent requests, each of another company.
const AT_ONCE: [usize; 3] = [1, 8, 32];
const RECORDS: i64 = 1_000;
const ROUNDS: usize = 5;

/// How far away the database is, in added time of a round trip.
const DISTANCES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(5)];

#[derive(Clone, Copy)]
pub(crate) struct Operation {
    method: &'static str,
    target: &'static str,
}

const OPERATIONS: [Operation; 5] = [
    // A page of thirty, as in the other service: in notice mode the default is a hundred.
    Operation { method: "GET", target: "/clientes?limite=30" },
    Operation { method: "GET", target: "/productos?limite=30&buscar=tubo" },
    Operation { method: "GET", target: "/ventas?limite=30" },
    Operation { method: "GET", target: "/inventario?limite=30" },
    Operation { method: "POST", target: "/clientes" },
];

impl Operation {
    fn name(self) -> String {
        format!("{} {}", self.method, self.target)
    }

    fn creates(self) -> bool {
        self.method == "POST"
    }

    /// A request, and its body.
    fn request(self, actor: &Actor) -> (Builder, String) {
        let request = actor.request(Method::from_bytes(self.method.as_bytes()).expect("a method"), self.target);
        if self.creates() {
            let body = json!({"nombre": "Materiales del Bajío", "correo": "compras@materiales.example"});
            (
                request.header("Idempotency-Key", fresh_key()).header("Content-Type", "application/json"),
                body.to_string(),
            )
        } else {
            (request, String::new())
        }
    }

    fn status(self) -> u16 {
        if self.creates() { 201 } else { 200 }
    }
}

/// The records of a company.
async fn fill(company: &Company) {
    let customer =
        |n: i64| json!({"clave": n, "nombre": format!("Cliente {n}"), "correo": "compras@materiales.example"});
    let product = |n: i64| {
        let kind = if n % 20 == 0 { "Tubo" } else { "Codo" };
        json!({"clave": n, "sku": format!("P-{n}"), "descripcion": format!("{kind} de cobre {n} mm")})
    };
    let sale = |n: i64| {
        json!({"clave": n, "tipo": "venta", "folio": n, "fecha": "2026-11-01T12:00:00Z", "cliente": n,
                               "subtotal": "100.00", "impuestos": "16.00", "total": "116.00", "saldo": "0.00"})
    };
    let stock = |n: i64| json!({"producto": n, "almacen": "001", "existencia": n});
    let records = |record: &dyn Fn(i64) -> Value| (1..=RECORDS).map(record).collect::<Vec<_>>();
    for (resource, records) in [
        (Resource::Clientes, records(&customer)),
        (Resource::Productos, records(&product)),
        (Resource::Ventas, records(&sale)),
        (Resource::Inventario, records(&stock)),
    ] {
        company.import(resource, &records).await.expect("the records");
    }
}

fn line(rounds: &[Round]) -> String {
    let of = |figure: fn(&Round) -> f64| median(rounds.iter().map(figure));
    format!(
        "{:>7.0}/s | {:>6.2} | {:>6.2} | {:>4.0} | {:>4.0}",
        of(|round| round.rate),
        of(|round| round.p50),
        of(|round| round.p99),
        of(|round| round.service),
        of(|round| round.database)
    )
}

/// The services, over the same database. The last one is asked for creations only.
struct Services([(&'static str, Service); 3]);

impl Services {
    async fn start(database: &str, connections: u32) -> Self {
        let start = async |what: &'static str| {
            let served = Served { what: what.to_owned(), database: database.to_owned(), connections };
            (what, Service::start(&served).await)
        };
        Self([start(LIBRARY).await, start(BY_HAND).await, start(PROMISING).await])
    }

    /// Runs rounds of each service in turns, after a warm-up, and prints the results.
    async fn compare(&self, operation: Operation, actors: &[Actor], pool: &PgPool) {
        let asked = &self.0[..if operation.creates() { 3 } else { 2 }];
        let mut results = vec![Vec::new(); asked.len()];
        for number in 0..=ROUNDS {
            for ((_, service), rounds) in asked.iter().zip(&mut results) {
                let round = round(service, actors, operation, pool).await;
                if number > 0 {
                    rounds.push(round);
                }
            }
        }
        let rate = |rounds: &[Round]| median(rounds.iter().map(|round| round.rate));
        for ((what, _), rounds) in asked.iter().zip(&results) {
            println!("{:>4} {what:<11} {} | {:>5.2}", actors.len(), line(rounds), rate(&results[0]) / rate(rounds));
        }
    }

    fn stop(self) {
        self.0.into_iter().for_each(|(_, service)| service.stop());
    }
}

async fn serve(served: &Served) {
    match served.what.as_str() {
        LIBRARY => service::serve_library(served).await,
        _ => service::serve(server::router(served).await).await,
    }
}

#[tokio::main]
async fn main() {
    if let Some(served) = Served::by_this_process() {
        return serve(&served).await;
    }
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let wanted = arguments.next().unwrap_or_default();
    let connections = arguments.next().map_or(20, |number| number.parse().expect("a number of connections"));
    let operations = || OPERATIONS.into_iter().filter(|operation| operation.name().contains(&wanted));
    let world = World::with(|builder| builder.clock(Arc::new(SystemClock))).await;
    let mut actors = Vec::new();
    for _ in 0..AT_ONCE[AT_ONCE.len() - 1] {
        let company = world.company().await;
        fill(&company).await;
        actors.push(company.admin().await);
    }
    for schema in [server::SCHEMA, promises::SCHEMA] {
        sqlx::raw_sql(schema).execute(world.pool()).await.expect("the service's own schema");
    }
    let options = world.store.options();
    println!(
        "at once | requests | p50 ms | p99 ms | CPU of the service and of PostgreSQL, µs a request | the library's ratio"
    );
    let services = Services::start(&database_url(options), connections).await;
    for operation in operations() {
        println!("\n{}", operation.name());
        for at_once in AT_ONCE {
            services.compare(operation, &actors[..at_once], world.pool()).await;
        }
    }
    services.stop();
    for distance in DISTANCES {
        let dir = tempfile::tempdir().expect("a folder");
        let options = distance::far(options, dir.path(), distance);
        let services = Services::start(&database_url(&options), connections).await;
        for operation in operations() {
            println!("\n{}, the database {distance:?} away", operation.name());
            services.compare(operation, &actors[..1], world.pool()).await;
        }
        services.stop();
    }
}
