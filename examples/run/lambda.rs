//! The function, invoked by a simulated Runtime API.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::{get, post};
use serde_json::{Value, json};
use svc_core::Api;
use svc_test_kit::{BASE_URL, World};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc};

use crate::own_part::{key, sale, with_part};

/// The events for the function, and each outcome: `response` or `error`, and its body.
struct Platform {
    events: Mutex<mpsc::Receiver<Value>>,
    outcomes: mpsc::Sender<(String, Value)>,
}

/// The compiled example, which cargo puts into `examples` beside the `deps` of this test.
fn example(name: &str) -> PathBuf {
    let this = std::env::current_exe().expect("this program");
    let profile = this.parent().and_then(|deps| deps.parent()).expect("target/<profile>/deps");
    profile.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION)
}

/// The function in a process of its own; dropping this kills it.
struct Function {
    process: Child,
    events: mpsc::Sender<Value>,
    outcomes: mpsc::Receiver<(String, Value)>,
}

impl Function {
    /// The program of that example.
    async fn on(world: &World, name: &str) -> Self {
        let (events, next) = mpsc::channel(1);
        let (done, outcomes) = mpsc::channel(1);
        let platform = Arc::new(Platform { events: Mutex::new(next), outcomes: done });
        let app = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next_event))
            .route("/2018-06-01/runtime/invocation/{id}/{outcome}", post(finished))
            .with_state(platform);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move { axum::serve(listener, app).await });
        let example = example(name);
        let process = Command::new(&example)
            .env("AWS_LAMBDA_RUNTIME_API", address.to_string())
            .env("AWS_LAMBDA_FUNCTION_NAME", "svc")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .env("DATABASE_URL", world.database_url())
            .env("SVC_BASE_URL", BASE_URL)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("cargo build --examples makes {}: {error}", example.display()));
        Self { process, events, outcomes }
    }

    /// The outcome of an event: `response` or `error`, and its body.
    async fn invoke(&mut self, event: Value) -> (String, Value) {
        self.events.send(event).await.expect("a platform");
        let outcome = tokio::time::timeout(Duration::from_secs(30), self.outcomes.recv()).await;
        outcome.expect("in time").expect("a platform")
    }

    /// The answer of the API.
    async fn answer(&mut self, event: Value) -> (u64, Value) {
        let (outcome, answer) = self.invoke(event).await;
        assert_eq!(outcome, "response", "{answer}");
        let body = serde_json::from_str(answer["body"].as_str().expect("a body")).expect("JSON");
        (answer["statusCode"].as_u64().expect("a status"), body)
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

async fn next_event(State(platform): State<Arc<Platform>>) -> ([(&'static str, &'static str); 3], String) {
    let Some(event) = platform.events.lock().await.recv().await else {
        // The test is over, and so is the function.
        return std::future::pending().await;
    };
    let headers = [
        ("lambda-runtime-aws-request-id", "1"),
        ("lambda-runtime-deadline-ms", "4102444800000"),
        ("lambda-runtime-invoked-function-arn", "arn:aws:lambda:us-east-1:123456789012:function:svc"),
    ];
    (headers, event.to_string())
}

async fn finished(State(platform): State<Arc<Platform>>, Path((_, outcome)): Path<(String, String)>, body: String) {
    let body = serde_json::from_str(&body).expect("JSON");
    platform.outcomes.send((outcome, body)).await.expect("a test");
}

/// An HTTP API's event.
fn event(method: &str, path: &str, headers: &Value, body: &str) -> Value {
    let http = json!({"method": method, "path": path});
    json!({"version": "2.0", "rawPath": path, "rawQueryString": "", "headers": headers, "body": body,
           "isBase64Encoded": false, "requestContext": {"stage": "$default", "http": http}})
}

#[tokio::test]
async fn in_a_lambda_function() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let mut function = Function::on(&world, "embed_lambda").await;
    let host = json!({"host": "erp.example.com"});
    assert_eq!(function.answer(event("GET", "/api/v1/health", &host, "")).await.0, 200);

    let keyed = json!({"host": "erp.example.com", "x-forwarded-proto": "https", "content-type": "application/json",
                       "authorization": format!("Bearer {}", ana.api_key), "x-svc-key-id": ana.key_id,
                       "idempotency-key": "ana"});
    let (status, made) = function.answer(event("POST", "/api/v1/clientes", &keyed, r#"{"nombre":"Ana"}"#)).await;
    assert_eq!((status, &made["ok"]), (201, &json!(true)), "{made}");
    let mut list = event("GET", "/api/v1/clientes", &keyed, "");
    list["rawQueryString"] = json!("limite=1");
    let (status, page) = function.answer(list).await;
    assert_eq!((status, &page["datos"][0]["nombre"]), (200, &json!("Ana")), "{page}");
    let used: i64 = world.sql("SELECT coalesce(sum(usadas), 0)::bigint FROM cupos").await;
    assert_eq!(used, 2, "what was used is in the store when it has answered");

    // What `lambda_http` loses, as the example says.
    let mut staged = event("GET", "/prod/api/v1/health", &host, "");
    staged["requestContext"]["stage"] = json!("prod");
    assert_eq!(function.answer(staged).await.0, 404, "the stage stays before the path");
    let mut quote = event("GET", "/api/v1/health", &host, "");
    quote["rawQueryString"] = json!("a=\"b\"");
    for odd in [quote, event("GET", "/api/v1/health", &json!({"host": "[::1"}), "")] {
        assert_eq!(function.invoke(odd).await.0, "error");
        assert_eq!(function.answer(event("GET", "/api/v1/health", &host, "")).await.0, 200, "it goes on");
    }
}

#[tokio::test]
async fn a_hosts_function_has_its_part_and_its_schedule_runs_its_subscriber() {
    let (world, context) = with_part().await;
    let company = world.company().await;
    let ana = key(&company, &["paqueteria:read", "paqueteria:write"], &Api::new(&context)).await;
    let mut function = Function::on(&world, "parcels_function").await;
    assert_eq!(function.invoke(json!({"svc": "deliver"})).await.0, "response", "the subscriber begins");
    let venta = sale(&ana).await;
    let keyed = json!({"host": "erp.example.com", "x-forwarded-proto": "https", "content-type": "application/json",
                       "authorization": format!("Bearer {}", ana.api_key), "x-svc-key-id": ana.key_id,
                       "idempotency-key": "envio"});
    let body = json!({"venta": venta, "guia": "794612345678"}).to_string();
    let (status, sent) = function.answer(event("POST", "/api/v1/paqueteria/envios", &keyed, &body)).await;
    assert_eq!((status, &sent["envio"]), (201, &json!(1)), "{sent}");
    let (status, listed) = function.answer(event("GET", "/api/v1/paqueteria/envios", &keyed, "")).await;
    assert_eq!((status, &listed["datos"][0]["venta"]), (200, &json!(venta)), "{listed}");
    let (outcome, report) = function.invoke(json!({"svc": "deliver"})).await;
    assert_eq!(outcome, "response", "{report}");
    let counted = "SELECT envios FROM paqueteria_tablero";
    assert_eq!(world.sql::<i64>(counted).await, 1, "{report}");
}
