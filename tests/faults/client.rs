//! Requests over HTTP and their outcomes.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Bytes;
use http::{Method, Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

/// The time limit of a client: far beyond the server's own deadline of 15 s, so that hanging
/// requests show.
const PATIENCE: Duration = Duration::from_secs(40);

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// An answer with that status.
    Status(u16),
    /// 503 `ocupado`: the company has as many concurrent requests as it may have.
    Busy,
    /// 503 without Retry-After, which leaves the client without advice.
    Bare503,
    /// The connection was refused or closed.
    Cut,
    /// Nothing came in [`PATIENCE`].
    Hung,
}

impl Outcome {
    pub(crate) fn is_good(self) -> bool {
        matches!(self, Self::Status(200..300))
    }
}

/// How often each outcome occurred.
pub(crate) type Outcomes = BTreeMap<Outcome, usize>;

/// A client of the API with a key.
#[derive(Clone)]
pub(crate) struct Actor {
    client: Client<HttpConnector, Full<Bytes>>,
    base: String,
    pub(crate) key_id: String,
    pub(crate) api_key: String,
}

impl Actor {
    pub(crate) fn new(address: SocketAddr, key_id: String, api_key: String) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Self { client, base: format!("http://{address}/api/v1"), key_id, api_key }
    }

    /// The same client with another secret.
    pub(crate) fn with_secret(&self, api_key: String) -> Self {
        Self { api_key, ..self.clone() }
    }

    /// Reads; returns the outcome and the body.
    pub(crate) async fn get(&self, path: &str) -> (Outcome, Value) {
        self.send(self.request(Method::GET, path), Bytes::new()).await
    }

    /// Writes with an Idempotency-Key; returns the outcome and the body.
    pub(crate) async fn write(&self, method: Method, path: &str, key: &str, body: Bytes) -> (Outcome, Value) {
        let request = self.request(method, path).header("Idempotency-Key", key);
        self.send(request.header(header::CONTENT_TYPE, "application/json"), body).await
    }

    /// The head of a request on a connection that the caller writes to.
    pub(crate) fn head(&self, method: &str, path: &str, headers: &str) -> String {
        format!(
            "{method} /api/v1{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nX-Svc-Key-Id: {}\r\n{headers}",
            self.api_key, self.key_id
        )
    }

    fn request(&self, method: Method, path: &str) -> http::request::Builder {
        let request = Request::builder().method(method).uri(format!("{}{path}", self.base));
        request.header(header::AUTHORIZATION, format!("Bearer {}", self.api_key)).header("X-Svc-Key-Id", &self.key_id)
    }

    async fn send(&self, request: http::request::Builder, body: Bytes) -> (Outcome, Value) {
        let exchange = async {
            let answer = self.client.request(request.body(Full::new(body)).expect("a request")).await.ok()?;
            let (head, body) = answer.into_parts();
            let body = body.collect().await.ok()?.to_bytes();
            let status = head.status.as_u16();
            let body: Value = serde_json::from_slice(&body).unwrap_or_default();
            let outcome = match status {
                503 if !head.headers.contains_key(header::RETRY_AFTER) => Outcome::Bare503,
                503 if body["error"]["codigo"] == "ocupado" => Outcome::Busy,
                status => Outcome::Status(status),
            };
            Some((outcome, body))
        };
        match tokio::time::timeout(PATIENCE, exchange).await {
            Err(_) => (Outcome::Hung, Value::Null),
            Ok(None) => (Outcome::Cut, Value::Null),
            Ok(Some(answer)) => answer,
        }
    }
}
