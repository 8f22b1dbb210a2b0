use serde_json::json;

use super::{at, left, stored, world};

#[tokio::test]
async fn the_hundred_and_fifty_first_request_of_a_minute_waits_for_the_next() {
    let world = world().await;
    let company = world.company().await;
    let (ana, eva) = (company.admin().await, company.admin().await);
    at(&world, "2026-10-12T18:05:59.200Z");
    for used in 1..=150 {
        let reply = if used % 2 == 0 { ana.get("/clientes").await } else { ana.post("/leads", json!({})).await };
        assert_eq!(left(&reply), (150 - used, 5_000 - used), "{}", reply.json());
        assert!(reply.status < 429);
    }
    for _ in 0..3 {
        let refused = ana.get("/clientes").await;
        refused.fails(429, "limite_excedido");
        assert_eq!((left(&refused), refused.number("x-rate-limit-reset")), ((0, 4_850), 1));
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    // Another key of the company has its own minute and shares the month.
    assert_eq!(left(&eva.get("/clientes").await), (149, 4_849));
    // After the announced wait the caller is served.
    at(&world, "2026-10-12T18:06:00.200Z");
    let reply = ana.get("/clientes").await;
    reply.ok(200);
    assert_eq!((left(&reply), reply.number("x-rate-limit-reset")), ((149, 4_848), 60));
    world.api.context().merge_usage().await.expect("merged");
    assert_eq!(stored(&world).await, 152, "429 is not counted in the month");
}

#[tokio::test]
async fn concurrent_requests_are_all_counted() {
    let world = world().await;
    let ana = world.company().await.admin().await;
    let (mut served, mut refused) = (0, 0);
    for _ in 0..20 {
        for reply in futures_util::future::join_all((0..10).map(|_| ana.get("/clientes?limite=1"))).await {
            match reply.status {
                429 => refused += 1,
                _ => served += 1,
            }
        }
    }
    assert_eq!(served, 150);
    assert_eq!(refused, 50);
}

#[tokio::test]
async fn the_rate_can_be_set() {
    let world = svc_tests::World::with(|builder| builder.rate_per_minute(2)).await;
    let ana = world.company().await.admin().await;
    for remaining in ["1", "0"] {
        let reply = ana.get("/clientes").await;
        reply.ok(200);
        assert_eq!(reply.header("x-rate-limit-remaining"), Some(remaining));
    }
    ana.get("/clientes").await.fails(429, "limite_excedido");
}
