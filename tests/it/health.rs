//! `GET /health`

use bytes::Bytes;
use http::{Request, request};
use serde_json::json;
use svc_tests::{Reply, World};

#[tokio::test]
async fn health_answers_every_caller() {
    let world = World::new().await;
    let reply = Reply::of(&world.api, request_with(|request| request)).await;
    let peticion = reply.header("x-svc-peticion").unwrap();
    assert_eq!(reply.ok(200), json!({"ok": true, "version": "1.0.0", "peticion": peticion}));
}

#[tokio::test]
async fn a_browser_and_a_wrong_key_get_the_same_answer() {
    let world = World::new().await;
    for (name, value) in [
        ("Origin", "https://example.com"),
        ("X-CSRF-Token", "x"),
        ("Authorization", "Bearer nadie"),
        ("X-Svc-Key-Id", "1_nadie"),
    ] {
        let reply = Reply::of(&world.api, request_with(|request| request.header(name, value))).await;
        assert_eq!(reply.ok(200)["version"], "1.0.0", "{name}");
    }
    let reply = Reply::of(&world.api, request_with(|request| request.uri("/health?sid=1"))).await;
    assert_eq!(reply.ok(200)["version"], "1.0.0");
}

#[tokio::test]
async fn the_database_is_not_asked() {
    let world = World::new().await;
    world.store.close().await;
    let reply = Reply::of(&world.api, request_with(|request| request)).await;
    assert_eq!(reply.ok(200)["ok"], true);
}

#[tokio::test]
async fn no_response_has_anothers_id_or_limits() {
    let world = World::new().await;
    let first = Reply::of(&world.api, request_with(|request| request)).await;
    let second = Reply::of(&world.api, request_with(|request| request)).await;
    assert_ne!(first.json()["peticion"], second.json()["peticion"]);
    for name in first.headers.keys().map(http::HeaderName::as_str) {
        assert!(!name.starts_with("x-rate-limit") && !name.starts_with("x-svc-cupo"), "{name}");
    }
}

/// `GET /health` without credentials, changed.
fn request_with(change: impl FnOnce(request::Builder) -> request::Builder) -> Request<Bytes> {
    change(Request::builder().uri("/health")).body(Bytes::new()).expect("a request")
}
