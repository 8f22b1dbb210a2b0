//! `quota.use`

use chrono::TimeDelta;
use serde_json::json;
use svc_tests::World;

use super::{did, refuses};

#[tokio::test]
async fn use_adds_up_per_company_and_month_in_mexico() {
    let world = World::new().await;
    let (one, other) = (world.company().await, world.company().await);
    let used = |total: i64| json!({"cupo_usado": total});
    assert_eq!(did(one.run_by_name("quota.use", &json!({"operaciones": 250})).await), used(250));
    assert_eq!(did(one.run_by_name("quota.use", &json!({"operaciones": 1})).await), used(251));
    assert_eq!(did(other.run_by_name("quota.use", &json!({"operaciones": 7})).await), used(7));

    // It is 2026-10-12T18:00Z; November begins in Mexico at 06:00Z.
    world.clock.advance(TimeDelta::days(20) - TimeDelta::hours(12) - TimeDelta::seconds(1));
    assert_eq!(did(one.run_by_name("quota.use", &json!({"operaciones": 1})).await), used(252));
    world.clock.advance(TimeDelta::seconds(1));
    assert_eq!(did(one.run_by_name("quota.use", &json!({"operaciones": 3})).await), used(3));
}

#[tokio::test]
async fn invalid_counts_are_refused() {
    let company = World::new().await.company().await;
    refuses(
        &company,
        "quota.use",
        &[
            (json!({}), "dato_requerido", "operaciones: "),
            (json!({"operaciones": 0}), "dato_invalido", "operaciones: "),
            (json!({"operaciones": -1}), "dato_invalido", "operaciones: "),
            (json!({"operaciones": 1.5}), "dato_invalido", "operaciones: "),
            (json!({"operaciones": 1_000_000_001}), "dato_invalido", "operaciones: "),
        ],
    )
    .await;
}

#[tokio::test]
async fn concurrent_uses_all_count() {
    let company = World::new().await.company().await;
    let input = json!({"operaciones": 1});
    let uses = (0..8).map(|_| company.run_by_name("quota.use", &input));
    let mut totals: Vec<i64> = futures_util::future::join_all(uses)
        .await
        .into_iter()
        .map(|used| did(used)["cupo_usado"].as_i64().unwrap())
        .collect();
    totals.sort_unstable();
    assert_eq!(totals, [1, 2, 3, 4, 5, 6, 7, 8]);
}
