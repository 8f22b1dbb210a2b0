//! Clients of the API, and checks of every response.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, header};
use serde_json::Value;
use svc_core::Api;

use crate::contract::Contract;

const JSON: &str = "application/json";

/// A client with an API key.
#[derive(Clone)]
pub struct Actor {
    api: Api,
    /// The key's public identifier.
    pub key_id: String,
    /// The key's secret, sent as `Authorization: Bearer`.
    pub api_key: String,
    /// What its answers are checked against.
    contract: Option<Arc<Contract>>,
}

impl Actor {
    pub(crate) fn new(api: Api, key_id: String, api_key: String) -> Self {
        let contract = Some(Contract::of(api.context().registry()));
        Self { api, key_id, api_key, contract }
    }

    /// The same client at another server.
    #[must_use]
    pub fn at(&self, api: &Api) -> Self {
        Self::new(api.clone(), self.key_id.clone(), self.api_key.clone())
    }

    /// The server that it asks.
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// The same client, whose answers are not checked against the description of its server.
    #[must_use]
    pub fn unchecked(&self) -> Self {
        Self { contract: None, ..self.clone() }
    }

    /// A request with the credentials, for further changes.
    pub fn request(&self, method: Method, path: &str) -> http::request::Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.api_key))
            .header("X-Svc-Key-Id", &self.key_id)
    }

    /// Sends a request as it is.
    pub async fn send(&self, request: http::request::Builder, body: impl Into<Bytes>) -> Reply {
        let request = request.body(body.into()).expect("a request");
        Reply::answered(&self.api, request, self.contract.as_deref()).await
    }

    /// Sends a GET with the key's credentials; `path` includes the query.
    pub async fn get(&self, path: &str) -> Reply {
        self.send(self.request(Method::GET, path), "").await
    }

    /// Sends a POST with a new Idempotency-Key.
    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.write(Method::POST, path, &fresh_key(), body).await
    }

    /// Sends a PUT with a new Idempotency-Key.
    pub async fn put(&self, path: &str, body: Value) -> Reply {
        self.write(Method::PUT, path, &fresh_key(), body).await
    }

    /// Writes with the given Idempotency-Key.
    pub async fn write(&self, method: Method, path: &str, key: &str, body: Value) -> Reply {
        let request = self.request(method, path).header("Idempotency-Key", key);
        self.send(request.header(header::CONTENT_TYPE, "application/json"), body.to_string()).await
    }

    /// Reads all pages of a list; returns its records.
    pub async fn walk(&self, path: &str) -> Vec<Value> {
        let (mut records, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let joint = if path.contains('?') { '&' } else { '?' };
            let page = match &cursor {
                Some(cursor) => self.get(&format!("{path}{joint}cursor={cursor}")).await,
                None => self.get(path).await,
            };
            let page = page.ok(200);
            records.extend(page["datos"].as_array().expect("datos").iter().cloned());
            let more = page["hay_mas"].as_bool().expect("hay_mas");
            // The list of events always says where to go on (contract §10).
            assert_eq!(page["siguiente"].is_string(), more || path.starts_with("/eventos"), "{path}");
            cursor = page["siguiente"].as_str().map(str::to_owned);
            if !more {
                return records;
            }
        }
    }
}

/// A new Idempotency-Key.
pub fn fresh_key() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    format!("prueba-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// A response of the API.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl Reply {
    /// The response of `api` to `request`, checked for the headers and fields of every response,
    /// and against the OpenAPI document.
    pub async fn of(api: &Api, request: Request<Bytes>) -> Self {
        Self::answered(api, request, Some(&Contract::of(api.context().registry()))).await
    }

    async fn answered(api: &Api, request: Request<Bytes>, contract: Option<&Contract>) -> Self {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        // Kept small, since tests that send many at once hold as many of these.
        let (head, body) = Box::pin(api.handle(request)).await.into_parts();
        let reply = Self { status: head.status.as_u16(), headers: head.headers, body };
        if let Some(contract) = contract {
            contract.validate(&method, &path, &reply);
        }
        let content = reply.header("content-type").expect("every answer says what it is");
        if content != JSON {
            let mut routed = api.context().registry().entries().iter().filter(|entry| entry.spec.http.is_some());
            let is_file = routed.any(|entry| entry.spec.contents().any(|declared| declared == content));
            assert!(reply.status == 200 && is_file, "{} {content}", reply.status);
            assert!(reply.header("x-svc-peticion").is_some());
            return reply;
        }
        let peticion = reply.header("x-svc-peticion").expect("every answer carries its id").to_owned();
        let json = reply.json();
        reply.check(&json, &peticion);
        reply
    }

    /// An answer of the office, checked for the headers and fields of every answer.
    pub(crate) fn checked(self) -> Self {
        let peticion = self.header("x-svc-peticion").expect("every answer carries its id").to_owned();
        match self.header("content-type").expect("every answer says what it is") {
            JSON => self.check(&self.json(), &peticion),
            _ => assert_eq!(self.status, 200),
        }
        self
    }

    fn check(&self, json: &Value, peticion: &str) {
        assert_eq!(json["ok"], self.status < 400, "{json}");
        if self.status >= 400 {
            let error = json["error"].as_object().expect("an error object");
            assert_eq!(error.len(), 3, "{json}");
            assert_eq!(json.as_object().map(serde_json::Map::len), Some(2), "{json}");
            assert_eq!(error["peticion"], peticion);
            assert!(error["mensaje"].as_str().is_some_and(|text| !text.is_empty()), "{json}");
        }
    }

    /// The first value of a header; `None` if there is none, or it is no text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The body as JSON; panics if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("every body is JSON")
    }

    /// The body, if the status is the expected one.
    #[track_caller]
    pub fn ok(&self, status: u16) -> Value {
        let json = self.json();
        assert_eq!(self.status, status, "{json}");
        json
    }

    /// Checks that the response is this error.
    #[track_caller]
    pub fn fails(&self, status: u16, codigo: &str) {
        let json = self.json();
        assert_eq!((self.status, json["error"]["codigo"].as_str().unwrap_or_default()), (status, codigo), "{json}");
    }

    /// A numeric header's value.
    #[track_caller]
    pub fn number(&self, name: &str) -> i64 {
        let value = self.header(name).unwrap_or_else(|| panic!("no {name} in {:?}", self.headers));
        value.parse().unwrap_or_else(|_| panic!("{name}: {value}"))
    }

    /// The codes in X-Svc-Aviso; none without it.
    #[track_caller]
    pub fn announced(&self) -> Vec<&str> {
        assert!(self.headers.get_all("x-svc-aviso").iter().count() <= 1);
        let Some(aviso) = self.header("x-svc-aviso") else { return Vec::new() };
        assert!(aviso.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()), "{aviso}");
        let parts = aviso.split(" | ").map(|notice| notice.split_once("; ").expect("codigo; text"));
        parts.inspect(|(_, text)| assert!(!text.is_empty(), "{aviso}")).map(|(codigo, _)| codigo).collect()
    }

    /// `error.mensaje`, in Spanish; empty if it is no error.
    pub fn mensaje(&self) -> String {
        self.json()["error"]["mensaje"].as_str().unwrap_or_default().to_owned()
    }
}
