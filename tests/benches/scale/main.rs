//! One server at the sizes of `docs/scaling.md`: many companies, many due deliveries, a long
//! ledger, the reports of long books and of many short ones, the same rows as one company's and as
//! many companies', many webhooks at one host, and receivers that are slow. The server is this
//! program, started once more as a process of its own; the database is a private PostgreSQL without
//! fsync; receivers are in this process. Prints a table.
//!
//! `cargo bench -p svc-tests --bench scale [-- NAME]`: only the cases whose name contains NAME.
//! `SVC_SCALE=100` divides the sizes by a hundred, for a quick look.
#![expect(clippy::cast_precision_loss, reason = "figures to be read")]

mod backlog;
mod companies;
mod fill;
mod growth;
mod healthy;
mod ledger;
mod reports;
#[path = "../service/mod.rs"]
mod service;
mod slow;

use std::sync::Arc;
use std::time::Duration;

use svc_core::domain::clock::SystemClock;
use svc_core::domain::company::LimitMode;
use svc_core::secrets::Sealer;
use svc_store_postgres::Settings;
use svc_tests::{Company, World, cpu, notices};

use self::service::{LIBRARY, Served, Service};

/// Companies of one server.
const COMPANIES: i64 = 10_000;
/// Due deliveries, and their companies, with ten webhooks each.
const DUE: i64 = 1_000_000;
const BUSY: i64 = 10;
/// Movements of one company.
const MOVEMENTS: i64 = 10_000_000;
/// Small companies beside one with a long ledger.
const SMALL_COMPANIES: i64 = 200;
/// Webhooks of one host, ten per company, and the events for each, with a fast host and with a slow
/// one.
const WEBHOOKS_OF_HOST: i64 = 1_000;
const EVENTS_OF_HOST: [i64; 2] = [100, 20];
/// Events for each of thirty slow webhooks.
const EVENTS_OF_SLOW: i64 = 100;
/// Events of one company with eight webhooks, without deliveries yet.
const EVENTS_TO_FAN_OUT: i64 = 60_000;

/// The time limit of a case, how long all companies are active, and how long the service idles.
const WINDOW: Duration = Duration::from_secs(90);
const ACTIVE: Duration = Duration::from_secs(20);
const IDLE: Duration = Duration::from_secs(20);

/// How long a slow receiver takes.
const SLOW: Duration = Duration::from_secs(7);

/// The resource of all notices.
const EVENT: &str = "cliente.creado";

/// The most webhooks that a company may have.
const EACH: i64 = 10;

/// A size, divided as the environment says.
fn sized(size: i64) -> i64 {
    (size / divisor()).max(1)
}

/// A time, divided like a size, but long enough to measure.
fn lasting(time: Duration) -> Duration {
    (time / u32::try_from(divisor()).expect("a small number")).max(Duration::from_secs(5))
}

fn divisor() -> i64 {
    let divisor = std::env::var("SVC_SCALE").map_or(1, |divisor| divisor.parse().expect("SVC_SCALE is a number"));
    assert!(divisor >= 1, "SVC_SCALE divides");
    divisor
}

/// The lines of a case's table.
struct Case(&'static str);

impl Case {
    fn figure(&self, what: &str, value: impl std::fmt::Display) {
        println!("| {} | {what} | {value} |", self.0);
    }
}

/// A new database, in the machine's time.
async fn world() -> World {
    let world = World::with(|builder| builder.clock(Arc::new(SystemClock)).limits(LimitMode::Notice)).await;
    assert!(world.can_count_statements().await, "statements are counted");
    world
}

/// The library over its database, in a process of its own.
async fn start(world: &World) -> Service {
    let connections = Settings::default().max_connections;
    Service::start(&Served { what: LIBRARY.to_owned(), database: world.database_url(), connections }).await
}

/// Its memory in MB: current, and peak.
fn memory(service: &Service) -> String {
    let (now, max) = cpu::memory(&service.process);
    format!("{now} MB, {max} MB at the most")
}

/// Gives a company webhooks at that port of a host; the sender resolves `hN.example.com` to
/// `127.0.0.N`.
async fn webhooks(company: &Company, count: i64, host: i64, port: u16) {
    let url = format!("http://h{host}.example.com:{port}/{{}}");
    let maker = (company.id.0, company.owner);
    let now = svc_core::domain::clock::Clock::now(&SystemClock);
    for _ in 0..count {
        notices::webhook(company.world.pool(), &Sealer::default(), maker, &url, &[EVENT], now).await;
    }
    // As the API leaves them: already scheduled, without work.
    let idle = sqlx::query("UPDATE webhooks SET proximo = NULL WHERE empresa = $1").bind(company.id.0);
    idle.execute(company.world.pool()).await.expect("the webhooks");
}

#[tokio::main]
async fn main() {
    if let Some(served) = Served::by_this_process() {
        return service::serve_library(&served).await;
    }
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let is_wanted = |name: &str| name.contains(&wanted);
    println!("| case | figure | value |\n|---|---|---|");
    if is_wanted("companies") {
        companies::case(&Case("companies")).await;
    }
    if is_wanted("backlog") {
        backlog::case(&Case("backlog"), BUSY, sized(DUE) / BUSY / EACH, Duration::ZERO).await;
    }
    if is_wanted("ledger") {
        ledger::case(&Case("ledger")).await;
    }
    if is_wanted("reports") {
        reports::case(&Case("reports")).await;
    }
    if is_wanted("growth") {
        growth::case(&Case("growth")).await;
    }
    let companies_of_host = (sized(WEBHOOKS_OF_HOST) / EACH).max(1);
    if is_wanted("host at once") {
        backlog::case(&Case("host at once"), companies_of_host, EVENTS_OF_HOST[0], Duration::ZERO).await;
    }
    if is_wanted("host slow") {
        backlog::case(&Case("host slow"), companies_of_host, EVENTS_OF_HOST[1], SLOW).await;
    }
    if is_wanted("slow receivers") {
        slow::receivers(&Case("slow receivers")).await;
    }
    if is_wanted("fan-out") {
        slow::fan_out(&Case("fan-out")).await;
    }
}
