//! Rounds of requests, and their cost.

use std::time::{Duration, Instant};

use sqlx::PgPool;
use svc_tests::{Actor, cpu};

use crate::Operation;
use crate::service::{Client, Service};

/// How long a round lasts.
const ROUND: Duration = Duration::from_secs(2);

/// The results of a round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    /// Requests a second.
    pub(crate) rate: f64,
    /// Quantiles of the time to an answer, in milliseconds.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// CPU time of the service's process and of PostgreSQL's, in microseconds a request.
    pub(crate) service: f64,
    pub(crate) database: f64,
}

/// A round with one concurrent request per actor, each over a connection of its own.
pub(crate) async fn round(service: &Service, actors: &[Actor], operation: Operation, pool: &PgPool) -> Round {
    let mut clients = Vec::new();
    for actor in actors {
        clients.push((Client::connect(service.address).await, actor.clone()));
    }
    let before = (service.cpu(), cpu::of_sessions(pool).await);
    let began = Instant::now();
    let tasks = clients.into_iter().map(|(mut client, actor)| {
        tokio::spawn(async move {
            let mut times = Vec::new();
            while began.elapsed() < ROUND {
                let sent = Instant::now();
                let (request, body) = operation.request(&actor);
                let (status, body) = client.answer(request, body).await;
                assert!(status == operation.status() && body.len() > 20, "{status}, {body:?}");
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
    let after = (service.cpu(), cpu::of_sessions(pool).await);
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
