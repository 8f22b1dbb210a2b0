//! What the log of requests keeps (`svc log`).

use svc_core::clean_up;
use svc_tests::{Company, World};

/// Logs requests, the last of them that many days ago, a second apart; their ids ascend with time.
async fn logged(company: &Company, count: i64, days: i64) {
    sqlx::query(
        "INSERT INTO bitacora (empresa, peticion, fecha, metodo, ruta, estado, microsegundos)
         SELECT $1,
                (lpad(to_hex((extract(epoch FROM d.fecha) * 1000)::bigint), 12, '0') || '7000'
                     || lpad(to_hex(32768 + (n % 8192)), 4, '0') || lpad(to_hex(n), 12, '0'))::uuid,
                d.fecha, 'GET', '/clientes', 200, 900
         FROM generate_series(1, $2) n
         CROSS JOIN LATERAL (SELECT now() - make_interval(days => $3::int, secs => $2 - n) AS fecha) d",
    )
    .bind(company.id.0)
    .bind(count)
    .bind(days)
    .execute(company.world.pool())
    .await
    .expect("requests");
}

async fn kept(company: &Company) -> i64 {
    company.world.count(&format!("bitacora WHERE empresa = {}", company.id.0)).await
}

#[tokio::test]
async fn requests_stay_in_the_log_for_three_days() {
    let world = World::new().await;
    let (company, other) = (world.company().await, world.company().await);
    for days in [0, 1, 2, 4, 5] {
        logged(&company, 10, days).await;
    }
    logged(&other, 10, 30).await;
    // Days are whole ones, so what is three days old may stay for another.
    assert_eq!(clean_up(world.office()).await.expect("a clean-up"), 30);
    assert_eq!((kept(&company).await, kept(&other).await), (30, 0));
    assert_eq!(clean_up(world.office()).await.expect("a clean-up"), 0);
}

#[tokio::test]
async fn a_company_s_log_keeps_its_last_ten_thousand_requests() {
    let world = World::new().await;
    let (company, other) = (world.company().await, world.company().await);
    logged(&company, 12_345, 0).await;
    logged(&other, 10_000, 0).await;
    assert_eq!(clean_up(world.office()).await.expect("a clean-up"), 2_345);
    assert_eq!((kept(&company).await, kept(&other).await), (10_000, 10_000));
    let first: String = world.sql("SELECT min(peticion::text) FROM bitacora WHERE empresa = 1").await;
    // Each request's id ends with its number, here 2,346.
    assert!(first.ends_with(&format!("{:012x}", 2_346)), "the oldest go: {first}");
}
