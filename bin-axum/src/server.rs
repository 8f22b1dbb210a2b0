//! The long-running server: accepts, answers, and on SIGTERM or SIGINT drains what is under way.

use std::net::SocketAddr;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use svc_core::Api;
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::failure::Failure;
use crate::usage::UsageTimer;
use crate::workers::Workers;

/// How long a client may take to send a request's head.
const HEAD: Duration = Duration::from_secs(20);

/// How long a client may take from one piece of a body to the next.
const BODY: Duration = Duration::from_secs(30);

/// How long requests and stampings under way may take to end once the server is told to stop.
const DRAIN: Duration = Duration::from_secs(25);

/// A bound address, not yet answering.
pub(crate) struct Server {
    listener: TcpListener,
    pub(crate) address: SocketAddr,
}

impl Server {
    pub(crate) async fn bind(address: SocketAddr) -> Result<Self, Failure> {
        let failed = || Failure::io(format!("cannot listen on {address}"));
        let listener = TcpListener::bind(address).await.map_err(failed())?;
        let address = listener.local_addr().map_err(failed())?;
        Ok(Self { listener, address })
    }

    /// The base URL of an API that nobody gave another.
    pub(crate) fn default_base_url(&self) -> String {
        format!("http://{}/api/v1", self.address)
    }

    /// Answers until the process is told to stop, then drains, and the workers with it.
    pub(crate) async fn run(self, api: Api, mut workers: Option<Workers>) -> Result<(), Failure> {
        let usage = UsageTimer::start(api.clone());
        // The API answers 404 in its own words, so it is the fallback of everything.
        let app = axum::Router::new().fallback_service(api).layer(RequestBodyTimeoutLayer::new(BODY));
        let connections = GracefulShutdown::new();
        let mut stop = std::pin::pin!(stop_signal()?);
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => answer(stream, app.clone(), &connections),
                    Err(error) => refused(&error).await,
                },
                () = &mut stop => break,
            }
        }
        drop(self.listener);
        tracing::info!("stopping: draining what is under way");
        let finishing = async {
            if let Some(workers) = &mut workers {
                workers.finish().await;
            }
        };
        let draining = async { tokio::join!(connections.shutdown(), finishing) };
        if tokio::time::timeout(DRAIN, draining).await.is_err() {
            tracing::warn!(seconds = DRAIN.as_secs(), "not all that was under way ended in time; the rest is cut");
        }
        usage.finish().await;
        Ok(())
    }
}

fn answer(stream: TcpStream, app: axum::Router, connections: &GracefulShutdown) {
    // Small answers go out at once instead of waiting for more.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
    let connection = connections.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "connection ended early");
        }
    });
}

/// A failed accept is the client's (gone already) or a shortage that passes: file descriptors, memory.
async fn refused(error: &std::io::Error) {
    tracing::warn!(%error, "accept failed");
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// Completes when the process is told to stop.
fn stop_signal() -> Result<impl Future<Output = ()>, Failure> {
    let failed = || Failure::io("cannot listen for signals");
    let mut terminate = signal(SignalKind::terminate()).map_err(failed())?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
