//! Requests, and what clients get for them.

use http::Method;
use serde_json::Value;
use svc_tests::{Actor, fresh_key};

use crate::gateways::{Gateway, Got, Sent};
use crate::runtime_api::Function;

/// A request without a body.
pub(crate) fn get(path: &str, headers: &[(&str, &str)]) -> Sent {
    let headers = headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    Sent { method: "GET".to_owned(), target: format!("/api/v1{path}"), headers, body: Vec::new() }
}

/// A request with an actor's credentials.
pub(crate) fn signed(actor: &Actor, method: &Method, path: &str, body: &str) -> Sent {
    let (bearer, key) = (format!("Bearer {}", actor.api_key), fresh_key());
    let credentials = [("Authorization", bearer.as_str()), ("X-Svc-Key-Id", &actor.key_id)];
    let writing = [("Content-Type", "application/json"), ("Idempotency-Key", key.as_str())];
    let headers = if method == Method::GET { credentials.to_vec() } else { [credentials, writing].concat() };
    Sent { method: method.to_string(), body: body.as_bytes().to_vec(), ..get(path, &headers) }
}

/// The response that a client of that gateway gets.
pub(crate) async fn through(gateway: Gateway, function: &Function, sent: &Sent) -> Got {
    gateway.response(&function.invoke(&gateway.event(sent)).await.unwrap())
}

/// The response that a client of an HTTP API gets, as JSON.
pub(crate) async fn answered(function: &Function, sent: &Sent) -> (u16, Value) {
    let got = through(Gateway::HttpApi, function, sent).await;
    (got.status, serde_json::from_slice(&got.body).unwrap())
}
