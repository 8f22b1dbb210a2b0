//! The API nested in an axum application with routes of its own.
//!
//! `DATABASE_URL=postgres://… cargo run -p svc-examples --example embed_axum`

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use svc_core::Api;
use svc_store_postgres::{PostgresStore, Settings};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = PostgresStore::open(&std::env::var("DATABASE_URL")?, &Settings::default())?;
    store.migrate().await?;
    let api = Api::builder(Arc::new(store), "http://127.0.0.1:3000/api/v1").build()?;

    let app = Router::new().route("/", get(|| async { "our own page" })).nest_service("/api/v1", api);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    Ok(axum::serve(listener, app).await?)
}
