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

/// Many companies at a few requests a second, which was a write for each request.
#[tokio::test]
async fn counting_costs_a_statement_for_twenty_requests_of_many_companies() {
    let world = World::with(|builder| builder.rate_per_minute(150)).await;
    if !world.can_count_statements().await {
        return;
    }
    let mut actors = Vec::new();
    for _ in 0..100 {
        actors.push(world.company().await.admin().await);
    }
    let counting = "WITH de_llaves%";
    let before = world.statements(counting).await;
    let mut requests: i64 = 0;
    // Twelve seconds with two requests a second of each company.
    for half in 0..24 {
        for (at, actor) in actors.iter().enumerate() {
            if at == actors.len() / 2 || at == 0 {
                world.clock.advance(TimeDelta::milliseconds(250));
                world.api.context().merge_due_usage().await.expect("merged");
            }
            actor.get("/clientes?limite=1").await.ok(200);
            requests += 1;
        }
        assert!(requests == (half + 1) * 100);
    }
    let statements = world.statements(counting).await - before;
    println!("{statements} statements that count for {requests} requests");
    assert!(statements > 0 && statements * 20 <= requests, "{statements} statements for {requests} requests");
    world.api.context().merge_usage().await.expect("merged");
    assert_eq!(super::stored(&world).await, requests, "none is lost");
}
