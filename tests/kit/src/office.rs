//! Clients of the office over HTTP.

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, header};
use serde_json::Value;
use svc_core::Office;
use svc_core::domain::scope::{Scope, Scopes};
use svc_core::operations::CreateKey;

use crate::company::any_key;
use crate::contract::Contract;
use crate::{Actor, Company, Reply, fresh_key};

/// The content type of lines.
pub const NDJSON: &str = "application/x-ndjson";

/// A client of the office with an API key.
#[derive(Clone)]
pub struct OfficeActor {
    office: Office,
    contract: Arc<Contract>,
    /// The same key as a client of the API.
    pub actor: Actor,
}

impl Company {
    /// A client of the office, whose key has the scope `oficina` only.
    pub async fn office(&self) -> OfficeActor {
        self.office_with(CreateKey { scopes: Scopes::only(Scope::Oficina).into(), ..any_key() }).await
    }

    /// A client of the office with a key made from `key`.
    pub async fn office_with(&self, key: CreateKey) -> OfficeActor {
        let context = self.world.api.context();
        let contract = Contract::of_office(context.registry());
        OfficeActor { office: Office::at_root(context), contract, actor: self.key(key).await }
    }
}

impl OfficeActor {
    /// A request with the credentials; `path` is below `/office/v1`.
    pub fn request(&self, method: Method, path: &str) -> http::request::Builder {
        self.actor.request(method, &format!("/office/v1{path}"))
    }

    /// Sends a request as it is.
    ///
    /// # Panics
    /// If the answer is not of the form of every answer.
    pub async fn send(&self, request: http::request::Builder, body: impl Into<Bytes>) -> Reply {
        self.answer(request.body(body.into()).expect("a request")).await
    }

    async fn answer(&self, request: Request<Bytes>) -> Reply {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let (head, body) = Box::pin(self.office.handle(request)).await.into_parts();
        let reply = Reply { status: head.status.as_u16(), headers: head.headers, body };
        self.contract.validate(&method, &path, &reply);
        reply.checked()
    }

    /// The office itself, for requests whose bodies come slowly.
    pub fn service(&self) -> Office {
        self.office.clone()
    }

    /// Sends a GET; `path` is below `/office/v1`.
    pub async fn get(&self, path: &str) -> Reply {
        self.send(self.request(Method::GET, path), "").await
    }

    /// Runs an action with a new Idempotency-Key.
    pub async fn run(&self, action: &str, input: &Value) -> Reply {
        self.run_with(action, &fresh_key(), input).await
    }

    /// Runs an action with that Idempotency-Key.
    pub async fn run_with(&self, action: &str, key: &str, input: &Value) -> Reply {
        self.send(self.json(action).header("Idempotency-Key", key), input.to_string()).await
    }

    /// A request to run an action, without an Idempotency-Key.
    pub fn json(&self, action: &str) -> http::request::Builder {
        self.request(Method::POST, &format!("/{action}")).header(header::CONTENT_TYPE, "application/json")
    }

    /// A request to import, with a new Idempotency-Key.
    pub fn lines(&self, resource: &str) -> http::request::Builder {
        let request = self.request(Method::POST, &format!("/import/{resource}"));
        request.header(header::CONTENT_TYPE, NDJSON).header("Idempotency-Key", fresh_key())
    }

    /// Imports records with a new Idempotency-Key.
    pub async fn import(&self, resource: &str, records: &[Value]) -> Reply {
        let lines = records.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        self.send(self.lines(resource), lines).await
    }
}
