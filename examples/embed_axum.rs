//! The API nested in an axum application that has routes and layers of its own.
//!
//! `DATABASE_URL=postgres://… cargo run -p svc-examples --example embed_axum`

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use svc_core::Api;
use svc_store_postgres::{PostgresStore, Settings};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tower::limit::GlobalConcurrencyLimitLayer;
use tower_http::timeout::{RequestBodyTimeoutLayer, TimeoutLayer};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = PostgresStore::open(&std::env::var("DATABASE_URL")?, &Settings::default())?;
    store.migrate().await?;
    let api = Api::builder(Arc::new(store), "http://127.0.0.1:3000/api/v1").build()?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    serve(listener, api, async { tokio::signal::ctrl_c().await.unwrap_or_default() }).await?;
    Ok(())
}

/// Serves until `stop`, then until what is under way is answered.
pub async fn serve(
    listener: TcpListener,
    api: Api,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), std::io::Error> {
    let (all_is_answered, end) = oneshot::channel::<()>();
    let counted = api.clone();
    // What keys and companies use is counted in memory; this brings it to the store, and the rest when all is answered.
    let merging = tokio::spawn(async move { counted.keep_usage_merged(async { end.await.unwrap_or_default() }).await });
    let served = axum::serve(listener, app(api)).with_graceful_shutdown(stop).await;
    drop(all_is_answered);
    match merging.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => eprintln!("the last usage is lost: {error}"),
        Err(error) => eprintln!("usage was not merged to the end: {error}"),
    }
    served
}

/// The application. Layers are put on either part, not on both: the API does its own authentication, limits and errors, and
/// what a layer answers in its stead is not in its form.
fn app(api: Api) -> Router {
    let ours = Router::new()
        .route("/reports", get(async || "all is well"))
        .layer(middleware::from_fn(staff_only))
        .route("/", get(async || "our own page"))
        .layer(GlobalConcurrencyLimitLayer::new(64))
        .layer(TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, Duration::from_secs(5)));
    // A client that stops sending is let go; the API itself bounds how much it sends.
    let api = Router::new().nest_service("/api/v1", api).layer(RequestBodyTimeoutLayer::new(Duration::from_secs(30)));
    ours.merge(api)
}

/// Our own routes have our own door.
async fn staff_only(request: Request, next: Next) -> Result<Response, StatusCode> {
    match request.headers().get(header::AUTHORIZATION) {
        Some(sent) if sent == "Bearer of-the-staff" => Ok(next.run(request).await),
        _ => Err(StatusCode::UNAUTHORIZED),
    }
}
