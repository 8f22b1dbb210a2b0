//! The function's connection, from one request to the next.

use std::time::{Duration, Instant};

use http::Method;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use svc_tests::{Actor, World};

use crate::requests::{answered, get, signed};
use crate::runtime_api::Function;

/// A connection unused for this long is tested first.
const THAW: Duration = Duration::from_millis(1_100);

/// The function's sessions: all but the test's own.
async fn sessions(world: &World) -> Vec<i32> {
    let ours: Vec<i32> = sqlx::query_scalar(
        "SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND client_addr IS NULL AND application_name = 'svc'
         ORDER BY pid",
    )
    .fetch_all(world.pool())
    .await
    .unwrap();
    ours
}

/// A world whose own store has closed its sessions, and a function beside it.
async fn started() -> (World, Actor, Function) {
    let mut settings = svc_store_postgres::Settings::default();
    settings.max_connections = 1;
    let world = World::on(settings, |builder| builder).await;
    let ana = world.company().await.admin().await;
    world.store.close().await;
    let function = Function::on(&world, &[]).await;
    (world, ana, function)
}

async fn list(function: &Function, ana: &Actor) -> Value {
    let (status, body) = answered(function, &signed(ana, &Method::GET, "/clientes", "")).await;
    assert_eq!(status, 200, "{body} {}", function.log());
    body
}

#[tokio::test]
async fn an_instance_has_one_connection_and_keeps_it() {
    let (world, ana, function) = started().await;
    assert_eq!(answered(&function, &get("/health", &[])).await.0, 200);
    let first = sessions(&world).await;
    for _ in 0..10 {
        list(&function, &ana).await;
        answered(&function, &signed(&ana, &Method::POST, "/clientes", r#"{"nombre":"Ana"}"#)).await;
    }
    tokio::time::sleep(THAW).await;
    list(&function, &ana).await;
    assert_eq!((sessions(&world).await, first.len()), (first, 1));
}

#[tokio::test]
async fn a_closed_connection_is_replaced() {
    let (world, ana, function) = started().await;
    list(&function, &ana).await;
    let first = sessions(&world).await;
    sqlx::query("SELECT pg_terminate_backend($1)").bind(first[0]).execute(world.pool()).await.unwrap();
    tokio::time::sleep(THAW).await;
    list(&function, &ana).await;
    let second = sessions(&world).await;
    assert!(second.len() == 1 && second != first, "{first:?} {second:?}");
}

#[tokio::test]
async fn a_dead_connection_costs_half_a_second() {
    let (world, ana, function) = started().await;
    list(&function, &ana).await;
    let stalled = Pid::from_raw(sessions(&world).await[0]);
    kill(stalled, Signal::SIGSTOP).unwrap();
    tokio::time::sleep(THAW).await;
    let begun = Instant::now();
    list(&function, &ana).await;
    let took = begun.elapsed();
    kill(stalled, Signal::SIGCONT).unwrap();
    assert!(took > Duration::from_millis(400) && took < Duration::from_secs(4), "{took:?}");
}
