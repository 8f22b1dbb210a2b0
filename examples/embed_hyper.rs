//! The API on hyper alone, without a web framework.
//!
//! `DATABASE_URL=postgres://… cargo run -p svc-examples --example embed_hyper`

use std::sync::Arc;

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use svc_core::Api;
use svc_store_postgres::{PostgresStore, Settings};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = PostgresStore::open(&std::env::var("DATABASE_URL")?, &Settings::default())?;
    store.migrate().await?;
    let api = Api::builder(Arc::new(store), "http://127.0.0.1:3000/api/v1").build()?;

    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let service = TowerToHyperService::new(api.clone());
        tokio::spawn(async move {
            if let Err(error) = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await {
                eprintln!("a connection ended early: {error}");
            }
        });
    }
}
