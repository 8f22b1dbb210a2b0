//! What every response has, however the API is mounted and whatever fails.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::stream;
use http::{HeaderMap, HeaderValue, Method, Request};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use serde_json::json;
use svc_core::domain::clock::Clock;
use svc_core::{Api, Context};
use svc_tests::{Actor, BASE_URL, TestClock, World};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt;

const PETICION: &str = "x-svc-peticion";
const MEBIBYTE: usize = 1_048_576;

#[tokio::test]
async fn every_response_has_its_own_uuid_of_version_7() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let mut ids = BTreeSet::new();
    for _ in 0..3 {
        let replies = [
            ana.get("/health").await,
            ana.get("/clientes").await,
            ana.post("/clientes", json!({"nombre": "Ana"})).await,
            ana.get("/nada").await,
            ana.send(ana.request(Method::PATCH, "/clientes"), "").await,
            ana.send(ana.request(Method::GET, "/clientes").header(PETICION, "mine"), "").await,
        ];
        for reply in &replies {
            let id = reply.header(PETICION).expect("Reply::of saw it").to_owned();
            let shape: String =
                id.chars().map(|c| if c.is_ascii_hexdigit() && !c.is_uppercase() { 'h' } else { c }).collect();
            assert_eq!(shape, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh", "{id}");
            assert_eq!((&id[14..15], matches!(&id[19..20], "8" | "9" | "a" | "b")), ("7", true), "{id}");
            let millis = i64::from_str_radix(&id[..13].replace('-', ""), 16).expect("the time");
            assert_eq!(millis, world.clock.now().timestamp_millis(), "{id}");
            assert!(ids.insert(id), "an id stands for one request");
        }
        assert_eq!(replies[0].json()["peticion"], replies[0].header(PETICION).expect("an id"));
        world.clock.advance(TimeDelta::milliseconds(1));
    }
}

#[tokio::test]
async fn the_base_path_may_be_stripped_or_not() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for (base, paths) in [
        ("https://erp.example.com/api/v1", &["/clientes", "/api/v1/clientes"][..]),
        ("https://erp.example.com/api/v1/", &["/clientes", "/api/v1/clientes"]),
        ("http://127.0.0.1:8080", &["/clientes", "/api/v1/clientes"]),
        ("https://example.com/erp/api/v1", &["/clientes", "/erp/api/v1/clientes"]),
    ] {
        let api = Api::new(
            &Context::builder(world.store.clone(), base).clock(world.clock.clone()).build().expect("a context"),
        );
        for path in paths {
            ana.at(&api).get(path).await.ok(200);
            ana.at(&api).get(&format!("https://other.example.com{path}")).await.ok(200);
        }
        for wrong in
            ["/api/v1", "/api/v1/", "/api/v1clientes", "/api/v2/clientes", "/erp/clientes", "//api/v1/clientes"]
        {
            ana.at(&api).get(wrong).await.fails(404, "ruta_no_existe");
        }
    }
}

#[tokio::test]
async fn mounted_anywhere_it_answers_the_same() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let mounts = [
        axum(Router::new().nest_service("/api/v1", world.api.clone())).await,
        axum(Router::new().fallback_service(world.api.clone())).await,
        hyper(&world.api).await,
    ];
    for name in ["Ana", "Eva"] {
        ana.write(Method::POST, "/api/v1/clientes", name, json!({"nombre": name})).await.ok(201);
    }
    for request in sample_requests(&ana) {
        let (head, body) = world.api.handle(request.request()).await.into_parts();
        let in_process =
            FixedAnswer { status: head.status.as_u16(), headers: names(&head.headers), body: body.to_vec() };
        for mount in &mounts {
            let answer = Wire::connect(*mount).await.exchange(&request.bytes()).await;
            assert_eq!(answer.comparable(), in_process.comparable(), "{} {}", request.method, request.target);
        }
    }
}

#[tokio::test]
async fn a_refusal_does_not_wait_for_the_body() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for mount in [axum(Router::new().fallback_service(world.api.clone())).await, hyper(&world.api).await] {
        for (method, size, status) in
            [("POST", 3 * MEBIBYTE, 413), ("POST", MEBIBYTE + 1, 413), ("DELETE", MEBIBYTE, 405)]
        {
            let request = RawRequest::of(&ana, method, "/api/v1/clientes").json(&padded(size)).keyed("k");
            let head = request.bytes().len() - request.body.len();
            let answer = Wire::connect(mount).await.exchange(&request.bytes()[..=head]).await;
            assert_eq!(answer.status, status, "{method} of {size} bytes");
        }
        // A body that arrived with its head does not close the connection.
        let mut wire = Wire::connect(mount).await;
        for (method, size, status) in [("DELETE", 100, 405), ("POST", MEBIBYTE, 201), ("DELETE", 100, 405)] {
            let request = RawRequest::of(&ana, method, "/api/v1/clientes").json(&padded(size)).keyed("k");
            let answer = wire.exchange(&request.bytes()).await;
            assert!(answer.status == status || answer.status == 200, "{method} of {size} bytes: {}", answer.status);
        }
    }
}

#[tokio::test]
async fn a_client_that_expects_100_continue_is_refused_at_once() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let mut wire = Wire::connect(hyper(&world.api).await).await;
    let request = RawRequest::of(&ana, "POST", "/api/v1/clientes").json(&padded(3 * MEBIBYTE)).keyed("k");
    let request = request.with("Expect", "100-continue");
    let head = request.bytes().len() - request.body.len();
    assert_eq!(wire.exchange(&request.bytes()[..head]).await.status, 413);
}

#[tokio::test]
async fn a_body_of_unknown_length_is_limited_as_it_arrives() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for (chunks, status) in [(16, 201), (17, 413), (300, 413)] {
        let whole = padded(chunks * MEBIBYTE / 16).into_bytes();
        let frame = |data: &[u8]| Ok::<_, std::io::Error>(Frame::data(Bytes::copy_from_slice(data)));
        let body = StreamBody::new(stream::iter(whole.chunks(MEBIBYTE / 16).map(frame).collect::<Vec<_>>()));
        let request = ana.request(Method::POST, "/clientes").header("Content-Type", "application/json");
        let request = request.header("Idempotency-Key", svc_tests::fresh_key()).body(body).expect("a request");
        let response = world.api.clone().oneshot(request).await.expect("it never fails");
        assert_eq!(response.status(), status, "{chunks} chunks");
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        assert_eq!(body.starts_with(br#"{"ok":true"#), status == 201);
    }
    let mut wire = Wire::connect(hyper(&world.api).await).await;
    let chunked = RawRequest::of(&ana, "POST", "/api/v1/clientes")
        .with("Content-Type", "application/json")
        .keyed("k")
        .with("Transfer-Encoding", "chunked");
    let begun = format!("{:x}\r\n{}", 3 * MEBIBYTE, " ".repeat(MEBIBYTE + 1));
    let answer = wire.exchange(&[chunked.bytes(), begun.into_bytes()].concat()).await;
    assert_eq!(answer.status, 413);
}

#[tokio::test]
async fn a_truncated_body_is_not_a_500() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let frames = [Ok(Frame::data(Bytes::from_static(b"{}"))), Err(std::io::Error::other("reset by peer"))];
    let request = ana.request(Method::POST, "/clientes").header("Content-Type", "application/json");
    let request =
        request.header("Idempotency-Key", "k").body(StreamBody::new(stream::iter(frames))).expect("a request");
    let response = world.api.clone().oneshot(request).await.expect("it never fails");
    assert_eq!(response.status(), 400);
}

#[tokio::test]
async fn a_panic_is_an_ordinary_500_and_leaves_nothing_behind() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let clock = Arc::new(Fragile { clock: world.clock.clone(), calls_left: AtomicU32::new(u32::MAX) });
    let api =
        Api::new(&Context::builder(world.store.clone(), BASE_URL).clock(clock.clone()).build().expect("a context"));
    let ana = ana.at(&api);
    let mut panics = 0;
    loop {
        // The first call dates the request's id; any later one may fail.
        clock.calls_left.store(panics + 2, Ordering::SeqCst);
        let reply = ana.write(Method::POST, "/clientes", "k", json!({"nombre": "Ana"})).await;
        if reply.status == 201 {
            break;
        }
        reply.fails(500, "error_interno");
        assert!(!String::from_utf8_lossy(&reply.body).contains("hunter2"));
        panics += 1;
    }
    assert!(panics >= 2, "before and within the transaction");
    clock.calls_left.store(u32::MAX, Ordering::SeqCst);
    assert_eq!(ana.walk("/clientes").await.len(), 1);
}

#[tokio::test]
async fn internal_error_texts_are_not_shown() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let standard = "error del servicio; reintente y reporte el valor de peticion";
    sqlx::query("ALTER TABLE clientes RENAME TO otros").execute(world.pool()).await.expect("no customers");
    for reply in [ana.get("/clientes").await, ana.post("/clientes", json!({"nombre": "Ana"})).await] {
        reply.fails(500, "error_interno");
        assert_eq!(reply.mensaje(), standard);
        // The key's scopes name the resource.
        let others = reply.headers.iter().filter(|(name, _)| *name != "x-svc-permisos");
        let names = |value: &HeaderValue| value.as_bytes().windows(8).any(|part| part == b"clientes");
        assert!(!others.map(|(_, value)| value).any(names));
    }
    world.store.close().await;
    let gone = ana.get("/clientes").await;
    assert_eq!((gone.status, gone.header("retry-after")), (503, Some("1")), "{}", gone.json());
    assert!(!gone.mensaje().to_lowercase().contains("pool"), "{}", gone.mensaje());
    ana.get("/health").await.ok(200);
}

#[tokio::test]
async fn a_page_costs_one_statement() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    if !world.can_count_statements().await {
        return;
    }
    ana.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    for path in
        ["/clientes", "/clientes?rfc=XAXX010101000&prospecto=false", "/productos?buscar=clavo", "/productos?limite=1"]
    {
        ana.get(path).await.ok(200);
        let before = world.statements("%").await;
        for _ in 0..20 {
            ana.get(path).await.ok(200);
        }
        assert_eq!(world.statements("%").await - before, 20, "{path}");
    }
    let before = world.statements("%").await;
    for (path, status) in [("/clientes?otro=1", 400), ("/clientes?limite=0", 400), ("/health", 200), ("/nada", 404)] {
        assert_eq!(ana.get(path).await.status, status, "{path}");
    }
    assert_eq!(world.statements("%").await, before, "what is refused by its form costs nothing");
}

/// Requests with all kinds of answers; no answer changes the next.
fn sample_requests(ana: &Actor) -> Vec<RawRequest> {
    let request = |method, target| RawRequest::of(ana, method, target);
    vec![
        request("GET", "/api/v1/health"),
        request("GET", "/api/v1/clientes"),
        request("GET", "/api/v1/clientes?limite=1"),
        request("GET", "/api/v1/clientes?otro=%C3%B1"),
        request("GET", "/api/v1/clientes").with("Origin", "https://shop.example.com"),
        request("DELETE", "/api/v1/clientes"),
        request("OPTIONS", "/api/v1/clientes/1"),
        request("GET", "/api/v1/nada"),
        request("GET", "/api/v1/clientes/"),
        request("POST", "/api/v1/clientes").json(r#"{"nombre":"Ana"}"#).keyed("Ana"),
        request("POST", "/api/v1/clientes").json(r#"{"nombre":"Ñ"}"#).keyed("Ana"),
        request("POST", "/api/v1/clientes").json("{").keyed("x"),
        request("POST", "/api/v1/clientes").keyed("x"),
        request("PUT", "/api/v1/clientes/99").json("{}").keyed("x"),
        RawRequest { headers: Vec::new(), ..request("GET", "/api/v1/clientes") },
    ]
}

/// A customer in `size` bytes.
fn padded(size: usize) -> String {
    let body = r#"{"nombre":"Ana"}"#;
    body.to_owned() + &" ".repeat(size - body.len())
}

/// A request that can be sent in every way.
struct RawRequest {
    method: &'static str,
    target: &'static str,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl RawRequest {
    fn of(actor: &Actor, method: &'static str, target: &'static str) -> Self {
        let headers =
            vec![("Authorization", format!("Bearer {}", actor.api_key)), ("X-Svc-Key-Id", actor.key_id.clone())];
        Self { method, target, headers, body: String::new() }
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn keyed(self, key: &str) -> Self {
        self.with("Idempotency-Key", key)
    }

    fn json(mut self, body: &str) -> Self {
        body.clone_into(&mut self.body);
        self.with("Content-Type", "application/json")
    }

    fn request(&self) -> Request<Bytes> {
        let request = Request::builder().method(self.method).uri(self.target);
        let request = self.headers.iter().fold(request, |request, (name, value)| request.header(*name, value));
        request.body(self.body.clone().into()).expect("a request")
    }

    fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\nHost: erp.example.com\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            text.extend([name, ": ", value, "\r\n"]);
        }
        if !self.headers.iter().any(|(name, _)| *name == "Transfer-Encoding") {
            text.extend(["Content-Length: ", &self.body.len().to_string(), "\r\n"]);
        }
        text.extend(["\r\n", &self.body]);
        text.into_bytes()
    }
}

struct FixedAnswer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl FixedAnswer {
    /// The response without what differs between requests and what belongs to the connection.
    fn comparable(&self) -> (u16, BTreeMap<String, String>, String) {
        let body = String::from_utf8(self.body.clone()).expect("UTF-8");
        let mut headers = self.headers.clone();
        let peticion = headers.remove(PETICION).expect("every answer carries its id");
        let changing = ["date", "content-length", "x-rate-limit-remaining", "x-svc-cupo-restante", "ratelimit"];
        headers.retain(|name, _| !changing.contains(&name.as_str()));
        (self.status, headers, body.replace(&peticion, "…"))
    }
}

fn names(headers: &HeaderMap) -> BTreeMap<String, String> {
    let text = |value: &http::HeaderValue| value.to_str().expect("ASCII").to_owned();
    headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect()
}

/// A connection of a plain client, which sends everything and then reads.
struct Wire(TcpStream);

impl Wire {
    async fn connect(to: SocketAddr) -> Self {
        Self(TcpStream::connect(to).await.expect("a connection"))
    }

    async fn exchange(&mut self, request: &[u8]) -> FixedAnswer {
        let answer = async {
            self.0.write_all(request).await.expect("the request is taken");
            self.read().await
        };
        tokio::time::timeout(Duration::from_secs(30), answer).await.expect("an answer")
    }

    async fn read(&mut self) -> FixedAnswer {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.expect("the answer's head"));
        }
        let head = String::from_utf8(head).expect("ASCII");
        let (line, fields) = head.trim_end().split_once("\r\n").expect("a status line");
        let field = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        let headers: BTreeMap<_, _> = fields.split("\r\n").filter_map(field).collect();
        let mut body = vec![0; headers["content-length"].parse().expect("a length")];
        self.0.read_exact(&mut body).await.expect("the answer's body");
        FixedAnswer { status: line[9..12].parse().expect("a status"), headers, body }
    }
}

async fn axum(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

async fn hyper(api: &Api) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let service = TowerToHyperService::new(api.clone());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service.clone()));
        }
    });
    address
}

/// A clock that panics at a given call.
struct Fragile {
    clock: Arc<TestClock>,
    calls_left: AtomicU32,
}

impl Clock for Fragile {
    fn now(&self) -> DateTime<Utc> {
        assert_ne!(self.calls_left.fetch_sub(1, Ordering::SeqCst), 1, "the password is hunter2");
        self.clock.now()
    }
}
