//! The API on hyper alone, without a web framework.
//!
//! `DATABASE_URL=postgres://… cargo run -p svc-examples --example embed_hyper`

use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use svc_core::{Api, Context};
use svc_store_postgres::{PostgresStore, Settings};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = PostgresStore::open(&std::env::var("DATABASE_URL")?, &Settings::default())?;
    store.migrate().await?;
    let api = Api::new(&Context::builder(Arc::new(store), "http://127.0.0.1:3000/api/v1").build()?);
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    serve(listener, api, async { tokio::signal::ctrl_c().await.unwrap_or_default() }).await?;
    Ok(())
}

/// Serves until `stop`, then finishes the requests in progress.
pub async fn serve(listener: TcpListener, api: Api, stop: impl Future<Output = ()>) -> Result<(), std::io::Error> {
    let connections = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, _) = tokio::select! {
            accepted = listener.accept() => accepted?,
            () = &mut stop => break,
        };
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_secs(20))
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(api.clone()));
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                eprintln!("a connection ended early: {error}");
            }
        });
    }
    connections.shutdown().await;
    // Another process does the background work. Requests merge usage from time to time; the rest is
    // merged here.
    api.context().merge_usage().await.map_err(std::io::Error::other)
}
