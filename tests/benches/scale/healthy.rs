//! A company whose notices should arrive soon, whatever others do.

use std::collections::HashMap;
use std::fmt;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::types::Uuid;
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::domain::event::EventId;
use svc_tests::receiver::Receiver;
use svc_tests::{Actor, Company, World};
use tokio::time::{Instant, interval, sleep};

use crate::{EVENT, webhooks};

/// The time between two events.
const EVERY: Duration = Duration::from_millis(100);

/// The time limit of the last notices.
const PATIENCE: Duration = Duration::from_mins(1);

/// The host of its receiver.
const HOST: u8 = 2;

pub(crate) struct Healthy {
    company: Company,
    actor: Actor,
    receiver: Receiver,
}

impl Healthy {
    pub(crate) async fn new(world: &World) -> Self {
        let company = world.company().await;
        let receiver = Receiver::start(Ipv4Addr::new(127, 0, 0, HOST)).await;
        webhooks(&company, 1, i64::from(HOST), receiver.address.port()).await;
        let actor = company.admin().await;
        // The first request is slow, because the response checks are built then.
        actor.post("/clientes", json!({"nombre": "Cliente"})).await.ok(201);
        Self { company, actor, receiver }
    }

    /// Creates customers until `case` ends; returns how long their notices took.
    pub(crate) async fn during<T>(&self, case: impl Future<Output = T>) -> (T, Times) {
        let created = Arc::new(Mutex::new(HashMap::new()));
        let (actor, claves) = (self.actor.clone(), created.clone());
        let creating = tokio::spawn(async move {
            let mut ticks = interval(EVERY);
            loop {
                ticks.tick().await;
                let at = SystemClock.now();
                let answer = actor.post("/clientes", json!({"nombre": "Cliente"})).await.ok(201);
                let clave = answer["cliente"].as_i64().expect("a clave");
                claves.lock().expect("nobody panicked").insert(clave, at);
            }
        });
        let done = case.await;
        creating.abort();
        assert!(creating.await.is_err_and(|error| error.is_cancelled()), "customers were created to the end");
        let created = std::mem::take(&mut *created.lock().expect("nobody panicked"));
        (done, self.times(&created).await)
    }

    /// How long the notices of customers took, from their claves and the times of their requests.
    /// Events only know their second.
    async fn times(&self, created: &HashMap<i64, DateTime<Utc>>) -> Times {
        let happened =
            "SELECT id, recurso_clave FROM eventos WHERE empresa = $1 AND recurso_clave = ANY ($2) AND tipo = $3";
        let events: Vec<(Uuid, i64)> = sqlx::query_as(happened)
            .bind(self.company.id.0)
            .bind(created.keys().copied().collect::<Vec<_>>())
            .bind(EVENT)
            .fetch_all(self.company.world.pool())
            .await
            .expect("the events");
        assert_eq!(events.len(), created.len(), "an event of each customer");
        let began = Instant::now();
        loop {
            let took: Vec<_> = events.iter().filter_map(|(id, clave)| self.took(*id, created[clave])).collect();
            let missing = events.len() - took.len();
            if missing == 0 || began.elapsed() >= PATIENCE {
                return Times::of(took, missing);
            }
            sleep(Duration::from_millis(100)).await;
        }
    }

    fn took(&self, id: Uuid, at: DateTime<Utc>) -> Option<Duration> {
        let arrived = self.receiver.arrived.lock().expect("nobody panicked");
        let first = *arrived.get(&EventId(id).to_string())?.first()?;
        Some((first - at).to_std().unwrap_or_default())
    }
}

/// How long notices took, from the event to the receiver.
pub(crate) struct Times {
    took: Vec<Duration>,
    missing: usize,
}

impl Times {
    fn of(mut took: Vec<Duration>, missing: usize) -> Self {
        took.sort_unstable();
        Self { took, missing }
    }

    /// Missing notices count as slower than all others.
    fn at(&self, percent: usize) -> String {
        let place = (self.took.len() + self.missing).saturating_sub(1) * percent / 100;
        self.took.get(place).map_or("never".to_owned(), |took| format!("{:.2} s", took.as_secs_f64()))
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.took.len() + self.missing;
        write!(f, "p50 {}, p99 {}, longest {} ({count} notices)", self.at(50), self.at(99), self.at(100))?;
        if self.missing > 0 {
            write!(f, ", {} had not come {} s later", self.missing, PATIENCE.as_secs())?;
        }
        Ok(())
    }
}
