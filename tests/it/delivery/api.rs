//! A webhook's life through the API, from its creation to its deletion.

use http::{Method, header};
use serde_json::json;
use svc_core::webhooks::verify;
use svc_tests::{Actor, World, fresh_key};

use super::*;

pub(super) async fn bare(actor: &Actor, method: Method, path: &str) -> Value {
    let request = actor.request(method, path).header("Idempotency-Key", fresh_key());
    let reply = actor.send(request.header(header::CONTENT_TYPE, "application/json"), "").await;
    assert!(reply.status < 300, "{}", reply.json());
    reply.json()
}

#[tokio::test]
async fn a_webhook_from_its_creation_to_its_deletion() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let receiver = answering::<200>();
    let hook = json!({"url": "https://tienda.example.com/avisos?t=1", "eventos": ["cliente.creado"]});
    let created = ana.post("/webhooks", hook).await.ok(201);
    let first = created["secreto"].as_str().expect("a secret").to_owned();
    let now = world.clock.now();
    let genuine = |post: &Post, secret: &str| verify(&post.headers, &post.body, &[secret], now).is_ok();

    let tried = bare(&ana, Method::POST, "/webhooks/1/probar").await;
    world.deliver(&receiver).await;
    let [post] = receiver.posts().try_into().expect("the test");
    assert_eq!(post.url, "https://tienda.example.com/avisos?t=1");
    assert_eq!((header(&post, "x-svc-evento"), header(&post, "x-svc-entrega")), ("webhook.prueba", "1"));
    assert_eq!(header(&post, "x-svc-evento-id"), tried["evento"].as_str().expect("an id"));
    assert!(genuine(&post, &first));

    let second = bare(&ana, Method::POST, "/webhooks/1/secreto").await["secreto"].as_str().expect("one").to_owned();
    ana.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    world.deliver(&receiver).await;
    let [sent] = receiver.posts().try_into().expect("the event");
    assert!(genuine(&sent, &first) && genuine(&sent, &second) && first != second);

    bare(&ana, Method::POST, "/webhooks/1/entregas/2/reenviar").await;
    world.deliver(&receiver).await;
    let [again] = receiver.posts().try_into().expect("the event again");
    assert_eq!(again.body, sent.body);
    assert_eq!(header(&again, "x-svc-evento-id"), header(&sent, "x-svc-evento-id"));
    assert_eq!((header(&again, "x-svc-entrega"), header(&again, "x-svc-intento")), ("3", "1"));
    let log = ana.walk("/webhooks/1/entregas").await;
    assert_eq!(log.len(), 3);
    assert!(log.iter().all(|row| row["estado"] == "entregada" && row["http"] == 200 && row["intentos"] == 1));

    ana.put("/webhooks/1", json!({"activo": false})).await.ok(200);
    ana.post("/clientes", json!({"nombre": "Eva"})).await.ok(201);
    assert_eq!(world.deliver(&receiver).await.creadas, 0);
    ana.put("/webhooks/1", json!({"activo": true})).await.ok(200);
    ana.post("/clientes", json!({"nombre": "Luz"})).await.ok(201);
    world.deliver(&unreachable()).await;
    bare(&ana, Method::DELETE, "/webhooks/1").await;
    world.clock.advance(chrono::TimeDelta::hours(1));
    assert!(world.deliver(&receiver).await.is_empty() && receiver.posts().is_empty());
    assert_eq!(count(&world, "descartada").await, 1);
}
