use chrono::TimeDelta;
use http::Method;
use serde_json::json;
use svc_core::clean_up;

use super::*;

#[tokio::test]
async fn events_deliveries_and_deleted_webhooks_go_after_thirty_days() {
    let world = World::new().await;
    let (company, other) = (world.company().await, world.company().await);
    for _ in 0..2 {
        webhook(&company, &["cliente.creado"]).await;
    }
    happen(&company, "cliente.creado", 1_500).await;
    happen(&company, "venta.creada", 1).await;
    world.deliver(&answering::<200>()).await;
    change(&company, "UPDATE webhooks SET eliminado = creado WHERE empresa = $1 AND clave = 2").await;
    world.clock.advance(TimeDelta::days(29));
    webhook(&other, &["cliente.creado"]).await;
    happen(&other, "cliente.creado", 1).await;
    world.deliver(&answering::<200>()).await;
    super::api::bare(&company.admin().await, Method::POST, "/webhooks/1/entregas/1/reenviar").await;
    assert_eq!(clean_up(world.api.context()).await.expect("a clean-up"), 0);
    // The clean-up removes whole days.
    world.clock.advance(TimeDelta::days(2));
    let removed = clean_up(world.api.context()).await.expect("a clean-up");
    assert_eq!(removed, 3_000 + 1_500 + 1, "deliveries; events but the one that is being sent again; a webhook");
    let left: Vec<Value> = deliveries(&company).await.iter().map(|row| row["clave"].clone()).collect();
    assert_eq!((left, deliveries(&other).await.len()), (vec![json!(3001)], 1));
    assert_eq!(world.count("eventos").await, 2);
    assert_eq!(webhooks(&company).await.len(), 1);
    world.clock.advance(TimeDelta::days(30));
    clean_up(world.api.context()).await.expect("a clean-up");
    let none = "SELECT (SELECT count(*) FROM eventos) + (SELECT count(*) FROM entregas)";
    assert_eq!(world.sql::<i64>(none).await, 0);
}
