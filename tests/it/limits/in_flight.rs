use std::time::Duration;

use futures_util::future::join_all;
use svc_core::domain::company::LimitMode;
use svc_tests::{Actor, Company, Reply, World};
use tokio::task::JoinHandle;

use super::{left, stored, world};

/// Requests that do not end, because the customers are locked.
struct Held {
    lock: sqlx::Transaction<'static, sqlx::Postgres>,
    requests: Vec<JoinHandle<Reply>>,
}

async fn hold(ana: &Actor, world: &World, count: i64) -> Held {
    let mut lock = world.pool().begin().await.expect("a transaction");
    sqlx::query("LOCK TABLE clientes IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.expect("the lock");
    let request = |ana: Actor| tokio::spawn(async move { ana.get("/clientes").await });
    let requests = (0..count).map(|_| request(ana.clone())).collect();
    while world.lock_waits().await < count {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Held { lock, requests }
}

#[tokio::test]
async fn the_eleventh_concurrent_request_gets_retry_after() {
    let world = world().await;
    let company = world.company().await;
    let (ana, other) = (company.admin().await, world.company().await.admin().await);
    // Sent before the company's share of the connections is in use.
    let another_key = company.admin().await;
    let held = hold(&ana, &world, 10).await;
    for actor in [&ana, &another_key] {
        let refused = actor.get("/productos").await;
        refused.fails(503, "ocupado");
        assert_eq!(refused.header("retry-after"), Some("1"));
        assert_eq!(
            refused.number("x-svc-cupo-restante"),
            4_990,
            "those under way are reserved, the refused is not counted"
        );
    }
    other.get("/productos").await.ok(200);
    held.lock.commit().await.expect("the lock is released");
    for request in held.requests {
        request.await.expect("no panic").ok(200);
    }
    assert_eq!(left(&ana.get("/productos").await), (138, 4_989));
    world.api.context().merge_usage().await.expect("merged");
    assert_eq!(stored(&world).await, 12);
}

#[tokio::test]
async fn a_disconnected_caller_frees_its_slot() {
    let world = world().await;
    let ana = world.company().await.admin().await;
    let held = hold(&ana, &world, 10).await;
    ana.get("/productos").await.fails(503, "ocupado");
    for request in &held.requests {
        request.abort();
    }
    for request in held.requests {
        assert!(request.await.expect_err("it was aborted").is_cancelled());
    }
    join_all((0..10).map(|_| ana.get("/productos"))).await.iter().for_each(|reply| drop(reply.ok(200)));
    drop(held.lock);
    // A request counts even if its caller disconnects.
    assert_eq!(left(&ana.get("/productos").await), (128, 4_979));
}

#[tokio::test]
async fn the_concurrency_limit_holds_in_notice_mode_too() {
    let world = World::with(|builder| builder.in_flight(2).limits(LimitMode::Notice)).await;
    let company: Company = world.company().await;
    let ana = company.admin().await;
    let held = hold(&ana, &world, 2).await;
    let refused = ana.get("/productos").await;
    refused.fails(503, "ocupado");
    assert_eq!(refused.announced(), [""; 0]);
    drop(held);
}
