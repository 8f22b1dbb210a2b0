//! Tests over the whole registry: they cover an operation as soon as it is registered.

mod contract;
mod credentials;
pub(crate) mod explain;
mod filters;
mod fuzz;
pub(crate) mod isolation;
mod order;
mod pages;
mod routes;
mod schemas;
mod walks;
mod writes;
mod wrong_types;

use std::sync::LazyLock;

use chrono::TimeDelta;
use http::{Method, header, request};
use serde_json::{Value, json};
use svc_core::operation::{BodyNeed, Http};
use svc_core::store::CompanyChange;
use svc_core::{Language, openapi};
use svc_tests::{Actor, Company, Reply, World, fresh_key, values};
use svc_tests::{Endpoint, endpoints};

/// The operations that need a key.
fn keyed() -> impl Iterator<Item = &'static Http> {
    endpoints().map(|endpoint| endpoint.http).filter(|spec| !spec.scopes.is_empty())
}

fn lists() -> impl Iterator<Item = Endpoint> {
    endpoints().filter(|endpoint| endpoint.pages().is_some())
}

/// Reads every list by each filter and by each pair of filters, from the beginning and from a
/// cursor.
pub(crate) async fn every_filter(ana: &Actor) {
    for list in lists() {
        let path = path(list.http, "1");
        let selected = filters::SELECTED.contains(&list.http.path);
        for one in list.filters() {
            for value in values::good(one.takes) {
                for other in list.filters() {
                    let more = format!("&{}={}", other.name, values::sample(other.takes));
                    let more = if one.name == other.name { "" } else { &more };
                    let target = format!("{path}?limite=1&{}={value}{more}", one.name);
                    let page = ana.get(&target).await;
                    assert!(page.status == 200 || selected || page.status == 400, "{target}: {}", page.mensaje());
                    if let Some(cursor) = page.json()["siguiente"].as_str() {
                        ana.get(&format!("{target}&cursor={cursor}")).await.ok(200);
                    }
                }
            }
        }
    }
}

/// The operations that change something.
fn writes() -> impl Iterator<Item = &'static Http> {
    keyed().filter(|spec| spec.method.name() != "GET")
}

/// The writes with a body.
fn bodied() -> impl Iterator<Item = &'static Http> {
    writes().filter(|spec| spec.body != BodyNeed::None)
}

/// The writes without a body (contract §4, "Bodyless writes").
fn bodyless() -> impl Iterator<Item = &'static Http> {
    writes().filter(|spec| spec.body == BodyNeed::None)
}

/// The operations on one record.
fn on_a_record() -> impl Iterator<Item = &'static Http> {
    keyed().filter(|spec| spec.path.contains('{'))
}

fn method(spec: &Http) -> Method {
    spec.method.name().parse().expect("a method")
}

/// An operation's path with `clave` for each of its parameters.
fn path(spec: &Http, clave: &str) -> String {
    let filled = |segment| if str::starts_with(segment, '{') { clave } else { segment };
    spec.path.split('/').map(filled).collect::<Vec<_>>().join("/")
}

/// The example of the operation's body in the OpenAPI document.
fn sample(spec: &Http) -> Value {
    static DESCRIPTION: LazyLock<Value> = LazyLock::new(|| openapi(Language::English, "/api/v1"));
    let operation = &DESCRIPTION["paths"][spec.path][spec.method.name().to_lowercase()];
    match &operation["requestBody"]["content"]["application/json"]["example"] {
        Value::Null => json!({}),
        example => example.clone(),
    }
}

/// A company whose month has room for the requests of a whole table.
async fn company(world: &World) -> Company {
    world.company_with(CompanyChange { licencias: Some(6), ..CompanyChange::default() }).await
}

/// A user of a company that has record 1 of everything that a list is below.
pub(crate) async fn reader(company: Company) -> Actor {
    let reader = company.admin().await;
    let webhook = json!({"url": "https://example.com/x", "eventos": ["cliente.creado"]});
    reader.post("/webhooks", webhook).await.ok(201);
    reader
}

/// A request of an operation, complete except for the body.
fn request(actor: &Actor, spec: &Http, target: &str) -> request::Builder {
    actor
        .request(method(spec), target)
        .header("Idempotency-Key", fresh_key())
        .header(header::CONTENT_TYPE, "application/json")
}

/// The answer of an operation to a complete request to `target`.
async fn call(actor: &Actor, spec: &Http, target: &str, body: &Value) -> Reply {
    match spec.method.name() {
        "GET" => actor.get(target).await,
        _ => actor.send(request(actor, spec, target), body.to_string()).await,
    }
}

/// Status and code.
fn outcome(reply: &Reply) -> (u16, String) {
    (reply.status, reply.json()["error"]["codigo"].as_str().unwrap_or_default().to_owned())
}

#[track_caller]
fn fails(reply: &Reply, status: u16, codigo: &str, what: &str) {
    assert_eq!(outcome(reply), (status, codigo.to_owned()), "{what}: {}", reply.mensaje());
}

/// Advances the clock by a minute, so that every key may send requests again.
fn a_minute_later(world: &World) {
    world.clock.advance(TimeDelta::minutes(1));
}
