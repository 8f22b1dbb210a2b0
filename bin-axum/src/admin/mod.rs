//! What operators ask on an address of their own: whether the process lives, whether it is ready, and its figures.
//!
//! Whoever asks cannot hold anything up: an answer a connection, a few connections at once, and an end to each.

mod figures;
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
use svc_store_postgres::PostgresStore;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use self::figures::Figures;
use self::readiness::Readiness;
use crate::accept::accept;
use crate::failure::Failure;
use crate::shutdown::Stop;

/// Connections at once; more wait.
const MOST: usize = 64;

/// How long one may take, from its first byte to the last of its answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The address for operators, bound and not yet answering. From here on figures are counted.
pub(crate) struct Admin {
    listener: TcpListener,
    figures: Figures,
}

impl Admin {
    pub(crate) async fn bind(address: SocketAddr) -> Result<Self, Failure> {
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(Failure::io(format!("cannot listen on {address}")))?;
        Ok(Self { listener, figures: Figures::start()? })
    }

    /// Answers as long as what it gives is kept.
    pub(crate) fn start(self, store: &PostgresStore, stop: Stop) -> Result<Answering, Failure> {
        let address = self.listener.local_addr().map_err(Failure::io("the address for operators"))?;
        tracing::info!(%address, "answering operators: /live /ready /metrics");
        let figures = Arc::new(self.figures.of(store.clone()));
        let readiness = Arc::new(Readiness::new(store.probe(), stop));
        let app = Router::new()
            .route("/live", get(async || text(StatusCode::OK, "alive\n")))
            .route("/ready", get(ready).with_state(readiness))
            .route("/metrics", get(metrics).with_state(Arc::clone(&figures)));
        let keeping = tokio::spawn(async move { figures.keep().await });
        Ok(Answering { tasks: [tokio::spawn(serve(self.listener, app)), keeping] })
    }
}

/// The operators' address, answering until this is dropped.
pub(crate) struct Answering {
    tasks: [JoinHandle<()>; 2],
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

async fn serve(listener: TcpListener, app: Router) {
    let places = Arc::new(Semaphore::new(MOST));
    // It is never closed.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let stream = accept(&listener).await;
        let connection = http1::Builder::new()
            .keep_alive(false)
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app.clone()));
        tokio::spawn(async move {
            // A client that is too slow, or gone, is nobody's trouble.
            let _ = timeout(PATIENCE, connection).await;
            drop(place);
        });
    }
}

type Text = (StatusCode, [(HeaderName, &'static str); 2], String);

fn text(status: StatusCode, text: impl Into<String>) -> Text {
    let kind = (header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
    (status, [kind, (header::CACHE_CONTROL, "no-store")], text.into())
}

async fn ready(State(readiness): State<Arc<Readiness>>) -> Text {
    match readiness.ask().await {
        Ok(()) => text(StatusCode::OK, "ready\n"),
        Err(why) => text(StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
    }
}

async fn metrics(State(figures): State<Arc<figures::Scraped>>) -> Text {
    text(StatusCode::OK, figures.text())
}
