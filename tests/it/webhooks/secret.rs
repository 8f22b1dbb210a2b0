//! Secrets are shown once, stored sealed, and written nowhere else.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use svc_core::secrets::{Place, Sealer, SecretsKey};
use svc_core::webhooks::{Outcome, Post, SECRET, Sender};
use svc_tests::{Company, World, fresh_key};

use super::{bare, sound, webhook};

const PATH: &str = "/webhooks/1/secreto";

#[tokio::test]
async fn a_rotation_shows_the_new_secret_once() {
    let world = World::new().await;
    let (ana, bob) = (world.company().await.admin().await, world.company().await.admin().await);
    let first = ana.post("/webhooks", sound()).await.ok(201)["secreto"].clone();
    let rotate = || ana.request(Method::POST, PATH).header("Idempotency-Key", "una");
    let mut rotated = ana.send(rotate(), "").await.ok(200);
    let second = rotated["secreto"].take();
    assert!(second.as_str().is_some_and(|text| text.len() == 70 && text.starts_with("whsec_")), "{second}");
    assert_ne!(first, second);
    assert_eq!(rotated, json!({"ok": true, "webhook": 1, "secreto": null}));
    let again = ana.send(rotate(), "").await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.ok(200), rotated);
    assert!(world.sql::<bool>("SELECT modificado = '2026-10-12T18:00:00Z' FROM webhooks").await);
    bare(&bob, Method::POST, PATH).await.fails(404, "no_encontrado");
    bare(&ana, Method::POST, "/webhooks/2/secreto").await.fails(404, "no_encontrado");
}

#[tokio::test]
async fn the_previous_secret_and_no_other_signs_for_a_day() {
    let key = "0f".repeat(32).parse::<SecretsKey>().unwrap();
    let world = World::with(|builder| builder.secrets(key.clone())).await;
    let company = world.company().await;
    let ana = company.admin().await;
    let mut shown = vec![ana.post("/webhooks", sound()).await.ok(201)["secreto"].clone()];
    for hours in [0, 1] {
        world.clock.advance(TimeDelta::hours(hours));
        shown.push(bare(&ana, Method::POST, PATH).await.ok(200)["secreto"].clone());
    }
    let sealer = Sealer::new(key);
    assert_eq!(opened(&company, &sealer, "SELECT secreto FROM webhooks").await, shown[2]);
    assert_eq!(opened(&company, &sealer, "SELECT secreto_anterior FROM webhooks").await, shown[1]);
    assert!(world.sql::<bool>("SELECT secreto_anterior_hasta = '2026-10-13T19:00:00Z' FROM webhooks").await);
}

#[tokio::test]
async fn a_secret_is_nowhere_but_sealed_in_its_column() {
    let key = "0f".repeat(32).parse::<SecretsKey>().unwrap();
    let world = World::with(|builder| builder.secrets(key.clone())).await;
    let ana = world.company().await.admin().await;
    let log = LogText::default();
    // With a single subscriber, `tracing` asks that of the first thread that logs.
    let _second = tracing::Dispatch::new(log.clone());
    let _logging = tracing::subscriber::set_default(log.clone());
    let created = ana.write(Method::POST, "/webhooks", &fresh_key(), sound()).await.ok(201);
    let rotated = bare(&ana, Method::POST, PATH).await.ok(200);
    // Deliveries that failed, that could not be signed (another key), and that arrived.
    let wrong = "f0".repeat(32).parse::<SecretsKey>().unwrap();
    for (key, status, minutes) in [(&key, 500, 0), (&wrong, 200, 0), (&key, 200, 10)] {
        bare(&ana, Method::POST, "/webhooks/1/probar").await.ok(202);
        world.clock.advance(TimeDelta::minutes(minutes));
        world.with_secrets(key.clone()).deliver(&Answering(status)).await;
    }
    ana.put("/webhooks/1", json!({"activo": false})).await.ok(200);
    let secrets =
        [&created["secreto"], &rotated["secreto"]].map(|secret| secret.as_str().unwrap()["whsec_".len()..].to_owned());
    // The whole database as text, with bytes in hexadecimal.
    let hex = |text: &str| text.bytes().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    for (table, column) in columns(&world).await {
        let statement = format!("SELECT coalesce(string_agg({column}::text, ' '), '') FROM {table}");
        let all: String = sqlx::query_scalar(sqlx::AssertSqlSafe(statement)).fetch_one(world.pool()).await.unwrap();
        for secret in &secrets {
            assert!(!all.contains(secret.as_str()) && !all.contains(&hex(secret)), "{table}.{column}");
        }
    }
    let log = log.0.lock().unwrap().clone();
    for logged in ["INSERT INTO webhooks", "a notice cannot be made", "Answered { status: 500"] {
        assert!(log.contains(logged), "the log has lines: {log}");
    }
    for secret in &secrets {
        assert!(!log.contains(secret.as_str()), "the log");
    }
}

#[tokio::test]
async fn without_a_key_a_repetition_has_no_secret_in_it_either() {
    let world = World::with(|builder| builder.secrets(Sealer::default())).await;
    let ana = world.company().await.admin().await;
    webhook(&ana).await;
    bare(&ana, Method::POST, PATH).await.ok(200);
    let answers = "SELECT string_agg(convert_from(respuesta, 'UTF8'), ' ') FROM idempotencia";
    let answers: String = world.sql(answers).await;
    assert!(answers.matches("\"secreto\":null").count() == 2 && !answers.contains("whsec_"), "{answers}");
}

/// A receiver that answers this status and exposes everything it gets.
struct Answering(u16);

#[async_trait]
impl Sender for Answering {
    async fn send(&self, post: Post) -> Outcome {
        tracing::trace!(?post, "sent");
        Outcome::Answered { status: self.0, retry_after: None }
    }
}

/// The plain text of the sealed secret that a statement selects.
async fn opened(company: &Company, sealer: &Sealer, statement: &'static str) -> Value {
    let stored: Vec<u8> = company.world.sql(statement).await;
    let place = Place { company: company.id, column: SECRET, record: "1" };
    let secret = sealer.open(place, &stored).expect("it opens");
    json!(std::str::from_utf8(&secret).expect("text"))
}

/// Every column of every table.
async fn columns(world: &World) -> Vec<(String, String)> {
    let statement = "SELECT table_name::text, quote_ident(column_name) FROM information_schema.columns WHERE table_schema = 'public'";
    sqlx::query_as(statement).fetch_all(world.pool()).await.expect("the columns")
}

/// The complete log, at every level.
#[derive(Clone, Default)]
struct LogText(Arc<Mutex<String>>);

impl tracing::Subscriber for LogText {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        span.record(&mut LogWriter(&self.0));
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        values.record(&mut LogWriter(&self.0));
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut LogWriter(&self.0));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

struct LogWriter<'a>(&'a Mutex<String>);

impl tracing::field::Visit for LogWriter<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        writeln!(self.0.lock().unwrap(), "{field}={value:?}").unwrap();
    }
}
