//! A webhook shows its receiver what it is subscribed to, so a key that changes its receiver must
//! be allowed to read that (contract §4).

use http::Method;
use serde_json::json;
use svc_core::domain::scope::Scope;
use svc_tests::World;

use super::{bare, end_deliveries, probe, shown, webhook};
use crate::delivery::answering;

#[tokio::test]
async fn taking_over_a_webhook_needs_the_scopes_of_its_events() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    // Sales and customers.
    webhook(&ana).await;
    probe(&ana, 1).await;
    end_deliveries(&world, "entregada").await;
    let before = shown(&ana, 1).await;
    for scopes in [
        &[Scope::WebhooksWrite][..],
        &[Scope::WebhooksWrite, Scope::VentasRead],
        &[Scope::WebhooksWrite, Scope::ClientesRead, Scope::FacturasRead],
    ] {
        let thief = company.actor(scopes).await;
        for reply in [
            thief.put("/webhooks/1", json!({"url": "https://ladron.example.com/"})).await,
            bare(&thief, Method::POST, "/webhooks/1/secreto").await,
            bare(&thief, Method::POST, "/webhooks/1/probar").await,
            bare(&thief, Method::POST, "/webhooks/1/entregas/1/reenviar").await,
        ] {
            reply.fails(403, "sin_permiso");
            assert!(reply.mensaje().starts_with("eventos: "), "{}", reply.mensaje());
        }
        for path in ["/webhooks/9/secreto", "/webhooks/9/probar", "/webhooks/1/entregas/9/reenviar"] {
            bare(&thief, Method::POST, path).await.fails(404, "no_encontrado");
        }
    }
    assert_eq!(shown(&ana, 1).await, before, "nothing was changed");
    let owner = company.actor(&[Scope::WebhooksWrite, Scope::VentasRead, Scope::ClientesRead]).await;
    owner.put("/webhooks/1", json!({"url": "https://nueva.example.com/"})).await.ok(200);
    bare(&owner, Method::POST, "/webhooks/1/secreto").await.ok(200);
    bare(&owner, Method::POST, "/webhooks/1/probar").await.ok(202);
    bare(&owner, Method::POST, "/webhooks/1/entregas/1/reenviar").await.ok(202);
}

#[tokio::test]
async fn pausing_and_deleting_a_webhook_need_no_other_scope() {
    let company = World::new().await.company().await;
    let ana = company.admin().await;
    webhook(&ana).await;
    let clerk = company.actor(&[Scope::WebhooksWrite]).await;
    let same = shown(&ana, 1).await["url"].clone();
    for body in
        [json!({"activo": false}), json!({"descripcion": "Otra"}), json!({"url": same}), json!({"activo": true})]
    {
        clerk.put("/webhooks/1", body).await.ok(200);
    }
    bare(&clerk, Method::DELETE, "/webhooks/1").await.ok(200);
}

#[tokio::test]
async fn an_event_is_sent_again_only_for_who_may_read_it() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    webhook(&ana).await;
    ana.post("/clientes", json!({"nombre": "Eva"})).await.ok(201);
    world.deliver(&answering::<200>()).await;
    ana.put("/webhooks/1", json!({"eventos": ["venta.creada"]})).await.ok(200);
    let clerk = company.actor(&[Scope::WebhooksWrite, Scope::VentasRead]).await;
    let refused = bare(&clerk, Method::POST, "/webhooks/1/entregas/1/reenviar").await;
    refused.fails(403, "sin_permiso");
    assert_eq!(refused.mensaje(), "eventos: cliente.creado requiere el permiso clientes:read");
    bare(&ana, Method::POST, "/webhooks/1/entregas/1/reenviar").await.ok(202);
}
