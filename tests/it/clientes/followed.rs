//! A client that follows changes by `modificado_desde` misses none, whatever writes at the same
//! time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join_all;
use serde_json::{Value, json};
use svc_core::domain::clock::Clock as _;
use svc_tests::{Actor, Resource, World};

const CUSTOMERS: i64 = 6;
const WRITERS: u64 = 8;
const EDITS: u64 = 20;

/// A poller's state: the names by clave, and the greatest `modificado` seen.
#[derive(Default)]
struct Mirror {
    names: BTreeMap<i64, String>,
    seen: DateTime<Utc>,
}

impl Mirror {
    /// Requests the changes since a minute before the last one seen.
    async fn poll(&mut self, ana: &Actor) {
        let since = (self.seen - TimeDelta::seconds(60)).format("%Y-%m-%dT%H:%M:%SZ");
        for row in ana.walk(&format!("/clientes?modificado_desde={since}&limite=30")).await {
            let text = |field: &str| row[field].as_str().expect("a text").to_owned();
            self.names.insert(row["clave"].as_i64().expect("a clave"), text("nombre"));
            self.seen = self.seen.max(text("modificado").parse().expect("an instant"));
        }
    }
}

/// A second passes in a few milliseconds, so that waiting writes last long by their own
/// `modificado`.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_poller_misses_no_change_of_many_writers() {
    let world = World::new().await;
    let company = world.company_with(svc_tests::in_notice_mode()).await;
    let customers: Vec<Value> = (0..CUSTOMERS).map(|number| json!({"nombre": format!("C{number}")})).collect();
    company.load(Resource::Clientes, &customers).await;
    let ana = company.admin().await;
    let (over, given_up) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut mirror = Mirror { seen: world.clock.now() - TimeDelta::hours(1), ..Mirror::default() };
    let writer = async |number: u64| {
        for edit in 0..EDITS {
            let clave = 1 + (number + edit) % u64::try_from(CUSTOMERS).expect("few");
            let body = json!({"nombre": format!("W{number}-{edit}")});
            loop {
                let reply = ana.put(&format!("/clientes/{clave}"), body.clone()).await;
                if reply.status != 503 {
                    reply.ok(200);
                    break;
                }
                given_up.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    let writers = async {
        join_all((0..WRITERS).map(writer)).await;
        over.store(true, Ordering::Relaxed);
    };
    let time = async {
        while !over.load(Ordering::Relaxed) {
            world.clock.advance(TimeDelta::seconds(1));
            tokio::time::sleep(Duration::from_millis(4)).await;
        }
    };
    let poller = async {
        while !over.load(Ordering::Relaxed) {
            mirror.poll(&ana).await;
        }
        mirror.poll(&ana).await;
    };
    tokio::join!(writers, time, poller);
    println!("given up: {}", given_up.load(Ordering::Relaxed));
    let stored: Vec<(i64, String)> = sqlx::query_as("SELECT clave, nombre FROM clientes ORDER BY clave")
        .fetch_all(world.pool())
        .await
        .expect("customers");
    assert_eq!(mirror.names.into_iter().collect::<Vec<_>>(), stored);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_write_beyond_its_time_limit_is_given_up() {
    let world = World::new().await;
    let company = world.company().await;
    company.load(Resource::Clientes, &[json!({"nombre": "Ana"})]).await;
    let ana = company.admin().await;
    ana.get("/clientes").await.ok(200);
    for (seconds, status) in [(29, 200), (31, 503)] {
        let mut held = world.pool().begin().await.expect("a transaction");
        sqlx::query("SELECT FROM clientes WHERE clave = 1 FOR UPDATE").execute(&mut *held).await.expect("a lock");
        let edit = ana.put("/clientes/1", json!({"nombre": format!("Ana {seconds}")}));
        let release = async {
            while world.lock_waits().await == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            world.clock.advance(TimeDelta::seconds(seconds));
            held.rollback().await.expect("the lock is given back");
        };
        let (reply, ()) = tokio::join!(edit, release);
        assert_eq!(reply.status, status, "{}", reply.json());
    }
    assert_eq!(world.sql::<String>("SELECT nombre FROM clientes").await, "Ana 29");
}
