//! The long-running server: accepts, answers, and once it is told to stop drains what is under way.

mod connections;

use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::State;
use axum::middleware::map_response_with_state;
use axum::response::Response;
use hyper::header::{CONNECTION, HeaderValue};
use svc_core::Api;
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tower_http::timeout::RequestBodyTimeoutLayer;

use self::connections::Connections;
use crate::accept::accept;
use crate::failure::Failure;
use crate::shutdown::{Plan, Stop};
use crate::usage::UsageTimer;
use crate::workers::Workers;

/// How long a client may take from one piece of a body to the next.
const BODY: Duration = Duration::from_secs(30);

/// How long bringing to the database what was used last may take.
const LAST_USAGE: Duration = Duration::from_millis(1_500);

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

    /// Answers until the process is told to stop, and for as long after as the plan says; then drains what is under way, and
    /// the workers with it. What is not done by the plan's deadline is cut.
    pub(crate) async fn run(self, api: Api, mut workers: Option<Workers>, mut stop: Stop, plan: Plan) {
        let usage = UsageTimer::start(api.clone());
        // The API answers 404 in its own words, so it is the fallback of everything.
        let app = axum::Router::new()
            .fallback_service(api)
            .layer(RequestBodyTimeoutLayer::new(BODY))
            .layer(map_response_with_state(stop.clone(), part));
        let (listener, connections) = (self.listener, &Connections::new(app));
        tokio::select! {
            () = accept_all(&listener, connections) => {}
            () = stop.told() => {}
        }
        let cut = plan.cut(Instant::now());
        tracing::info!(delay = ?plan.delay, deadline = ?plan.deadline, "told to stop");
        let finishing = async {
            if let Some(workers) = &mut workers {
                workers.finish().await;
            }
        };
        let draining = async move {
            tokio::select! {
                () = accept_all(&listener, connections) => {}
                () = sleep(plan.delay) => {}
            }
            // Who has connected by now is not turned away unheard.
            while let Ok(Ok((stream, _))) = timeout(Duration::ZERO, listener.accept()).await {
                connections.answer(stream);
            }
            drop(listener);
            tracing::info!("draining what is under way");
            connections.drain().await;
        };
        let ending = async { tokio::join!(draining, finishing) };
        if timeout_at(cut, ending).await.is_err() {
            tracing::warn!("not all that was under way ended in time; the rest is cut");
            connections.cut().await;
        }
        if timeout(LAST_USAGE, usage.finish()).await.is_err() {
            tracing::warn!("what was used last could not be merged in time");
        }
    }
}

/// Answers every connection, for ever.
async fn accept_all(listener: &TcpListener, connections: &Connections) {
    loop {
        connections.answer(accept(listener).await);
    }
}

/// Whoever is answered by a process that is about to end finds another for the next request.
async fn part(State(stop): State<Stop>, mut response: Response) -> Response {
    if stop.is_told() {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
