use serde_json::json;

use super::{at, five_seconds_later, left, licences, stored, used_elsewhere, world};

#[tokio::test]
async fn the_last_operation_of_the_month_is_used_once() {
    let world = world().await;
    let company = world.company().await;
    let ana = company.admin().await;
    at(&world, "2026-10-31T12:00:00Z");
    used_elsewhere(&company, 4_998).await;
    for remaining in [1, 0] {
        let reply = ana.get("/clientes").await;
        reply.ok(200);
        assert_eq!(reply.number("x-svc-cupo-restante"), remaining);
    }
    let refused = ana.get("/clientes").await;
    refused.fails(429, "cupo_agotado");
    // To midnight in Mexico, six in the morning in UTC.
    assert_eq!(refused.number("retry-after"), 18 * 3_600 - 5);
    assert_eq!((left(&refused), refused.header("x-svc-cupo-reinicio")), ((147, 0), Some("2026-11-01")));
    assert_eq!(refused.number("x-rate-limit-reset"), 55, "the minute's own");
    world.api.context().merge_usage().await.expect("merged");
    assert_eq!(stored(&world).await, 5_000);
}

#[tokio::test]
async fn the_month_begins_at_midnight_in_mexico() {
    let world = world().await;
    let company = world.company().await;
    let ana = company.admin().await;
    at(&world, "2026-11-01T05:59:50Z");
    used_elsewhere(&company, 5_000).await;
    let refused = ana.get("/clientes").await;
    refused.fails(429, "cupo_agotado");
    assert_eq!((refused.header("retry-after"), refused.header("x-svc-cupo-reinicio")), (Some("5"), Some("2026-11-01")));
    at(&world, "2026-11-01T05:59:59.900Z");
    ana.get("/clientes").await.fails(429, "cupo_agotado");
    at(&world, "2026-11-01T06:00:00Z");
    let reply = ana.get("/clientes").await;
    reply.ok(200);
    assert_eq!((left(&reply), reply.header("x-svc-cupo-reinicio")), ((149, 4_999), Some("2026-12-01")));
    world.api.context().merge_usage().await.expect("merged");
    let months: Vec<(String, i64)> = sqlx::query_as("SELECT mes::text, usadas FROM cupos ORDER BY mes")
        .fetch_all(world.pool())
        .await
        .expect("the months");
    assert_eq!(months, [("2026-10-01".to_owned(), 5_000), ("2026-11-01".to_owned(), 1)]);
}

#[tokio::test]
async fn the_month_does_not_begin_at_midnight_utc() {
    let world = world().await;
    let ana = world.company().await.admin().await;
    at(&world, "2026-10-31T23:59:00Z");
    assert_eq!(left(&ana.get("/clientes").await), (149, 4_999));
    // November in UTC, October in Mexico.
    at(&world, "2026-11-01T00:01:00Z");
    let reply = ana.get("/clientes").await;
    assert_eq!((left(&reply), reply.header("x-svc-cupo-reinicio")), ((149, 4_998), Some("2026-11-01")));
}

#[tokio::test]
async fn licence_changes_take_effect_within_five_seconds() {
    let world = world().await;
    let company = world.company_with(licences(1)).await;
    let ana = company.admin().await;
    for (used, (count, quota)) in
        [(1, 5_000), (3, 5_000), (4, 10_000), (5, 10_000), (6, 20_000), (40, 20_000), (3, 5_000)]
            .into_iter()
            .enumerate()
    {
        company.edit(licences(count)).await;
        five_seconds_later(&world);
        let reply = ana.get("/clientes").await;
        assert_eq!(reply.number("x-svc-cupo-limite"), quota, "{count} licences");
        assert_eq!(reply.number("x-svc-cupo-restante"), quota - 1 - used as i64);
    }
    used_elsewhere(&company, 7_000).await;
    let refused = ana.get("/clientes").await;
    refused.fails(429, "cupo_agotado");
    assert_eq!(refused.number("x-svc-cupo-restante"), 0, "never below zero");
    company.edit(licences(4)).await;
    five_seconds_later(&world);
    assert_eq!(ana.get("/clientes").await.ok(200)["ok"], true);
}

#[tokio::test]
async fn the_connector_uses_the_same_quota() {
    let world = world().await;
    let company = world.company().await;
    let ana = company.admin().await;
    assert_eq!(left(&ana.get("/clientes").await), (149, 4_999));
    world.api.context().merge_usage().await.expect("merged");
    let used = company.run_by_name("quota.use", &json!({"operaciones": 4_990})).await.expect("used");
    assert_eq!(used, json!({"cupo_usado": 4_991}));
    // The next merge brings the connector's usage.
    assert_eq!(left(&ana.get("/clientes").await), (148, 4_998));
    world.api.context().merge_usage().await.expect("merged");
    assert_eq!(left(&ana.get("/clientes").await), (147, 7));
}

#[tokio::test]
async fn server_failures_do_not_count_in_the_month() {
    let world = world().await;
    let ana = world.company().await.admin().await;
    ana.get("/clientes").await.ok(200);
    sqlx::query("ALTER TABLE clientes RENAME TO otros").execute(world.pool()).await.expect("no customers");
    for used in 2..=4 {
        let failed = ana.get("/clientes").await;
        failed.fails(500, "error_interno");
        assert_eq!(left(&failed), (150 - used, 4_999), "the minute counts it");
    }
    sqlx::query("ALTER TABLE otros RENAME TO clientes").execute(world.pool()).await.expect("customers");
    assert_eq!(left(&ana.get("/clientes").await), (145, 4_998));
    world.api.context().merge_usage().await.expect("merged");
    assert_eq!(stored(&world).await, 2);
}
