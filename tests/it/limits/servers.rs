use std::time::Duration;

use svc_core::Api;
use svc_tests::{Actor, World};

use super::{five_seconds_later, left, stored};

const RATE: u64 = 150;

/// Three servers over one database.
async fn three() -> (World, Vec<Api>) {
    let world = World::with(|builder| builder.rate_per_minute(RATE)).await;
    let server = || world.second_api_with(|builder| builder.rate_per_minute(RATE));
    let servers = vec![world.api.clone(), server(), server()];
    (world, servers)
}

/// Sends `each` requests to each server; returns how many passed.
async fn burst(ana: &Actor, servers: &[Api], each: usize) -> u64 {
    let mut passed = 0;
    for _ in 0..each {
        for server in servers {
            let reply = ana.at(server).get("/clientes?limite=1").await;
            assert!(matches!(reply.status, 200 | 429), "{}", reply.json());
            passed += u64::from(reply.status == 200);
        }
    }
    passed
}

#[tokio::test]
async fn several_servers_exceed_a_limit_by_less_than_one_interval() {
    let (world, servers) = three().await;
    let ana = world.company().await.admin().await;
    let mut passed = 0;
    // Thirty requests arrive in each interval; then every server merges.
    for _ in 0..12 {
        passed += burst(&ana, &servers, 10).await;
        for server in &servers {
            server.context().merge_usage().await.expect("merged");
        }
    }
    assert!((RATE..RATE + 30).contains(&passed), "{passed}");
    assert_eq!(burst(&ana, &servers, 1).await, 0, "all of them know by now");
    assert_eq!(stored(&world).await, i64::try_from(passed).expect("few"), "the month is exact once merged");
    // Those that were refused when their server learnt of the others' are counted in the minute.
    let minute: i64 = world.sql("SELECT usadas FROM llaves_minuto").await;
    assert!((0..=3).contains(&(minute - i64::try_from(passed).expect("few"))), "{minute} of {passed}");
}

/// Numbers below a bound that look random and are always the same.
fn scattered(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % bound
    }
}

/// Sends requests to four servers, one each `pause` milliseconds, which merge what is due every 250
/// ms; returns how many passed. `pick` chooses the server.
async fn spread(pause: i64, mut pick: impl FnMut() -> usize) -> u64 {
    let (world, mut servers) = three().await;
    servers.push(world.second_api_with(|builder| builder.rate_per_minute(RATE)));
    super::at(&world, "2026-11-02T12:00:00Z");
    let ana = world.company().await.admin().await;
    // The first merge comes early, and passes over a count or two of each server.
    let (mut passed, mut since) = (0, 240);
    for _ in 0..RATE * 5 / 4 {
        passed += burst(&ana, &servers[pick()..][..1], 1).await;
        world.clock.advance(chrono::TimeDelta::milliseconds(pause));
        since += pause;
        while since >= 250 {
            since -= 250;
            for server in &servers {
                server.context().merge_due_usage().await.expect("merged");
            }
        }
    }
    passed
}

#[tokio::test]
async fn four_servers_exceed_a_limit_by_a_fiftieth_at_most() {
    for (pause, seed) in [(0, 0), (1, 5), (5, 1), (50, 2), (200, 3)] {
        let mut random = scattered(seed);
        let passed = spread(pause, || random(4)).await;
        assert!((RATE..=RATE + RATE / 50).contains(&passed), "{passed} at a request each {pause} ms");
    }
    // One server gets ten in thirteen, so that the others know less of it.
    let mut random = scattered(4);
    let passed = spread(50, || random(13).saturating_sub(9)).await;
    assert!((RATE..=RATE + RATE / 25).contains(&passed), "{passed} of which most came to one server");
}

#[tokio::test]
async fn a_server_learns_what_others_used_from_the_key_and_from_its_merges() {
    let (world, servers) = three().await;
    let ana = world.company().await.admin().await;
    assert_eq!(burst(&ana, &servers[..1], 20).await, 20);
    servers[0].context().merge_usage().await.expect("merged");
    // A server that never saw the key learns the usage when it reads the key.
    assert_eq!(left(&ana.at(&servers[1]).get("/clientes").await), (129, 4_979));
    assert_eq!(burst(&ana, &servers[..1], 10).await, 10);
    servers[0].context().merge_usage().await.expect("merged");
    assert_eq!(left(&ana.at(&servers[1]).get("/clientes").await), (128, 4_978), "not yet");
    servers[1].context().merge_usage().await.expect("merged");
    assert_eq!(left(&ana.at(&servers[1]).get("/clientes").await), (117, 4_967));
    servers[1].context().merge_usage().await.expect("merged");
    // A server with nothing to merge learns it when it reads the key anew.
    five_seconds_later(&world);
    assert_eq!(left(&ana.at(&servers[0]).get("/clientes").await), (116, 4_966));
}

#[tokio::test]
async fn a_process_that_may_be_frozen_merges_before_it_answers() {
    let (world, servers) = three().await;
    let frozen = world.second_api_with(|builder| builder.rate_per_minute(RATE).merge_usage_every(Duration::ZERO));
    let ana = world.company().await.admin().await;
    for used in 1..=3 {
        ana.at(&frozen).get("/clientes").await.ok(200);
        assert_eq!(stored(&world).await, used);
    }
    assert_eq!(left(&ana.at(&servers[1]).get("/clientes").await), (146, 4_996));
    servers[1].context().merge_usage().await.expect("merged");
    // Its own merge tells it the usage of the others.
    ana.at(&frozen).get("/clientes").await.ok(200);
    assert_eq!(left(&ana.at(&frozen).get("/clientes").await), (144, 4_994));
    // Concurrent merges run one after the other, or for each other.
    futures_util::future::join_all((0..20).map(|_| async { ana.at(&frozen).get("/clientes").await.ok(200) })).await;
    assert_eq!(stored(&world).await, 26);
}

#[tokio::test]
async fn without_a_timer_a_request_merges_now_and_then() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for _ in 0..5 {
        ana.get("/clientes").await.ok(200);
    }
    let merged = stored(&world).await;
    assert_eq!(merged, 1, "the first, since nobody had merged yet");
    world.clock.advance(chrono::TimeDelta::milliseconds(500));
    ana.get("/clientes").await.ok(200);
    assert_eq!(stored(&world).await, 6);
}

#[tokio::test]
async fn an_unreachable_store_loses_no_usage() {
    let (world, servers) = three().await;
    let ana = world.company().await.admin().await;
    burst(&ana, &servers[..1], 5).await;
    sqlx::query("ALTER TABLE cupos RENAME TO otros").execute(world.pool()).await.expect("no quotas");
    servers[0].context().merge_usage().await.expect_err("there is no table");
    assert_eq!(left(&ana.get("/clientes").await), (144, 4_994), "limits go on");
    sqlx::query("ALTER TABLE otros RENAME TO cupos").execute(world.pool()).await.expect("quotas");
    servers[0].context().merge_usage().await.expect("merged");
    assert_eq!(stored(&world).await, 6);
}
