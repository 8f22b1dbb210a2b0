//! `POST /webhooks/{clave}/recuperar` (contract §10).

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use svc_core::clean_up;
use svc_core::domain::clock::Clock as _;
use svc_core::domain::scope::Scope;
use svc_core::domain::time::Timestamp;
use svc_tests::{Actor, Company, Reply, World, notices};

use super::{bare, disable, pause, webhook};
use crate::delivery::answering;

const PATH: &str = "/webhooks/1/recuperar";

async fn customers(actor: &Actor, count: i64) {
    for _ in 0..count {
        actor.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    }
}

async fn recover(actor: &Actor, desde: &str) -> Reply {
    actor.post(PATH, json!({"desde": desde})).await
}

/// The events of the webhook's deliveries, in the order of their claves.
async fn log(actor: &Actor) -> Vec<Value> {
    actor.walk("/webhooks/1/entregas").await.iter().map(|delivery| delivery["evento"].clone()).collect()
}

/// Inserts customers' events of now.
async fn happened(company: &Company, count: i64) {
    let now = company.world.clock.now();
    notices::events(company.world.pool(), company.id.0, "cliente.creado", count, now).await;
}

#[tokio::test]
async fn all_events_since_then_are_delivered_again() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    customers(&ana, 2).await;
    world.clock.advance(TimeDelta::hours(1));
    webhook(&ana).await;
    customers(&ana, 2).await;
    ana.post("/productos", json!({"sku": "A", "descripcion": "Clavo", "unidad": 1})).await.ok(201);
    let receiver = answering::<200>();
    assert_eq!(world.deliver(&receiver).await.entregadas, 2, "those since it exists");
    world.clock.advance(TimeDelta::minutes(10));
    let recovered = recover(&ana, "2026-10-12T19:00:00Z").await.ok(202);
    assert_eq!(recovered, json!({"ok": true, "webhook": 1, "entregas": 2}));
    let events: Vec<Value> =
        ana.walk("/eventos?tipo=cliente.creado").await.iter().map(|event| event["id"].clone()).collect();
    assert_eq!(log(&ana).await[2..], events[2..], "as new deliveries of the same events, the oldest first");
    let last = ana.walk("/webhooks/1/entregas").await.pop().expect("a delivery");
    assert_eq!(
        svc_tests::lists::pick(&last, &["clave", "tipo", "estado", "intentos", "creado"]),
        json!({"clave": 4, "tipo": "cliente.creado", "estado": "pendiente", "intentos": 0,
               "creado": "2026-10-12T19:10:00Z"})
    );
    assert_eq!(world.deliver(&receiver).await.entregadas, 2);
    // Also what happened before the webhook existed.
    assert_eq!(recover(&ana, "2026-10-01T00:00:00Z").await.ok(202)["entregas"], 4);
    assert_eq!(world.deliver(&receiver).await.entregadas, 4);
    let created = "SELECT count(*) FROM entregas WHERE origen = 'reenvio' AND estado = 'entregada'";
    assert_eq!(world.sql::<i64>(created).await, 6, "they do not count for disabling the webhook");
    assert_eq!(log(&ana).await[4..], events);
    // Nothing happened since, and nothing will have.
    for desde in ["2026-10-12T19:00:01Z", "2030-01-01T00:00:00Z"] {
        assert_eq!(recover(&ana, desde).await.ok(202)["entregas"], 0, "{desde}");
    }
    assert_eq!(log(&ana).await.len(), 8);
}

#[tokio::test]
async fn only_what_it_is_subscribed_to_today_is_sent() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    customers(&ana, 1).await;
    ana.post("/productos", json!({"sku": "A", "descripcion": "Clavo", "unidad": 1})).await.ok(201);
    bare(&ana, Method::POST, "/webhooks/1/probar").await.ok(202);
    world.deliver(&answering::<200>()).await;
    ana.put("/webhooks/1", json!({"eventos": ["producto.creado"]})).await.ok(200);
    assert_eq!(recover(&ana, "2026-10-12T00:00:00Z").await.ok(202)["entregas"], 1);
    let last = ana.walk("/webhooks/1/entregas").await.pop().expect("a delivery");
    assert_eq!((&last["tipo"], &last["estado"]), (&json!("producto.creado"), &json!("pendiente")));
}

/// What is fanned out later is sent then as well, under the same id.
#[tokio::test]
async fn what_has_no_deliveries_yet_is_sent_too() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    customers(&ana, 3).await;
    assert_eq!(recover(&ana, "2026-10-12T00:00:00Z").await.ok(202)["entregas"], 3);
    let report = world.deliver(&answering::<200>()).await;
    assert_eq!((report.creadas, report.entregadas), (3, 6));
    // A group is no event before it leaves.
    ana.put("/webhooks/1", json!({"eventos": ["cliente.actualizado"]})).await.ok(200);
    ana.put("/clientes/1", json!({"telefono": "1"})).await.ok(200);
    assert_eq!(recover(&ana, "2026-10-12T00:00:00Z").await.ok(202)["entregas"], 0);
    world.clock.advance(TimeDelta::minutes(1));
    world.deliver(&answering::<200>()).await;
    assert_eq!(recover(&ana, "2026-10-12T00:00:00Z").await.ok(202)["entregas"], 1);
}

#[tokio::test]
async fn ten_thousand_events_are_sent_and_no_more() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    webhook(&ana).await;
    happened(&company, 10_000).await;
    assert_eq!(recover(&ana, "2026-10-12T00:00:00Z").await.ok(202)["entregas"], 10_000);
    happened(&company, 1).await;
    let refused = recover(&ana, "2026-10-12T00:00:00Z").await;
    refused.fails(422, "demasiados_eventos");
    assert!(refused.mensaje().starts_with("desde: "), "{}", refused.mensaje());
    assert_eq!(world.count("entregas").await, 10_000, "none is made");
    assert_eq!(world.sql::<i64>("SELECT valor FROM contadores WHERE serie = 'entregas'").await, 10_000);
}

#[tokio::test]
async fn events_are_sent_again_for_thirty_days() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    world.clock.set_to_present(TimeDelta::days(-31));
    webhook(&ana).await;
    customers(&ana, 1).await;
    world.clock.set_to_present(TimeDelta::days(-29));
    customers(&ana, 1).await;
    world.deliver(&answering::<200>()).await;
    world.clock.set_to_present(TimeDelta::zero());
    let body = recover(&ana, "2020-01-01T00:00:00Z").await.ok(202);
    assert_eq!(body["entregas"], 1, "of what is still kept, more is not");
    world.deliver(&answering::<200>()).await;
    // Three days later the event is kept for its delivery, and not shown any more.
    sqlx::query(
        "UPDATE eventos SET creado = creado - interval '3 days', id = ('01000000' || right(id::text, 28))::uuid
                 WHERE creado > now() - interval '30 days'",
    )
    .execute(world.pool())
    .await
    .expect("the event is old");
    sqlx::query(
        "UPDATE entregas SET evento = (SELECT id FROM eventos ORDER BY clave DESC LIMIT 1) WHERE origen = 'reenvio'",
    )
    .execute(world.pool())
    .await
    .expect("the delivery is of that event");
    clean_up(world.api.context()).await.expect("a clean-up");
    assert_eq!(world.count("eventos e JOIN entregas d ON d.evento = e.id WHERE d.origen = 'reenvio'").await, 1);
    assert!(ana.walk("/eventos").await.is_empty());
    assert_eq!(recover(&ana, "2020-01-01T00:00:00Z").await.ok(202)["entregas"], 0);
}

#[tokio::test]
async fn a_webhook_that_is_not_active_recovers_nothing() {
    let world = World::new().await;
    let (company, other) = (world.company().await, world.company().await);
    let (ana, bob) = (company.admin().await, other.admin().await);
    webhook(&ana).await;
    customers(&ana, 1).await;
    pause(&ana, 1).await;
    recover(&ana, "2026-10-12T00:00:00Z").await.fails(422, "webhook_inactivo");
    disable(&world, 1).await;
    recover(&ana, "2026-10-12T00:00:00Z").await.fails(422, "webhook_inactivo");
    recover(&bob, "2026-10-12T00:00:00Z").await.fails(404, "no_encontrado");
    let clerk = company.actor(&[Scope::WebhooksWrite, Scope::ClientesRead]).await;
    let refused = recover(&clerk, "2026-10-12T00:00:00Z").await;
    refused.fails(403, "sin_permiso");
    assert_eq!(refused.mensaje(), "eventos: venta.creada requiere el permiso ventas:read");
    company.actor(&[Scope::VentasRead]).await.post(PATH, json!({})).await.fails(403, "sin_permiso");
    ana.put("/webhooks/1", json!({"activo": true})).await.ok(200);
    assert_eq!(recover(&ana, "2026-10-12T00:00:00Z").await.ok(202)["entregas"], 1, "also of while it was paused");
    for (body, codigo) in [
        (json!({}), "dato_requerido"),
        (json!({"desde": ""}), "dato_requerido"),
        (json!({"desde": null}), "dato_requerido"),
        (json!({"desde": "ayer"}), "dato_invalido"),
        (json!({"desde": "2026-10-12"}), "dato_invalido"),
        (json!({"desde": "2026-10-12T00:00:00-06:00"}), "dato_invalido"),
        (json!({"desde": 1}), "dato_invalido"),
        (json!({"desde": "2026-10-12T00:00:00Z", "hasta": 1}), "campo_no_permitido"),
    ] {
        ana.post(PATH, body.clone()).await.fails(400, codigo);
    }
    assert_eq!(log(&ana).await.len(), 1);
}

#[tokio::test]
async fn a_repetition_and_a_rehearsal_send_nothing_more() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    customers(&ana, 2).await;
    world.deliver(&answering::<200>()).await;
    let since = json!({"desde": Timestamp::new(world.clock.now())});
    let rehearsed =
        ana.request(Method::POST, PATH).header("Content-Type", "application/json").header("X-Svc-Ensayo", "true");
    let rehearsed = ana.send(rehearsed, since.to_string()).await;
    assert_eq!((rehearsed.ok(202)["entregas"].clone(), rehearsed.header("x-svc-ensayo-eventos")), (json!(2), Some("")));
    assert_eq!(log(&ana).await.len(), 2);
    let first = ana.write(Method::POST, PATH, "una", since.clone()).await;
    let second = ana.write(Method::POST, PATH, "una", since).await;
    assert_eq!((first.status, second.status, &first.body), (202, 200, &second.body));
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
    ana.write(Method::POST, PATH, "una", json!({"desde": "2026-10-12T00:00:00Z"}))
        .await
        .fails(409, "idempotencia_conflicto");
    assert_eq!(log(&ana).await.len(), 4);
}
