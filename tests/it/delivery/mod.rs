//! Webhook delivery: passes over a database, with receivers in this process.

mod api;
mod disabling;
mod fairness;
mod grouping;
mod load;
mod mail;
mod passes;
mod pausing;
mod retention;
mod retries;
mod workers;

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::Value;
use svc_core::domain::clock::Clock as _;
use svc_core::domain::words::DeliveryReason;
use svc_core::secrets::Sealer;
use svc_core::webhooks::{Outcome, Post, Sender};
use svc_tests::notices::{self, SECRET};
use svc_tests::{Company, World, secrets_key};

/// A receiver that records what it gets.
pub(crate) struct Receiver<F> {
    posts: Mutex<Vec<Post>>,
    answer: F,
}

impl<F: Fn(&Post) -> (Duration, Outcome) + Send + Sync> Receiver<F> {
    /// A receiver that takes some time and answers with `answer`.
    fn new(answer: F) -> Self {
        Self { posts: Mutex::default(), answer }
    }

    /// What it got since the last call.
    pub(crate) fn posts(&self) -> Vec<Post> {
        std::mem::take(&mut *self.posts.lock().expect("nobody panicked"))
    }
}

#[async_trait]
impl<F: Fn(&Post) -> (Duration, Outcome) + Send + Sync> Sender for Receiver<F> {
    async fn send(&self, post: Post) -> Outcome {
        let (pause, outcome) = (self.answer)(&post);
        self.posts.lock().expect("nobody panicked").push(post);
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        outcome
    }
}

/// A receiver that waits in real time.
struct Punctual<S>(S);

#[async_trait]
impl<S: Sender> Sender for Punctual<S> {
    async fn send(&self, post: Post) -> Outcome {
        self.0.send(post).await
    }

    async fn pause(&self, pause: Duration) {
        tokio::time::sleep(pause).await;
    }
}

/// A sender that may take two minutes.
struct Patient<S>(S);

#[async_trait]
impl<S: Sender> Sender for Patient<S> {
    async fn send(&self, post: Post) -> Outcome {
        self.0.send(post).await
    }

    fn deadline(&self) -> Duration {
        Duration::from_mins(2)
    }

    async fn pause(&self, pause: Duration) {
        self.0.pause(pause).await;
    }
}

pub(crate) type Answer = fn(&Post) -> (Duration, Outcome);

/// A receiver that answers this status at once.
pub(crate) fn answering<const STATUS: u16>() -> Receiver<Answer> {
    Receiver::new(|_| (Duration::ZERO, Outcome::Answered { status: STATUS, retry_after: None }))
}

fn unreachable() -> Receiver<Answer> {
    Receiver::new(|_| (Duration::ZERO, Outcome::Failed(DeliveryReason::ErrorRed)))
}

fn header<'a>(post: &'a Post, name: &str) -> &'a str {
    post.headers.get(name).unwrap_or_else(|| panic!("no {name}")).to_str().expect("text")
}

/// Creates a webhook for events of these types; returns its clave.
async fn webhook(company: &Company, tipos: &[&str]) -> i64 {
    let World { store, clock, .. } = &company.world;
    let url = "https://receptor-{}.example.com/avisos";
    notices::webhook(&svc_tests::pool_of(store), &sealer(), (company.id.0, company.owner), url, tipos, clock.now())
        .await
}

/// The key of the worlds' secrets.
fn sealer() -> Sealer {
    Sealer::new(secrets_key())
}

/// Creates this many events of a type, dated now.
async fn happen(company: &Company, tipo: &str, count: i64) {
    let World { store, clock, .. } = &company.world;
    notices::events(&svc_tests::pool_of(store), company.id.0, tipo, count, clock.now()).await;
}

/// Runs a statement on the rows of a company (`$1`).
async fn change(company: &Company, statement: &'static str) {
    sqlx::query(statement).bind(company.id.0).execute(company.world.pool()).await.expect("the statement runs");
}

/// The rows of a company's deliveries.
async fn deliveries(company: &Company) -> Vec<Value> {
    rows(company, "SELECT to_jsonb(d)::text FROM entregas d WHERE empresa = $1 ORDER BY clave").await
}

/// The rows of a company's webhooks.
async fn webhooks(company: &Company) -> Vec<Value> {
    rows(company, "SELECT to_jsonb(w)::text FROM webhooks w WHERE empresa = $1 ORDER BY clave").await
}

async fn rows(company: &Company, statement: &'static str) -> Vec<Value> {
    let rows: Vec<String> =
        sqlx::query_scalar(statement).bind(company.id.0).fetch_all(company.world.pool()).await.expect("rows");
    rows.iter().map(|row| serde_json::from_str(row).expect("JSON")).collect()
}

/// Deliveries of all companies in a state.
async fn count(world: &World, estado: &str) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM entregas WHERE estado = $1")
        .bind(estado)
        .fetch_one(world.pool())
        .await
        .expect("a count")
}

fn instant(value: &Value) -> DateTime<Utc> {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no instant: {value}"))
}
