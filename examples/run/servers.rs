//! The examples that serve requests.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use svc_core::store::Store;
use svc_core::{Api, Context, Providers};
use svc_test_kit::{Actor, BASE_URL, World};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::store_layer::Audited;
use crate::{embed_axum, embed_hyper};

/// A server's answer to a request with these further headers: status and body.
async fn get(address: SocketAddr, path: &str, headers: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.expect("a server");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head[9..12].parse().expect("a status"), body.to_owned())
}

fn credentials(ana: &Actor) -> String {
    format!("Authorization: Bearer {}\r\nX-Svc-Key-Id: {}\r\n", ana.api_key, ana.key_id)
}

async fn used(world: &World) -> i64 {
    world.sql("SELECT coalesce(sum(usadas), 0)::bigint FROM cupos").await
}

#[tokio::test]
async fn in_an_axum_application() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = async { stopped.await.unwrap_or_default() };
    let drain = Duration::from_millis(300);
    let probe = world.used_store().probe();
    let serving = embed_axum::serve(listener, world.api.clone(), probe, Providers::default(), stopped, drain);
    let serving = tokio::spawn(serving);

    assert_eq!(get(address, "/", "").await, (200, "our own page".to_owned()));
    assert_eq!(get(address, "/ready", "").await.0, 200, "the tables are there");
    assert_eq!(get(address, "/reports", "").await.0, 401, "our own authentication");
    assert_eq!(get(address, "/reports", "Authorization: Bearer of-the-staff\r\n").await.0, 200);
    assert_eq!(get(address, "/api/v1/clientes", &credentials(&ana)).await.0, 200);
    let (status, body) = get(address, "/api/v1/nothing", "").await;
    assert!(status == 404 && body.contains("ruta_no_existe"), "the API's own words: {body}");
    assert_eq!(get(address, "/nothing", "").await, (404, String::new()), "and ours");

    // A client that never finishes its request keeps nothing open for long.
    let mut unfinished = TcpStream::connect(address).await.expect("a connection");
    unfinished.write_all(b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n").await.expect("a half");
    assert_eq!(get(address, "/", "").await.0, 200, "the half has arrived");
    stop.send(()).expect("it serves");
    serving.await.expect("no panic").expect("served");
    assert_eq!(used(&world).await, 1, "what was counted is kept");
}

#[tokio::test]
async fn on_hyper_alone() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = embed_hyper::serve(listener, world.api.clone(), async { stopped.await.unwrap_or_default() });
    let serving = tokio::spawn(serving);

    for _ in 0..3 {
        assert_eq!(get(address, "/api/v1/clientes", &credentials(&ana)).await.0, 200);
    }
    assert_eq!(get(address, "/clientes", "").await.0, 401, "the base path may be left out");
    stop.send(()).expect("it serves");
    serving.await.expect("no panic").expect("served");
    assert_eq!(used(&world).await, 3);
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn over_a_store_with_a_layer_of_our_own() {
    let world = World::new().await;
    let company = world.company().await;
    let store = Arc::new(Audited::new(Arc::new((**world.used_store()).clone())));
    let layered: Arc<dyn Store> = store.clone();
    let context = Context::builder(layered, BASE_URL).clock(world.clock.clone()).build().expect("a context");
    let api = Api::new(&context);
    let ana = company.admin().await.at(&api);
    ana.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    for _ in 0..2 {
        assert_eq!(ana.get("/clientes").await.ok(200)["datos"][0]["nombre"], "Ana");
    }
    ana.get("/productos").await.ok(200);
    context.merge_usage().await.expect("merged");
    assert_eq!(used(&world).await, 4, "what has no layer goes to the store beneath");
    let counts = store.counts();
    let count = |what| counts.get(&(company.id, what)).copied();
    assert_eq!((count("/clientes"), count("/productos"), count("transaction")), (Some(2), Some(1), Some(1)));
}
