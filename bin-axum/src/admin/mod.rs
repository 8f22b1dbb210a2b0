//! The operators' address: liveness, readiness and metrics.
//!
//! Its clients cannot exhaust the process: each connection gets one answer and little time, and few
//! may be open.

mod prometheus;
mod readiness;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use hyper::StatusCode;
use hyper::header::{self, HeaderName};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use svc_core::Context;
use svc_store_postgres::PostgresStore;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use self::prometheus::{Metrics, MetricsRecorder};
use self::readiness::Readiness;
use crate::accept::accept;
use crate::failure::Failure;
use crate::shutdown::StopSignal;

/// Connections at once; more wait.
const MAX_CONNECTIONS: usize = 64;

/// The time limit of a connection, from its acceptance to the last byte of its answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The operators' address, bound but not answering yet. Metrics are recorded from here on.
pub(crate) struct Admin {
    listener: TcpListener,
    recorder: MetricsRecorder,
}

impl Admin {
    pub(crate) async fn bind(address: SocketAddr) -> Result<Self, Failure> {
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(Failure::io(format!("cannot listen on {address}")))?;
        Ok(Self { listener, recorder: MetricsRecorder::start()? })
    }

    /// Answers until the returned value is dropped.
    pub(crate) fn start(
        self,
        store: &PostgresStore,
        context: Context,
        stop: StopSignal,
    ) -> Result<RunningAdmin, Failure> {
        let address = self.listener.local_addr().map_err(Failure::io("the address for operators"))?;
        tracing::info!(%address, "answering operators: /live /ready /metrics");
        let metrics = Arc::new(self.recorder.with(store.clone()));
        let readiness = Arc::new(Readiness::new(store.probe(), context, stop));
        let app = Router::new()
            .route("/live", get(async || text(StatusCode::OK, "alive\n")))
            .route("/ready", get(ready).with_state(readiness))
            .route("/metrics", get(scrape).with_state(Arc::clone(&metrics)));
        let keeping = tokio::spawn(async move { metrics.keep_up().await });
        Ok(RunningAdmin { tasks: [tokio::spawn(serve(self.listener, app)), keeping] })
    }
}

/// The operators' address, answering until this is dropped.
pub(crate) struct RunningAdmin {
    tasks: [JoinHandle<()>; 2],
}

impl Drop for RunningAdmin {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

async fn serve(listener: TcpListener, app: Router) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // The semaphore is never closed.
    while let Ok(permit) = Arc::clone(&permits).acquire_owned().await {
        let stream = accept(&listener).await;
        let connection = http1::Builder::new()
            .keep_alive(false)
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app.clone()));
        tokio::spawn(async move {
            // A slow or vanished client is not a failure of the server.
            let _ = timeout(TIMEOUT, connection).await;
            drop(permit);
        });
    }
}

type TextResponse = (StatusCode, [(HeaderName, &'static str); 2], String);

fn text(status: StatusCode, text: impl Into<String>) -> TextResponse {
    let kind = (header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
    (status, [kind, (header::CACHE_CONTROL, "no-store")], text.into())
}

async fn ready(State(readiness): State<Arc<Readiness>>) -> TextResponse {
    match readiness.check().await {
        Ok(()) => text(StatusCode::OK, format!("ready\n{}", readiness.queues().await)),
        Err(why) => text(StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
    }
}

async fn scrape(State(metrics): State<Arc<Metrics>>) -> TextResponse {
    text(StatusCode::OK, metrics.text())
}
