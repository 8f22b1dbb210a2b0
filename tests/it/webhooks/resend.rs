use http::Method;
use serde_json::json;
use svc_tests::World;
use svc_tests::lists::pick;

use super::{bare, disable, end_deliveries, pause, probe, webhook};

const PATH: &str = "/webhooks/1/entregas/1/reenviar";

#[tokio::test]
async fn a_resend_creates_another_delivery_of_the_same_event() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    probe(&ana, 1).await;
    for (expected, estado) in [(2, "entregada"), (3, "fallida"), (4, "descartada")] {
        end_deliveries(&world, estado).await;
        let queued = bare(&ana, Method::POST, PATH).await.ok(202);
        let log = ana.walk("/webhooks/1/entregas").await;
        let (first, last) = (&log[0], &log[log.len() - 1]);
        assert_eq!(queued, json!({"ok": true, "entrega": expected, "evento": first["evento"]}));
        assert_eq!((&last["clave"], &last["evento"]), (&json!(expected), &first["evento"]));
        assert_eq!(
            pick(last, &["estado", "intentos", "http"]),
            json!({"estado": "pendiente", "intentos": 0, "http": null})
        );
        assert_eq!((&last["tipo"], &first["estado"]), (&json!("webhook.prueba"), &json!(estado)));
    }
    assert_eq!(world.count("eventos").await, 1, "no new event");
    assert_eq!(world.count("entregas WHERE origen = 'reenvio'").await, 3);
}

#[tokio::test]
async fn a_pending_delivery_is_not_sent_again() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    probe(&ana, 1).await;
    bare(&ana, Method::POST, PATH).await.fails(409, "entrega_pendiente");
    pause(&ana, 1).await;
    bare(&ana, Method::POST, PATH).await.fails(422, "webhook_inactivo");
    assert_eq!(ana.walk("/webhooks/1/entregas").await.len(), 1);
}

#[tokio::test]
async fn an_inactive_webhook_is_sent_nothing() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    probe(&ana, 1).await;
    end_deliveries(&world, "fallida").await;
    pause(&ana, 1).await;
    bare(&ana, Method::POST, PATH).await.fails(422, "webhook_inactivo");
    disable(&world, 1).await;
    bare(&ana, Method::POST, PATH).await.fails(422, "webhook_inactivo");
    ana.put("/webhooks/1", json!({"activo": true})).await.ok(200);
    bare(&ana, Method::POST, PATH).await.ok(202);
}

#[tokio::test]
async fn missing_records_are_404() {
    let world = World::new().await;
    let (ana, bob) = (world.company().await.admin().await, world.company().await.admin().await);
    for actor in [&ana, &bob] {
        webhook(actor).await;
    }
    webhook(&ana).await;
    probe(&ana, 1).await;
    end_deliveries(&world, "fallida").await;
    // Another webhook's delivery, no delivery, no webhook; also of a paused webhook.
    for path in
        ["/webhooks/2/entregas/1/reenviar", "/webhooks/1/entregas/2/reenviar", "/webhooks/9/entregas/1/reenviar"]
    {
        bare(&ana, Method::POST, path).await.fails(404, "no_encontrado");
    }
    pause(&ana, 1).await;
    bare(&ana, Method::POST, "/webhooks/1/entregas/2/reenviar").await.fails(404, "no_encontrado");
    bare(&bob, Method::POST, PATH).await.fails(404, "no_encontrado");
}

#[tokio::test]
async fn a_repetition_sends_nothing_more() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    probe(&ana, 1).await;
    end_deliveries(&world, "fallida").await;
    let again = || ana.request(Method::POST, PATH).header("Idempotency-Key", "una");
    let (first, second) = (ana.send(again(), "").await, ana.send(again(), "{}").await);
    assert_eq!((first.status, second.status, &first.body), (202, 200, &second.body));
    assert_eq!(ana.walk("/webhooks/1/entregas").await.len(), 2);
}
