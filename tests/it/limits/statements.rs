use chrono::TimeDelta;
use serde_json::json;
use svc_tests::World;

/// Statements under load: each request one, and now and then the keys and the merge.
#[tokio::test]
async fn a_read_costs_one_statement_and_a_twentieth() {
    let world = World::new().await;
    if sqlx::query("CREATE EXTENSION pg_stat_statements").execute(world.store.pool()).await.is_err() {
        eprintln!("this machine has no pg_stat_statements: nothing to count with");
        return;
    }
    let mut actors = Vec::new();
    for _ in 0..5 {
        let company = world.company().await;
        actors.extend([company.admin().await, company.admin().await]);
    }
    actors[0].post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    let calls = "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
                 WHERE d.datname = current_database() AND s.query NOT LIKE '%pg_stat_statements%'";
    let before: i64 = world.sql(calls).await;
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
        world.api.merge_usage().await.expect("merged");
    }
    let statements = world.sql::<i64>(calls).await - before;
    println!("{statements} statements for {requests} requests");
    assert!(statements >= requests, "{statements} statements for {requests} requests: who read them?");
    assert!(statements * 100 <= requests * 105, "{statements} statements for {requests} requests");
}
