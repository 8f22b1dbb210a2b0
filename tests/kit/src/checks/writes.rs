//! A write of a host over HTTP.

use std::collections::BTreeMap;

use http::{Method, header};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use svc_core::domain::scope::KeyScopes;
use svc_core::operation::{BodyNeed, Entry, Http, Idempotency};
use svc_core::operations::CreateKey;

use crate::{Actor, Company, Reply, any_key, fresh_key};

const KEY: &str = "Idempotency-Key";

/// A request that succeeds.
#[derive(Debug, Clone)]
pub struct Write {
    /// Its method.
    pub method: Method,
    /// Its path below the base URL, with the claves of records in it.
    pub path: String,
    /// Its body; ignored by an operation without one.
    pub body: Value,
}

impl Write {
    /// A POST of `body` to `path`.
    pub fn post(path: impl Into<String>, body: Value) -> Self {
        Self { method: Method::POST, path: path.into(), body }
    }

    /// A PUT of `body` to `path`.
    pub fn put(path: impl Into<String>, body: Value) -> Self {
        Self { method: Method::PUT, path: path.into(), body }
    }
}

/// Checks the operation that answers `write` in the company, which the request then has changed:
///
/// - with a key that lacks its scopes it is 403 `sin_permiso`, without a required Idempotency-Key
///   400, with an unknown field 400 `campo_no_permitido`, with a value of the wrong type in any
///   field below 500;
/// - none of these, nor a rehearsal, adds or removes a row;
/// - the same request again with its Idempotency-Key gives the same bytes and adds no row, and with
///   other data, if it takes a body, is 409 `idempotencia_conflicto`.
///
/// Returns the answer.
pub async fn write(company: &Company, write: &Write) -> Value {
    let registry = company.world.api.context().registry().clone();
    let entry = registry.entries().iter().find(|entry| answers(entry, write));
    let http = entry.and_then(|entry| entry.spec.http.as_ref());
    let http = http.unwrap_or_else(|| panic!("no operation answers {} {}", write.method, write.path));
    let needed: Vec<&str> = http.scopes.words().collect();
    let others = registry.scopes().into_iter().filter(|scope| !needed.contains(scope));
    let with = |scopes: KeyScopes| CreateKey { scopes, ..any_key() };
    let ana = company.key(with(KeyScopes::of_words(needed.iter().copied()))).await;
    let stranger = company.key(with(KeyScopes::of_words(others))).await;

    let before = rows(company).await;
    send(&stranger, http, write, Some(&fresh_key()), &write.body).await.fails(403, "sin_permiso");
    if http.idempotency == Idempotency::Required {
        send(&ana, http, write, None, &write.body).await.fails(400, "idempotencia_requerida");
    }
    if http.body == BodyNeed::Required {
        wrong_bodies(&ana, http, write).await;
    }
    let rehearsal = request(&ana, http, write, Some(&fresh_key())).header("X-Svc-Ensayo", "true");
    let rehearsed = ana.send(rehearsal, text(http, &write.body)).await;
    assert!(rehearsed.status < 300, "{}: {}", write.path, rehearsed.mensaje());
    assert_eq!(rows(company).await, before, "{} changed rows before it succeeded", write.path);

    let key = fresh_key();
    let answer = send(&ana, http, write, Some(&key), &write.body).await;
    assert_eq!(answer.status, rehearsed.status, "{}: {}", write.path, answer.mensaje());
    let after = rows(company).await;
    let again = send(&ana, http, write, Some(&key), &write.body).await;
    assert_eq!(again.body, answer.body, "{}: the same request again", write.path);
    if http.body == BodyNeed::Required {
        let other = send(&ana, http, write, Some(&key), &with_field(&write.body, "otro", json!(1))).await;
        other.fails(409, "idempotencia_conflicto");
    }
    assert_eq!(rows(company).await, after, "{} changed rows when it was repeated", write.path);
    answer.json()
}

fn answers(entry: &Entry, write: &Write) -> bool {
    let Some(http) = &entry.spec.http else { return false };
    let (template, path) = (http.path.split('/'), write.path.split('/'));
    http.method.name() == write.method.as_str()
        && template.clone().count() == path.clone().count()
        && template.zip(path).all(|(part, segment)| part.starts_with('{') || part == segment)
}

async fn wrong_bodies(ana: &Actor, http: &Http, write: &Write) {
    let unknown = with_field(&write.body, "campo_que_no_existe", json!(1));
    send(ana, http, write, Some(&fresh_key()), &unknown).await.fails(400, "campo_no_permitido");
    for field in write.body.as_object().into_iter().flatten().map(|(field, _)| field) {
        for wrong in
            [json!({}), json!([[]]), json!(1.5), json!(-1), json!("a\u{0}b"), json!(true), json!("x".repeat(3_000))]
        {
            let body = with_field(&write.body, field, wrong);
            // Some of these may be right: a rehearsal changes nothing.
            let request = request(ana, http, write, Some(&fresh_key())).header("X-Svc-Ensayo", "true");
            let reply = ana.send(request, body.to_string()).await;
            assert!(reply.status < 500, "{} {body:.200}: {}", write.path, reply.mensaje());
        }
    }
}

fn with_field(body: &Value, field: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[field] = value;
    body
}

fn text(http: &Http, body: &Value) -> String {
    if http.body == BodyNeed::None { String::new() } else { body.to_string() }
}

fn request(actor: &Actor, http: &Http, write: &Write, key: Option<&str>) -> http::request::Builder {
    let mut request = actor.request(write.method.clone(), &write.path);
    if http.body != BodyNeed::None {
        request = request.header(header::CONTENT_TYPE, "application/json");
    }
    match key {
        Some(key) => request.header(KEY, key),
        None => request,
    }
}

async fn send(actor: &Actor, http: &Http, write: &Write, key: Option<&str>, body: &Value) -> Reply {
    actor.send(request(actor, http, write, key), text(http, body)).await
}

/// The number of rows that the company has in every table but those that keep limits and answers.
async fn rows(company: &Company) -> BTreeMap<String, i64> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT c.relname::text FROM pg_class c
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'empresa' AND NOT a.attisdropped
         WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
           AND c.relname NOT IN ('cupos', 'llaves', 'llaves_minuto', 'idempotencia')",
    )
    .fetch_all(company.world.pool())
    .await
    .expect("the tables");
    let mut rows = BTreeMap::new();
    for table in tables {
        let count = AssertSqlSafe(format!("SELECT count(*) FROM {table} WHERE empresa = $1"));
        let count = sqlx::query_scalar(count).bind(company.id.0);
        rows.insert(table, count.fetch_one(company.world.pool()).await.expect("the rows"));
    }
    rows
}
