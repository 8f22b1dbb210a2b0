use chrono::TimeDelta;
use serde_json::json;
use svc_tests::World;

/// Statements under load: one per request, and now and then those of keys and merges.
#[tokio::test]
async fn a_read_costs_one_statement_and_a_twentieth() {
    let world = World::new().await;
    if !world.can_count_statements().await {
        return;
    }
    let mut actors = Vec::new();
    for _ in 0..5 {
        let company = world.company().await;
        actors.extend([company.admin().await, company.admin().await]);
    }
    actors[0].post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    let before = world.statements("%").await;
    // Twelve seconds of a server: a thousand requests a second, ten keys, a merge every 250 ms.
    let mut requests = 0;
    for _ in 0..48 {
        for _ in 0..25 {
            for reply in
                futures_util::future::join_all(actors.iter().map(|actor| actor.get("/clientes?limite=1"))).await
            {
                reply.ok(200);
                requests += 1;
            }
        }
        world.clock.advance(TimeDelta::milliseconds(250));
        world.api.context().merge_usage().await.expect("merged");
    }
    let statements = world.statements("%").await - before;
    println!("{statements} statements for {requests} requests");
    assert!(statements >= requests, "{statements} statements for {requests} requests: who read them?");
    assert!(statements * 100 <= requests * 105, "{statements} statements for {requests} requests");
}
