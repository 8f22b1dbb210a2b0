//! The operators' address: liveness, readiness, metrics, and what is going on.
//!
//! Its clients cannot exhaust the process, nor each other: each connection gets one answer and
//! little time, few may be open, and a newcomer gets the place of the one that has waited longest.

mod live;
mod prometheus;
mod readiness;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use http::Response;
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{self, HeaderName};
use svc_core::Context;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use self::live::Live;
use self::prometheus::{Metrics, MetricsRecorder};
pub(crate) use self::readiness::HasProviders;
use self::readiness::Readiness;
use crate::connections::{Connections, Deadlines, Meters, Room, Service, accept, listen};
use crate::database::OpenedDatabase;
use crate::failure::Failure;
use crate::shutdown::StopSignal;

const ROOM: Room = Room { clients: 64, heads: 64, refused: 64 };

/// Little time: a probe and a scraper send their request at once and read the answer.
const TIMEOUT: Duration = Duration::from_secs(3);

/// The operators' address, bound but not answering yet. Metrics are recorded from here on.
pub(crate) struct Admin {
    listener: TcpListener,
    recorder: MetricsRecorder,
    bound: Instant,
}

impl Admin {
    pub(crate) fn bind(address: SocketAddr) -> Result<Self, Failure> {
        let listener = listen(address, ROOM.clients)?;
        Ok(Self { listener, recorder: MetricsRecorder::start()?, bound: Instant::now() })
    }

    /// Answers until the returned value is dropped.
    pub(crate) fn start(
        self,
        database: &OpenedDatabase,
        context: Context,
        has: HasProviders,
        stop: StopSignal,
    ) -> Result<RunningAdmin, Failure> {
        let address = self.listener.local_addr().map_err(Failure::io("the address for operators"))?;
        tracing::info!(%address, "answering operators: /live /ready /metrics /top");
        let metrics = Arc::new(self.recorder.with(database.store.clone(), context.clone()));
        let live = Arc::new(Live::new(Arc::clone(&metrics), self.bound));
        let readiness = Arc::new(Readiness::new(database.probe()?, context, has, stop));
        let app = Router::new()
            .route("/live", get(async || text(StatusCode::OK, "alive\n")))
            .route("/ready", get(ready).with_state(readiness))
            .route("/metrics", get(scrape).with_state(Arc::clone(&metrics)))
            .route("/top", get(live::charts))
            .route("/top.json", get(live::view).with_state(live));
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
    let deadlines = Deadlines { head: TIMEOUT, idle: TIMEOUT, stranger: TIMEOUT, write: TIMEOUT, linger: TIMEOUT };
    let service = Service { app, deadlines, keep_alive: false, refusal: Box::new(busy), meters: Meters::none() };
    let connections = Connections::new(service, ROOM);
    loop {
        connections.answer(accept(&listener).await).await;
    }
}

fn busy() -> Response<Bytes> {
    let mut response = Response::new(Bytes::from_static(b"busy\n"));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response
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
