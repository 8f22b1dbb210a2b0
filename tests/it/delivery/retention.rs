use chrono::TimeDelta;
use http::Method;
use serde_json::json;
use svc_core::clean_up;

use super::*;

/// Events and deliveries of a company as if they had been made so many days ago.
async fn made_ago(days: i64, company: &Company, events: i64) {
    let world = &company.world;
    world.clock.set_to_present(TimeDelta::days(-days));
    webhook(company, &["cliente.creado"]).await;
    happen(company, "cliente.creado", events).await;
    world.deliver(&answering::<200>()).await;
}

async fn cleaned(world: &World) -> u64 {
    clean_up(world.api.context()).await.expect("a clean-up")
}

#[tokio::test]
async fn events_deliveries_and_deleted_webhooks_go_after_thirty_days() {
    let world = World::new().await;
    let (company, other) = (world.company().await, world.company().await);
    world.clock.set_to_present(TimeDelta::days(-32));
    webhook(&company, &["cliente.creado"]).await;
    made_ago(32, &company, 1_500).await;
    happen(&company, "venta.creada", 1).await;
    world.deliver(&answering::<200>()).await;
    change(&company, "UPDATE webhooks SET eliminado = creado WHERE empresa = $1 AND clave = 2").await;
    made_ago(29, &other, 1).await;
    world.clock.set_to_present(TimeDelta::days(-2));
    super::api::bare(&company.admin().await, Method::POST, "/webhooks/1/entregas/1/reenviar").await;
    let removed = cleaned(&world).await;
    assert_eq!(removed, 3_000 + 1_500 + 1, "deliveries; events but the one that is being sent again; a webhook");
    let left: Vec<Value> = deliveries(&company).await.iter().map(|row| row["clave"].clone()).collect();
    assert_eq!((left, deliveries(&other).await.len()), (vec![json!(3001)], 1));
    assert_eq!(world.count("eventos").await, 2);
    assert_eq!(webhooks(&company).await.len(), 1);
    change(&company, "UPDATE entregas SET creado = creado - interval '30 days' WHERE empresa = $1").await;
    assert_eq!(cleaned(&world).await, 2, "the last delivery, and the event with it");
}

/// A server eight days ahead for seconds once deleted every stored answer.
#[tokio::test]
async fn a_server_whose_clock_is_wrong_removes_and_forgets_nothing() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    made_ago(0, &company, 3).await;
    let created = ana.write(Method::POST, "/clientes", "k", json!({"nombre": "Ana"})).await;
    created.ok(201);
    for days in [8, 40, -8, -40] {
        world.clock.set_to_present(TimeDelta::days(days));
        assert_eq!(cleaned(&world).await, 0, "{days} days");
        let again = ana.write(Method::POST, "/clientes", "k", json!({"nombre": "Ana"})).await;
        assert_eq!((again.status, &again.body), (200, &created.body), "{days} days");
        // An answer that it gives is as young as any.
        let key = format!("k{days}");
        ana.write(Method::POST, "/clientes", &key, json!({"nombre": "Ana"})).await.ok(201);
        world.clock.set_to_present(TimeDelta::zero());
        assert_eq!(cleaned(&world).await, 0, "{days} days");
        assert_eq!(ana.write(Method::POST, "/clientes", &key, json!({"nombre": "Ana"})).await.status, 200);
    }
    assert_eq!(deliveries(&company).await.len(), 3);
}
