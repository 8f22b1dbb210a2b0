//! The API nested in an axum application that has routes and layers of its own.
//!
//! `DATABASE_URL=postgres://… cargo run -p svc-examples --example embed_axum`

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use svc_core::stamping::SandboxStamper;
use svc_core::{Api, Context, Providers};
use svc_store_postgres::{PostgresStore, Probe, Settings};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Mutex, oneshot};
use tokio::time::timeout;
use tower::limit::GlobalConcurrencyLimitLayer;
use tower_http::timeout::TimeoutLayer;

/// How long clients have to finish what they send, and to read their answers, after SIGTERM. It is
/// less than the 30 s after which Kubernetes ends the process.
const DRAIN: Duration = Duration::from_secs(25);

/// How long a check of readiness may take.
const READY_TIMEOUT: Duration = Duration::from_secs(1);

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = PostgresStore::open(&std::env::var("DATABASE_URL")?, &Settings::default())?;
    store.migrate().await?;
    let probe = store.probe();
    let builder = Context::builder(Arc::new(store), "http://127.0.0.1:3000/api/v1");
    // PDFs are drawn on a thread that answers no requests.
    let context = builder.offload(1, |job| drop(tokio::task::spawn_blocking(job))).build()?;
    // Background work of this process: it stamps only; another process delivers webhooks and sends
    // e-mails.
    let outside = Providers::default().stamper(SandboxStamper);
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    // Container platforms and systemd end a process with SIGTERM.
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let stop = async move {
        tokio::select! { _ = interrupt.recv() => (), _ = terminate.recv() => () }
    };
    serve(listener, Api::new(&context), probe, outside, stop, DRAIN).await?;
    Ok(())
}

/// Serves until `stop`, then finishes the requests in progress, for as long as `drain`.
pub async fn serve(
    listener: TcpListener,
    api: Api,
    probe: Probe,
    outside: Providers,
    stop: impl Future<Output = ()> + Send + 'static,
    drain: Duration,
) -> Result<(), std::io::Error> {
    let (all_is_answered, end) = oneshot::channel::<()>();
    let context = api.context().clone();
    let work = tokio::spawn(async move { context.work(outside, async { end.await.unwrap_or_default() }).await });
    let (serving, is_to_end) = oneshot::channel::<()>();
    let stop = async move {
        stop.await;
        drop(serving);
    };
    let too_long = async {
        is_to_end.await.unwrap_or_default();
        tokio::time::sleep(drain).await;
    };
    let served = tokio::select! {
        served = axum::serve(listener, app(api, probe)).with_graceful_shutdown(stop) => served,
        // A client may never finish what it has begun to send. What its request counts then is
        // lost.
        () = too_long => Ok(()),
    };
    drop(all_is_answered);
    work.await.map_err(std::io::Error::other)?;
    served
}

/// The application. Layers are put on either part, not on both: the API does its own
/// authentication, limits and errors, and an answer that a layer gives does not have the API's
/// form.
fn app(api: Api, probe: Probe) -> Router {
    let ours = Router::new()
        .route("/reports", get(async || "all is well"))
        .layer(middleware::from_fn(staff_only))
        .route("/", get(async || "our own page"))
        .route("/ready", get(ready).with_state(Arc::new(Mutex::new(probe))))
        .layer(GlobalConcurrencyLimitLayer::new(64))
        .layer(TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, Duration::from_secs(5)));
    // The API itself bounds how much a client sends, and for how long.
    ours.merge(Router::new().nest_service("/api/v1", api))
}

/// Our own routes have their own authentication.
async fn staff_only(request: Request, next: Next) -> Result<Response, StatusCode> {
    match request.headers().get(header::AUTHORIZATION) {
        Some(sent) if sent == "Bearer of-the-staff" => Ok(next.run(request).await),
        _ => Err(StatusCode::UNAUTHORIZED),
    }
}

/// Tells load balancers whether requests can be answered. Checks come one after the other, since a
/// probe compares each with the one before.
async fn ready(State(probe): State<Arc<Mutex<Probe>>>) -> StatusCode {
    match timeout(READY_TIMEOUT, async { probe.lock().await.check().await }).await {
        Ok(Ok(())) => StatusCode::OK,
        Ok(Err(_)) | Err(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}
