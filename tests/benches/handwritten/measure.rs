//! Rounds of requests, and what they cost.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use sqlx::PgPool;
use svc_tests::{Actor, cpu};
use tower::{Service, ServiceExt as _};

use crate::Operation;

/// How long a round lasts.
const ROUND: Duration = Duration::from_secs(2);

/// One of the two services.
pub(crate) trait Contestant: Clone + Send + Sync + 'static {
    fn answer(&self, request: Request<Bytes>) -> impl Future<Output = (u16, usize)> + Send;
}

#[derive(Clone)]
pub(crate) struct Ours(pub(crate) svc_core::Api);

#[derive(Clone)]
pub(crate) struct Handwritten(pub(crate) axum::Router);

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

/// What a round showed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    /// Requests a second.
    pub(crate) rate: f64,
    /// Of the time to an answer, in milliseconds.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// CPU time of this process and of PostgreSQL's, in microseconds a request.
    pub(crate) service: f64,
    pub(crate) database: f64,
}

/// A round with as many requests at once as there are actors.
pub(crate) async fn round<C: Contestant>(
    contestant: &C,
    actors: &[Actor],
    operation: Operation,
    pool: &PgPool,
) -> Round {
    let before = (cpu::of_process("self"), cpu::of_sessions(pool).await);
    let began = Instant::now();
    let tasks = actors.iter().cloned().map(|actor| {
        let contestant = contestant.clone();
        tokio::spawn(async move {
            let mut times = Vec::new();
            while began.elapsed() < ROUND {
                let sent = Instant::now();
                let (status, size) = contestant.answer(operation.request(&actor)).await;
                assert!(status == operation.status() && size > 20, "{status}, {size} bytes");
                times.push(sent.elapsed());
            }
            times
        })
    });
    let mut times = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        times.extend(task.await.expect("no panic"));
    }
    let elapsed = began.elapsed();
    let after = (cpu::of_process("self"), cpu::of_sessions(pool).await);
    times.sort_unstable();
    let count = times.len() as f64;
    let at = |part: f64| times[((count - 1.0) * part) as usize].as_secs_f64() * 1e3;
    let each = |spent: Duration| spent.as_secs_f64() * 1e6 / count;
    Round {
        rate: count / elapsed.as_secs_f64(),
        p50: at(0.5),
        p99: at(0.99),
        service: each(after.0.saturating_sub(before.0)),
        database: each(cpu::spent(&before.1, &after.1)),
    }
}
