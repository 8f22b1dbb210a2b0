//! The load of healthy companies: each reads and writes at a fixed pace, whatever becomes of
//! earlier requests, so that a waiting request delays no other and shows in the figures. An
//! unacknowledged write is sent again with its Idempotency-Key until it is acknowledged.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use http::Method;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::client::{Actor, Outcome};

/// The time between two reads of a company.
const READS: Duration = Duration::from_millis(40);

/// The time between two writes of a company.
const WRITES: Duration = Duration::from_millis(100);

/// The time between a refusal and the next attempt, as in Retry-After.
const RETRY: Duration = Duration::from_secs(1);

/// How long unacknowledged writes are repeated after the last new one.
const LAST: Duration = Duration::from_secs(45);

/// The kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
}

/// One exchange with the server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) company: usize,
    pub(crate) kind: Kind,
    pub(crate) began: Instant,
    pub(crate) took: Duration,
    pub(crate) outcome: Outcome,
}

/// The acknowledged writes: the Idempotency-Key (which is also the record's name), the company and
/// the record's clave.
pub(crate) type Acknowledged = HashMap<String, (usize, i64)>;

pub(crate) struct Load {
    shared: Arc<Shared>,
    companies: JoinSet<JoinSet<()>>,
}

struct Shared {
    actors: Vec<Actor>,
    samples: Mutex<Vec<Sample>>,
    acknowledged: Mutex<Acknowledged>,
    over: AtomicBool,
}

impl Load {
    /// Begins, with these companies.
    pub(crate) fn begin(actors: Vec<Actor>) -> Self {
        let shared =
            Shared { actors, samples: Mutex::default(), acknowledged: Mutex::default(), over: AtomicBool::new(false) };
        let shared = Arc::new(shared);
        let mut companies = JoinSet::new();
        for company in 0..shared.actors.len() {
            companies.spawn(tick(READS, shared.clone(), move |shared, _| read(shared, company)));
            companies.spawn(tick(WRITES, shared.clone(), move |shared, number| write(shared, company, number)));
        }
        Self { shared, companies }
    }

    /// The measurements so far.
    pub(crate) fn samples(&self) -> Vec<Sample> {
        self.shared.samples.lock().expect("nobody panicked").clone()
    }

    /// How long it took after `end` until every company had a good answer of either kind; none if
    /// some had not.
    pub(crate) fn recovery(&self, end: Instant) -> Option<Duration> {
        let samples = self.samples();
        let first = |company, kind| {
            let of = samples.iter().filter(|sample| (sample.company, sample.kind) == (company, kind));
            let good = of.filter(|sample| sample.outcome.is_good() && sample.began + sample.took > end);
            good.map(|sample| sample.began + sample.took - end).min()
        };
        let all =
            (0..self.shared.actors.len()).flat_map(|company| [first(company, Kind::Read), first(company, Kind::Write)]);
        all.collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max())
    }

    /// Starts nothing new, and waits for open requests; returns the measurements, the acknowledged
    /// writes, and the number of those never acknowledged.
    pub(crate) async fn end(mut self) -> (Vec<Sample>, Acknowledged, usize) {
        self.shared.over.store(true, Ordering::Relaxed);
        let mut unfinished = 0;
        let deadline = Instant::now() + LAST;
        while let Some(requests) = self.companies.join_next().await {
            let mut requests = requests.expect("no panic");
            let left = deadline.saturating_duration_since(Instant::now());
            let _ = timeout(left, async { while requests.join_next().await.is_some() {} }).await;
            unfinished += requests.len();
        }
        let acknowledged = std::mem::take(&mut *self.shared.acknowledged.lock().expect("nobody panicked"));
        (self.samples(), acknowledged, unfinished)
    }
}

/// Starts a request at each tick until the load is over; returns the open ones.
async fn tick<F>(every: Duration, shared: Arc<Shared>, request: impl Fn(Arc<Shared>, usize) -> F) -> JoinSet<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut ticks = interval(every);
    // A busy machine does not catch up on missed ticks.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut requests = JoinSet::new();
    let mut number = 0;
    while !shared.over.load(Ordering::Relaxed) {
        ticks.tick().await;
        while requests.try_join_next().is_some() {}
        requests.spawn(request(shared.clone(), number));
        number += 1;
    }
    requests
}

async fn read(shared: Arc<Shared>, company: usize) {
    let began = Instant::now();
    let (outcome, _) = shared.actors[company].get("/clientes?limite=20").await;
    shared.note(company, Kind::Read, began, outcome);
}

async fn write(shared: Arc<Shared>, company: usize, number: usize) {
    let key = format!("c{company}-{number}");
    loop {
        let began = Instant::now();
        let actor = &shared.actors[company];
        let body = json!({"nombre": key}).to_string().into();
        let (outcome, answer) = actor.write(Method::POST, "/clientes", &key, body).await;
        shared.note(company, Kind::Write, began, outcome);
        if outcome.is_good() {
            let clave = answer["cliente"].as_i64().expect("the new record's clave");
            shared.acknowledged.lock().expect("nobody panicked").insert(key, (company, clave));
            return;
        }
        sleep(RETRY).await;
    }
}

impl Shared {
    fn note(&self, company: usize, kind: Kind, began: Instant, outcome: Outcome) {
        let sample = Sample { company, kind, began, took: began.elapsed(), outcome };
        self.samples.lock().expect("nobody panicked").push(sample);
    }
}
