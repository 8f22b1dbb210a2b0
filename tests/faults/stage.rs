//! The stage of every fault and the course of its play: calm, the fault, its aftermath, and the
//! audit.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use http::Method;
use serde_json::json;
use svc_core::Context;
use svc_core::domain::company::CompanyId;
use svc_core::store::CompanyChange;
use svc_store_postgres::{PostgresStore, Settings};
use tokio::time::sleep;

use crate::client::{Actor, Outcome, Outcomes};
use crate::database::{Database, NAME};
use crate::figures::{Figures, Latency};
use crate::forwarder::Forwarder;
use crate::load::{Acknowledged, Kind, Load, Sample};
use crate::service::Service;

/// The number of healthy companies.
const HEALTHY: usize = 3;

/// The number of records each company starts with.
const RECORDS: usize = 200;

/// The number of acknowledged writes of each company that are repeated at the end.
const AGAIN: usize = 20;

/// The length of each part of a play.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) warm_up: Duration,
    pub(crate) calm: Duration,
    pub(crate) fault: Duration,
    pub(crate) after: Duration,
    /// How often a process is killed.
    pub(crate) kills: usize,
    /// The number of deliveries in a backlog.
    pub(crate) backlog: u32,
}

impl Pace {
    pub(crate) const FULL: Self = Self {
        warm_up: Duration::from_secs(3),
        calm: Duration::from_secs(10),
        fault: Duration::from_secs(10),
        after: Duration::from_secs(5),
        kills: 3,
        backlog: 300_000,
    };
    pub(crate) const SHORT: Self = Self {
        warm_up: Duration::from_secs(1),
        calm: Duration::from_secs(1),
        fault: Duration::from_secs(2),
        after: Duration::from_secs(1),
        kills: 1,
        backlog: 10_000,
    };
}

/// A company and a key with every scope, owned by its owner.
pub(crate) struct Company {
    pub(crate) id: i64,
    pub(crate) owner: i64,
    key_id: String,
    api_key: String,
}

impl Company {
    pub(crate) fn at(&self, address: SocketAddr) -> Actor {
        Actor::new(address, self.key_id.clone(), self.api_key.clone())
    }
}

/// A database with companies, and the forwarder to it.
pub(crate) struct Ground {
    pub(crate) database: Database,
    pub(crate) forwarder: Forwarder,
    pub(crate) healthy: Vec<Company>,
    /// The company that causes the fault, if one does.
    pub(crate) other: Company,
}

impl Ground {
    pub(crate) async fn new() -> Self {
        let database = Database::create().await;
        let forwarder = Forwarder::to(database.socket()).await;
        let mut settings = Settings::default();
        settings.max_connections = 2;
        let store = PostgresStore::with_options(database.options().clone(), &settings);
        store.migrate().await.expect("the schema");
        let context = Context::builder(Arc::new(store.clone()), svc_tests::BASE_URL).build().expect("a context");
        let mut healthy = Vec::new();
        for number in 0..HEALTHY {
            healthy.push(company(&context, &format!("Sana {number}")).await);
        }
        let other = company(&context, "Otra").await;
        store.close().await;
        Self { database, forwarder, healthy, other }
    }

    /// The database's address through the forwarder.
    pub(crate) fn url(&self) -> String {
        self.forwarder.url(NAME)
    }
}

/// A new company with records; its monthly limit is announced and not enforced.
async fn company(context: &Context, nombre: &str) -> Company {
    let change = CompanyChange { nombre: Some(nombre.to_owned()), ..svc_tests::in_notice_mode() };
    let created = context.create_company(change).await.expect("a company");
    let key = context.run(created.empresa, &svc_tests::any_key()).await.expect("a key");
    let records: Vec<_> = svc_tests::imports::customers(RECORDS);
    let lines = records.iter().map(|record| Ok(record.to_string().into_bytes()));
    context
        .import(
            created.empresa,
            svc_tests::Resource::Clientes,
            svc_tests::Existing::Refused,
            lines.collect::<Vec<_>>().into_iter(),
            &mut |_| (),
        )
        .await
        .expect("records");
    let CompanyId(id) = created.empresa;
    Company { id, owner: created.usuario, key_id: key.key_id, api_key: key.api_key }
}

/// A ground with the server on it.
pub(crate) struct Stage {
    // Stops before its database does.
    pub(crate) service: Service,
    pub(crate) ground: Ground,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::on(Ground::new().await).await
    }

    pub(crate) async fn on(ground: Ground) -> Self {
        Self::with(ground, &[]).await
    }

    /// With further options for the server.
    pub(crate) async fn with(ground: Ground, options: &[&str]) -> Self {
        let service = Service::start(ground.url(), ground.database.dir().join("svc.log"), options).await;
        Self { service, ground }
    }

    /// The company that causes the fault.
    pub(crate) fn other(&self) -> Actor {
        self.ground.other.at(self.service.address)
    }

    /// Starts the load, and lets it run undisturbed for a while.
    pub(crate) async fn calm(&self, pace: Pace) -> Play {
        Play::begin(&self.ground, self.service.address, pace).await
    }
}

/// A running play: the load, and the times of its events.
pub(crate) struct Play {
    load: Load,
    actors: Vec<Actor>,
    pace: Pace,
    calm: Instant,
    fault: Instant,
    end: Option<Instant>,
    pub(crate) notes: Vec<String>,
    pub(crate) short: Vec<String>,
    pub(crate) lost: usize,
    pub(crate) doubled: usize,
}

impl Play {
    /// Starts the load at that address and lets it run undisturbed; the fault begins when this
    /// returns.
    pub(crate) async fn begin(ground: &Ground, address: SocketAddr, pace: Pace) -> Self {
        let actors: Vec<_> = ground.healthy.iter().map(|company| company.at(address)).collect();
        let load = Load::begin(actors.clone());
        sleep(pace.warm_up).await;
        let calm = Instant::now();
        sleep(pace.calm).await;
        let (notes, short) = (Vec::new(), Vec::new());
        Self { load, actors, pace, calm, fault: Instant::now(), end: None, notes, short, lost: 0, doubled: 0 }
    }

    /// Marks that the fault begins now, not at the end of the calm.
    pub(crate) fn fault(&mut self) {
        self.fault = Instant::now();
    }

    /// Lets the fault last.
    pub(crate) async fn last(&self) {
        sleep(self.pace.fault).await;
    }

    /// Marks the end of the fault.
    pub(crate) fn over(&mut self) {
        self.end = Some(Instant::now());
    }

    /// Waits until all is well, ends the load, and audits the database.
    pub(crate) async fn audit(self, ground: &Ground) -> Figures {
        let Self { load, actors, pace, calm, fault, end, mut notes, mut short, lost, doubled } = self;
        let end = end.expect("the fault is over");
        sleep(pace.after).await;
        while load.recovery(end).is_none() && end.elapsed() < Duration::from_mins(1) {
            sleep(Duration::from_millis(50)).await;
        }
        let recovery = load.recovery(end);
        let (samples, acknowledged, unfinished) = load.end().await;
        if unfinished > 0 {
            short.push(format!("{unfinished} writes never acknowledged"));
        }
        let (missing, twice) = books(ground, &actors, &acknowledged).await;
        notes.push(format!("{} writes acknowledged", acknowledged.len()));
        let outcomes = |from: Instant, to: Option<Instant>| {
            let mut outcomes = Outcomes::new();
            let within = samples.iter().filter(|sample| sample.began >= from && to.is_none_or(|to| sample.began < to));
            within.for_each(|Sample { outcome, .. }| *outcomes.entry(*outcome).or_default() += 1);
            outcomes
        };
        // From the end of the fault until the last such answer to a request that began after it.
        let last = |which: &dyn Fn(&Sample) -> bool| {
            let such = samples.iter().filter(|sample| sample.began >= end && which(sample));
            such.map(|sample| sample.began + sample.took - end).max().unwrap_or_default()
        };
        let stable = last(&|sample| !sample.outcome.is_good() && sample.outcome != Outcome::Busy);
        let busy = last(&|sample| sample.kind == Kind::Read && sample.outcome == Outcome::Busy);
        if !busy.is_zero() {
            notes.push(format!("writes that came late kept their companies busy for {:.1} s", busy.as_secs_f64()));
        }
        Figures {
            stable,
            calm: Latency::of(&samples, calm, fault),
            fault: Latency::of(&samples, fault, end),
            during: outcomes(fault, Some(end)),
            after: outcomes(end, None),
            recovery,
            lost: lost + missing,
            doubled: doubled + twice,
            notes,
            short,
        }
    }
}

/// How many acknowledged writes are missing, and how many are present twice or are answered
/// otherwise when repeated.
async fn books(ground: &Ground, actors: &[Actor], acknowledged: &Acknowledged) -> (usize, usize) {
    let mut database = ground.database.connect().await.expect("a connection");
    let rows: Vec<(i64, i64, String)> =
        sqlx::query_as("SELECT empresa, clave, nombre FROM clientes WHERE nombre ~ '^c[0-9]+-[0-9]+$'")
            .fetch_all(&mut database)
            .await
            .expect("the records");
    let there: HashSet<(i64, i64, &str)> =
        rows.iter().map(|(empresa, clave, nombre)| (*empresa, *clave, &**nombre)).collect();
    let names: HashSet<&str> = rows.iter().map(|(.., nombre)| &**nombre).collect();
    let is_there = |(key, (company, clave)): &(&String, &(usize, i64))| {
        there.contains(&(ground.healthy[*company].id, *clave, key.as_str()))
    };
    let lost = acknowledged.iter().filter(|write| !is_there(write)).count();
    let mut doubled = rows.len() - names.len();
    for (company, actor) in actors.iter().enumerate() {
        let of = acknowledged.iter().filter(|(_, (of, _))| *of == company);
        for (key, (_, clave)) in of.take(AGAIN) {
            let body = Bytes::from(json!({"nombre": key}).to_string());
            let (_, again) = actor.write(Method::POST, "/clientes", key, body).await;
            doubled += usize::from(again["cliente"] != json!(clave));
        }
    }
    (lost, doubled)
}
