//! The function's overhead over the API: `cargo bench -p bin-lambda --bench figures`.
//!
//! The binary runs against the tests' Runtime API and a private PostgreSQL. Figures are medians:
//! each start is a new process; a warm figure is the time from an event to its answer, beside the
//! time that the API alone takes for the same request in this process.

#![allow(dead_code, reason = "it shares the platform with the tests, and needs a part of it")]

#[path = "../tests/lambda/gateways.rs"]
mod gateways;
#[path = "../tests/lambda/runtime_api.rs"]
mod runtime_api;

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Request;
use svc_tests::{Actor, World, median};

use crate::gateways::{Gateway, Sent};
use crate::runtime_api::Function;

const STARTS: usize = 15;
const ANSWERS: usize = 1_000;

fn main() {
    // A test run passes it; only a bench run measures.
    if std::env::args().any(|argument| argument == "--bench") {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(measure());
    }
}

async fn measure() {
    // As in the function: usage is merged with every answer.
    let world = World::with(|builder| builder.merge_usage_every(Duration::ZERO)).await;
    let ana = world.company().await.admin().await;
    let (health, list) = (sent(&ana, "/health"), sent(&ana, "/clientes"));

    let size = std::fs::metadata(env!("CARGO_BIN_EXE_bin-lambda")).expect("the binary").len();
    println!("binary                          {:>9.1} MB", megabytes(size));
    println!("start to first answer, /health  {}", start(&world, &health).await);
    println!("start to first answer, a list   {}", start(&world, &list).await);

    let function = Function::on(&world, &[]).await;
    for (name, sent) in [("/health", &health), ("a list", &list)] {
        let api = in_process(&world, sent).await;
        for gateway in [Gateway::HttpApi, Gateway::RestApi, Gateway::BalancerMulti] {
            let warm = invoked(&function, &gateway.event(sent).to_string()).await;
            let name = format!("{name}, {gateway:?}");
            println!("warm {name:<22}     {} (the API alone {})", micros(warm), micros(api));
        }
    }
    println!("memory after that               {:>9.1} MB", resident(&function));
}

fn sent(ana: &Actor, path: &str) -> Sent {
    let header = |name: &str, value: String| (name.to_owned(), value);
    let headers =
        vec![header("Authorization", format!("Bearer {}", ana.api_key)), header("X-Svc-Key-Id", ana.key_id.clone())];
    Sent { method: "GET".to_owned(), target: format!("/api/v1{path}"), headers, body: Vec::new() }
}

/// The time from the process's start to its first answer.
async fn start(world: &World, sent: &Sent) -> String {
    let event = Gateway::HttpApi.event(sent);
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let begun = Instant::now();
        let function = Function::on(world, &[]).await;
        let answer = function.invoke(&event).await.expect("an answer");
        times.push(begun.elapsed());
        assert_eq!(answer["statusCode"], 200, "{answer}");
        memory.push(Duration::from_secs_f64(resident(&function)));
    }
    format!("{}, {:>5.1} MB", micros(median(times)), median(memory).as_secs_f64())
}

async fn invoked(function: &Function, event: &str) -> Duration {
    let mut times = Vec::new();
    for _ in 0..ANSWERS {
        let begun = Instant::now();
        let answer = function.invoke_within(event, Duration::from_secs(30)).await.expect("an answer");
        times.push(begun.elapsed());
        assert_eq!(answer["statusCode"], 200, "{answer}");
    }
    median(times)
}

async fn in_process(world: &World, sent: &Sent) -> Duration {
    let mut times = Vec::new();
    for _ in 0..ANSWERS {
        let mut request = Request::builder().uri(&sent.target);
        for (name, value) in &sent.headers {
            request = request.header(name, value);
        }
        let request = request.body(Bytes::new()).expect("a request");
        let begun = Instant::now();
        let answer = world.api.handle(request).await;
        times.push(begun.elapsed());
        assert_eq!(answer.status(), 200);
    }
    median(times)
}

fn micros(time: Duration) -> String {
    format!("{:>9.0} µs", time.as_secs_f64() * 1e6)
}

#[allow(clippy::cast_precision_loss, reason = "a size in megabytes with one decimal")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// The memory that the process has, in megabytes.
fn resident(function: &Function) -> f64 {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", function.child.id())).expect("the process's status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    megabytes(kilobytes * 1024)
}
