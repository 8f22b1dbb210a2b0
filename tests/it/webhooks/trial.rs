use http::Method;
use serde_json::{Value, json};
use svc_tests::World;

use super::{bare, disable, pause, webhook};

const PATH: &str = "/webhooks/1/probar";

#[tokio::test]
async fn a_test_creates_an_event_for_that_webhook_alone() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    webhook(&ana).await;
    webhook(&ana).await;
    let queued = bare(&ana, Method::POST, PATH).await.ok(202);
    let evento = queued["evento"].as_str().expect("an event").to_owned();
    assert_eq!(queued, json!({"ok": true, "entrega": 1, "evento": evento}));
    assert!(evento.len() == 36 && evento.starts_with("evt_"), "{evento}");
    let delivery = json!({
        "clave": 1, "webhook": 1, "evento": evento, "tipo": "webhook.prueba", "estado": "pendiente", "intentos": 0,
        "http": null, "motivo": null, "duracion_ms": null, "creado": "2026-10-12T18:00:00Z", "ultimo_intento": null,
        "proximo_intento": "2026-10-12T18:00:00Z",
    });
    assert_eq!(ana.walk("/webhooks/1/entregas").await, [delivery]);
    assert_eq!(ana.walk("/webhooks/2/entregas").await, Vec::<Value>::new());
    assert!(world.sql::<bool>("SELECT repartido AND recurso = 'webhooks' AND recurso_clave = 1 FROM eventos").await);
    assert_eq!(world.sql::<String>("SELECT origen FROM entregas").await, "prueba");
    let body: Vec<u8> = world.sql("SELECT cuerpo FROM eventos").await;
    assert_eq!(
        serde_json::from_slice::<Value>(&body).unwrap(),
        json!({
            "id": evento, "tipo": "webhook.prueba", "creado": "2026-10-12T18:00:00Z", "empresa": company.id.0,
            "datos": {"webhook": 1},
            "recurso": {"tipo": "webhooks", "clave": 1, "url": "https://erp.example.com/api/v1/webhooks?clave=1"},
        })
    );
}

#[tokio::test]
async fn an_inactive_webhook_is_not_tested() {
    let world = World::new().await;
    let (ana, bob) = (world.company().await.admin().await, world.company().await.admin().await);
    webhook(&ana).await;
    pause(&ana, 1).await;
    bare(&ana, Method::POST, PATH).await.fails(422, "webhook_inactivo");
    disable(&world, 1).await;
    bare(&ana, Method::POST, PATH).await.fails(422, "webhook_inactivo");
    bare(&ana, Method::POST, "/webhooks/2/probar").await.fails(404, "no_encontrado");
    bare(&bob, Method::POST, PATH).await.fails(404, "no_encontrado");
    assert_eq!(world.count("eventos").await, 0);
    ana.put("/webhooks/1", json!({"activo": true})).await.ok(200);
    bare(&ana, Method::POST, PATH).await.ok(202);
}

#[tokio::test]
async fn a_repetition_sends_nothing_more() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    let attempt = || ana.request(Method::POST, PATH).header("Idempotency-Key", "una");
    let first = ana.send(attempt(), "").await;
    let again = ana.send(attempt(), "").await;
    assert_eq!((first.status, again.status, &first.body), (202, 200, &again.body));
    assert_eq!(world.count("entregas").await, 1);
}
