//! The library compared with a handwritten implementation (`server.rs`): both as a `tower::Service` in this process, over one
//! private PostgreSQL, alternating. Prints requests a second of both and the median of their ratios.
//!
//! `cargo bench -p svc-tests --bench handwritten`

mod server;

use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use serde_json::json;
use svc_core::backoffice::import::Resource;
use svc_core::domain::clock::SystemClock;
use svc_tests::{Actor, World, fresh_key};
use tower::{Service, ServiceExt as _};

/// Requests at the same time, each of a company of its own.
const AT_ONCE: usize = 16;
const CUSTOMERS: i64 = 10_000;
const ROUND: Duration = Duration::from_secs(2);
const ROUNDS: usize = 9;

/// One of the two implementations.
trait Contestant: Clone + Send + Sync + 'static {
    fn answer(&self, request: Request<Bytes>) -> impl Future<Output = (u16, usize)> + Send;
}

#[derive(Clone)]
struct Ours(svc_core::Api);

#[derive(Clone)]
struct Handwritten(axum::Router);

impl Contestant for Ours {
    async fn answer(&self, request: Request<Bytes>) -> (u16, usize) {
        size(self.0.clone().oneshot(request.map(http_body_util::Full::new)).await).await
    }
}

impl Contestant for Handwritten {
    async fn answer(&self, request: Request<Bytes>) -> (u16, usize) {
        let mut router = self.0.clone();
        size(Service::<Request<Body>>::call(&mut router, request.map(Body::from)).await).await
    }
}

async fn size<B: http_body::Body<Error: std::fmt::Debug>>(answer: Result<Response<B>, Infallible>) -> (u16, usize) {
    let Ok(answer) = answer;
    let status = answer.status().as_u16();
    (status, answer.into_body().collect().await.expect("a body").to_bytes().len())
}

/// Requests a second in one round.
async fn round<C: Contestant>(contestant: &C, actors: &[Actor], operation: Operation) -> f64 {
    let began = Instant::now();
    let tasks = actors.iter().cloned().map(|actor| {
        let contestant = contestant.clone();
        tokio::spawn(async move {
            let mut count = 0_u32;
            while began.elapsed() < ROUND {
                let (status, size) = contestant.answer(operation.request(&actor)).await;
                assert!(status == operation.status() && size > 20, "{status}, {size} bytes");
                count += 1;
            }
            count
        })
    });
    let mut total = 0;
    for task in tasks.collect::<Vec<_>>() {
        total += task.await.expect("no panic");
    }
    f64::from(total) / began.elapsed().as_secs_f64()
}

#[derive(Clone, Copy)]
enum Operation {
    List,
    Create,
}

impl Operation {
    fn request(self, actor: &Actor) -> Request<Bytes> {
        match self {
            Self::List => actor.request(http::Method::GET, "/clientes").body(Bytes::new()),
            Self::Create => actor
                .request(http::Method::POST, "/clientes")
                .header("Idempotency-Key", fresh_key())
                .header("Content-Type", "application/json")
                .body(
                    json!({"nombre": "Materiales del Bajío", "correo": "compras@materiales.example"})
                        .to_string()
                        .into(),
                ),
        }
        .expect("a request")
    }

    fn status(self) -> u16 {
        match self {
            Self::List => 200,
            Self::Create => 201,
        }
    }
}

async fn contest(name: &str, ours: &Ours, handwritten: &Handwritten, actors: &[Actor], operation: Operation) {
    let mut rounds = Vec::new();
    for number in 0..=ROUNDS {
        let (ours, theirs) = (round(ours, actors, operation).await, round(handwritten, actors, operation).await);
        // The first warms both up.
        if number > 0 {
            rounds.push((ours / theirs, ours, theirs));
        }
    }
    rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (ratio, ours, theirs) = rounds[ROUNDS / 2];
    let (least, most) = (rounds[0].0, rounds[ROUNDS - 1].0);
    println!("{name}: {ours:.0} requests/s, by hand {theirs:.0}; ratio {ratio:.2} ({least:.2} to {most:.2})");
}

#[tokio::main]
async fn main() {
    let clock = std::sync::Arc::new(SystemClock);
    // Limits must not cut; each company's month is used up in the second round.
    let world = World::with(|builder| builder.clock(clock).limits(svc_core::domain::company::LimitMode::Notice)).await;
    let mut actors = Vec::new();
    for _ in 0..AT_ONCE {
        let company = world.company().await;
        let customer =
            |n: i64| json!({"nombre": format!("Cliente {n}"), "rfc": null, "correo": "compras@materiales.example"});
        let customers: Vec<_> = (0..CUSTOMERS / AT_ONCE as i64).map(customer).collect();
        company.import(Resource::Clientes, &customers).await.expect("customers");
        actors.push(company.admin().await);
    }
    sqlx::query("ANALYZE").execute(world.pool()).await.expect("statistics");
    let (ours, handwritten) = (Ours(world.api.clone()), Handwritten(server::router(world.pool().clone())));
    contest("GET /clientes, 30 records", &ours, &handwritten, &actors, Operation::List).await;
    contest("POST /clientes", &ours, &handwritten, &actors, Operation::Create).await;
}
