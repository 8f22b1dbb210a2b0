//! The state of a webhook when an event occurs decides whether it gets the event (contract §6).

use chrono::TimeDelta;
use http::Method;
use serde_json::json;
use svc_core::clean_up;
use svc_tests::{Actor, fresh_key};

use super::*;

async fn create(ana: &Actor, nombre: &str) {
    ana.post("/clientes", json!({"nombre": nombre})).await.ok(201);
}

async fn set_active(ana: &Actor, activo: bool) {
    ana.put("/webhooks/1", json!({"activo": activo})).await.ok(200);
}

#[tokio::test]
async fn only_a_pause_before_the_event_suppresses_it() {
    let company = World::new().await.company().await;
    let (world, ana, receiver) = (&company.world, company.admin().await, answering::<200>());
    webhook(&company, &["cliente.creado"]).await;
    create(&ana, "antes").await;
    set_active(&ana, false).await;
    create(&ana, "durante").await;
    let report = world.deliver(&receiver).await;
    assert_eq!((report.creadas, report.entregadas), (1, 0), "it waits for the reactivation");
    world.clock.advance(TimeDelta::seconds(1));
    set_active(&ana, true).await;
    create(&ana, "después").await;
    assert_eq!(world.deliver(&receiver).await.entregadas, 2);
    let notified: Vec<i64> = receiver.posts().iter().map(customer).collect();
    assert_eq!(notified, [1, 3]);
}

fn customer(post: &Post) -> i64 {
    let body: Value = serde_json::from_slice(&post.body).expect("JSON");
    body["datos"]["cliente"].as_i64().expect("a customer")
}

#[tokio::test]
async fn reactivation_and_new_subscriptions_do_not_reach_earlier_events() {
    let company = World::new().await.company().await;
    let (world, ana, receiver) = (&company.world, company.admin().await, answering::<200>());
    webhook(&company, &["cliente.creado"]).await;
    create(&ana, "antes").await;
    set_active(&ana, false).await;
    create(&ana, "durante").await;
    world.clock.advance(TimeDelta::seconds(1));
    set_active(&ana, true).await;
    ana.put("/webhooks/1", json!({"eventos": ["producto.creado"]})).await.ok(200);
    create(&ana, "sin suscripción").await;
    assert_eq!(world.deliver(&receiver).await.entregadas, 1);
    assert_eq!(receiver.posts().iter().map(customer).collect::<Vec<_>>(), [1]);
}

#[tokio::test]
async fn a_group_reaches_webhooks_active_at_any_of_its_changes() {
    let company = World::new().await.company().await;
    let (world, ana, receiver) = (&company.world, company.admin().await, answering::<200>());
    webhook(&company, &["cliente.actualizado"]).await;
    for nombre in ["Ana", "Luz"] {
        create(&ana, nombre).await;
    }
    ana.put("/clientes/1", json!({"telefono": "1"})).await.ok(200);
    set_active(&ana, false).await;
    for clave in [1, 2] {
        ana.put(&format!("/clientes/{clave}"), json!({"telefono": "2"})).await.ok(200);
    }
    world.clock.advance(TimeDelta::minutes(2));
    set_active(&ana, true).await;
    let report = world.deliver(&receiver).await;
    assert_eq!((report.agrupados, report.entregadas), (2, 1));
    assert_eq!(receiver.posts().iter().map(customer).collect::<Vec<_>>(), [1]);
}

#[tokio::test]
async fn disabling_discards_events_without_deliveries_too() {
    let company = World::new().await.company().await;
    let (world, ana, receiver) = (&company.world, company.admin().await, answering::<200>());
    webhook(&company, &["cliente.creado"]).await;
    create(&ana, "antes").await;
    // As the worker that disables it would do.
    let disabled = "UPDATE webhooks SET activo = false, ultimo_descartado = (SELECT max(clave) FROM eventos)
                    WHERE empresa = $1";
    change(&company, disabled).await;
    set_active(&ana, true).await;
    create(&ana, "después").await;
    assert_eq!(world.deliver(&receiver).await.entregadas, 1);
    assert_eq!(receiver.posts().iter().map(customer).collect::<Vec<_>>(), [2]);
}

#[tokio::test]
async fn a_large_backlog_is_discarded_in_batches_and_never_sent() {
    let company = World::new().await.company().await;
    let (world, ana, receiver) = (&company.world, company.admin().await, answering::<200>());
    for _ in 0..2 {
        webhook(&company, &["cliente.creado"]).await;
    }
    happen(&company, "cliente.creado", 2_500).await;
    set_active(&ana, false).await;
    ana.put("/webhooks/2", json!({"activo": false})).await.ok(200);
    world.deliver(&receiver).await;
    assert_eq!(count(world, "pendiente").await, 0, "events of the release before are for who is active then");
    change(
        &company,
        "INSERT INTO entregas (empresa, clave, webhook, evento, tipo, creado, proximo_intento)
         SELECT empresa, 1000 + row_number() OVER (), w, id, tipo, creado, creado FROM eventos, generate_series(1, 2) w
         WHERE empresa = $1",
    )
    .await;
    let request = ana.request(Method::DELETE, "/webhooks/1").header("Idempotency-Key", fresh_key());
    ana.send(request, "").await.ok(200);
    assert_eq!((count(world, "descartada").await, count(world, "pendiente").await), (1_000, 4_000));
    world.clock.advance(TimeDelta::seconds(1));
    ana.put("/webhooks/2", json!({"activo": true})).await.ok(200);
    change(&company, "UPDATE webhooks SET proximo = '2000-01-01Z' WHERE empresa = $1").await;
    assert_eq!(world.deliver(&receiver).await.entregadas, 2_500);
    assert_eq!((count(world, "descartada").await, count(world, "pendiente").await), (2_500, 0));
    assert!(receiver.posts().iter().all(|post| post.url.contains("receptor-2.")));
}

#[tokio::test]
async fn deliveries_queued_by_the_previous_release_are_found() {
    let company = World::new().await.company().await;
    let world = &company.world;
    // The clean-up goes by the database's clock.
    world.clock.set_to_present(TimeDelta::zero());
    webhook(&company, &["cliente.creado"]).await;
    happen(&company, "cliente.creado", 1).await;
    world.deliver(&unreachable()).await;
    world.clock.advance(TimeDelta::hours(1));
    // The previous release does not know this column.
    change(&company, "UPDATE webhooks SET proximo = NULL WHERE empresa = $1").await;
    assert!(world.deliver(&answering::<200>()).await.is_empty());
    clean_up(world.api.context()).await.expect("a clean-up");
    assert_eq!(world.deliver(&answering::<200>()).await.entregadas, 1);
}
