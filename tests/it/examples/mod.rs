//! The examples of the description are answers of the API, recorded in one run of a made-up
//! company, so that they agree with each other.
//!
//! The requests are the description's own examples, which must succeed. `.ci/examples` writes the
//! answers anew; what differs in every run (fiscal folios, secrets, cursors, durations) is
//! replaced.

mod shop;
mod sums;

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use async_trait::async_trait;
use http::Method;
use serde_json::{Map, Value, json};
use svc_core::webhooks::{Outcome, Post, Sender};
use svc_core::{Language, openapi};
use svc_tests::{Actor, fresh_key};

/// The file that the description includes.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../svc-core/src/openapi/texts/recorded.json");

/// With this variable set, the file is written anew.
const REWRITE: &str = "SVC_REWRITE_DOCS";

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| openapi(Language::English, svc_tests::BASE_URL));

/// What was recorded: answers by operation and status, notices by event.
#[derive(Default)]
struct Recording {
    answers: Map<String, Value>,
    notices: Map<String, Value>,
}

impl Recording {
    /// Reads a list, `target` being its path with a query.
    async fn read(&mut self, actor: &Actor, template: &str, target: &str) {
        let page = actor.get(target).await.ok(200);
        if let Some(records) = page["datos"].as_array() {
            assert!(!records.is_empty(), "{target} has no example");
        }
        self.keep(&format!("GET {template}"), "200", page);
    }

    /// Sends the description's example of an operation with claves for its path; returns the
    /// answer.
    async fn write(&mut self, actor: &Actor, title: &str, claves: &[i64]) -> Value {
        let key = fresh_key();
        let (first, body) = self.send(actor, title, claves, &key).await;
        self.keep(title, &first.to_string(), body.clone());
        let (status, again) = self.send(actor, title, claves, &key).await;
        assert_eq!(status, 200, "{title}, repeated: {again}");
        if first != 200 {
            self.keep(title, "200", again);
        } else if again != body {
            self.keep(title, "200 repeated", again);
        }
        body
    }

    /// The same without a repetition.
    async fn write_once(&mut self, actor: &Actor, title: &str, claves: &[i64]) -> Value {
        let (status, body) = self.send(actor, title, claves, &fresh_key()).await;
        self.keep(title, &status.to_string(), body.clone());
        body
    }

    async fn send(&self, actor: &Actor, title: &str, claves: &[i64], key: &str) -> (u16, Value) {
        let (method, template) = title.split_once(' ').expect("a method and a path");
        let body = &DOCUMENT["paths"][template][method.to_lowercase()]["requestBody"]["content"]["application/json"]["example"];
        let body = if body.is_null() { json!({}) } else { body.clone() };
        let mut claves = claves.iter();
        let mut filled = |segment: &str| match segment.strip_prefix('{') {
            Some(_) => claves.next().expect("a clave for each parameter").to_string(),
            None => segment.to_owned(),
        };
        let segments = template.split('/').map(&mut filled);
        let path = segments.collect::<Vec<_>>().join("/");
        let method: Method = method.parse().expect("a method");
        let reply = actor.write(method, &path, key, body).await;
        assert!(reply.status < 300, "{title}: {}", reply.json());
        (reply.status, reply.json())
    }

    fn keep(&mut self, title: &str, status: &str, body: Value) {
        let answers = self.answers.entry(title).or_insert_with(|| json!({}));
        answers[status] = body;
    }
}

/// A receiver of notices that keeps the first of each event.
#[derive(Default)]
struct NoticeKeeper(Mutex<Map<String, Value>>);

#[async_trait]
impl Sender for NoticeKeeper {
    async fn send(&self, post: Post) -> Outcome {
        let notice: Value = serde_json::from_slice(&post.body).expect("a notice is JSON");
        let tipo = notice["tipo"].as_str().expect("a type").to_owned();
        self.0.lock().expect("nobody panicked").entry(tipo).or_insert(notice);
        Outcome::Answered { status: 200, retry_after: None }
    }
}

/// Replaces what differs in every run by constants, the same for the same.
#[derive(Default)]
struct Fixed {
    folios: HashMap<String, String>,
    events: HashMap<String, String>,
    secrets: HashMap<String, String>,
}

impl Fixed {
    fn fix(&mut self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    match name.as_str() {
                        "siguiente" if member.is_string() => *member = json!("AQAAAAAAAAABvq0Jx8Xc3bqYd2Vt4bq0Xw"),
                        "duracion_ms" if member.is_number() => *member = json!(84),
                        _ => self.fix(member),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.fix(item)),
            Value::String(text) => *text = self.text(text),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) -> String {
        let hex = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let parts: Vec<_> = text.split('-').map(|part| if hex(part) { part.len() } else { 0 }).collect();
        if parts == [8, 4, 4, 4, 12] {
            let next = self.folios.len();
            let fixed = || format!("6128396f-c09b-4ec6-8699-43c5f7e3b2{:02x}", 0x30 + next);
            return self.folios.entry(text.to_owned()).or_insert_with(fixed).clone();
        }
        if text.strip_prefix("evt_").is_some_and(hex) {
            let next = self.events.len();
            let fixed = || format!("evt_0199d8f2a4c07b3e9a55c1d2e3f405{:02x}", 0x16 + next);
            return self.events.entry(text.to_owned()).or_insert_with(fixed).clone();
        }
        if text.strip_prefix("whsec_").is_some_and(hex) {
            let digits = ["0123456789abcdef", "fedcba9876543210"][self.secrets.len() % 2].repeat(4);
            return self.secrets.entry(text.to_owned()).or_insert_with(|| format!("whsec_{digits}")).clone();
        }
        text.to_owned()
    }
}

#[tokio::test]
async fn the_examples_are_what_the_api_answers() {
    let Recording { answers, notices } = shop::recorded().await;
    let mut made = json!({ "answers": answers, "notices": notices });
    Fixed::default().fix(&mut made);
    let made = serde_json::to_string_pretty(&made).expect("JSON") + "\n";
    if std::env::var_os(REWRITE).is_some() {
        std::fs::write(FILE, &made).expect("the file is written");
    }
    let written = std::fs::read_to_string(FILE).unwrap_or_default();
    let differs = written.lines().zip(made.lines()).find(|(written, made)| written != made);
    assert!(written == made, "{FILE} is stale, .ci/examples writes it anew: {differs:?}");
}
