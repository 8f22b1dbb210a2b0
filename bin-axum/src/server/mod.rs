//! The long-running server: it accepts and answers requests, and drains those in progress after a
//! stop signal.

mod client_address;
mod compression;
mod services;
mod try_it;

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::extract::State;
use axum::middleware::{map_request, map_request_with_state, map_response_with_state};
use axum::response::Response;
use hyper::header::{CONNECTION, HeaderValue};
use metrics::{counter, gauge};
use svc_core::{Api, Context, Providers};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use self::client_address::{Proxies, behind_proxies};
use self::compression::{compression, no_refusal};
pub(crate) use self::services::Services;
use crate::connections::{Connections, Deadlines, Meters, Room, Service, accept, listen};
use crate::failure::Failure;
use crate::metric_names::{CONNECTIONS, CONNECTIONS_DISPLACED, CONNECTIONS_REFUSED};
use crate::open_files;
use crate::shutdown::{ShutdownPlan, StopSignal};

/// The most connections with an unfinished head, so that strangers cannot fill the memory.
const HEADS: usize = 1_024;

/// Refused connections that are open at the same time, and as many that lost their place.
const REFUSALS: usize = 256;

/// Open files other than clients' connections: database and operator connections, outgoing ones,
/// and clients that are about to end.
const OTHER_FILES: usize = 256 + 2 * REFUSALS;

const DEADLINES: Deadlines = Deadlines {
    head: Duration::from_secs(10),
    // Longer than the usual 60 s of load balancers: they close first, so that no request crosses a
    // close.
    idle: Duration::from_secs(75),
    stranger: Duration::from_secs(5),
    write: Duration::from_secs(30),
    linger: Duration::from_secs(5),
};

/// How long the last merge of usage and the last lines of the log may take, side by side.
const LAST_WRITES_TIMEOUT: Duration = Duration::from_millis(1_500);

/// A bound address, not answering yet.
pub(crate) struct Server {
    listener: TcpListener,
    pub(crate) address: SocketAddr,
    max_clients: usize,
    /// Whether the reference may send requests, through the development proxy.
    pub(crate) try_it: bool,
    /// The proxies that are trusted to name the client of a request.
    pub(crate) proxies: Proxies,
}

impl Server {
    /// Binds `address`. Of clients, at most `max_clients` are connected at once; fewer if the limit
    /// of open files is low.
    pub(crate) fn bind(address: SocketAddr, max_clients: u32) -> Result<Self, Failure> {
        let max_clients = clients(max_clients, open_files::raise_limit());
        let listener = listen(address, max_clients)?;
        let address = listener.local_addr().map_err(Failure::io(format!("cannot listen on {address}")))?;
        Ok(Self { listener, address, max_clients, try_it: false, proxies: Proxies::default() })
    }

    /// The API's base URL if none is set.
    pub(crate) fn default_base_url(&self) -> String {
        format!("http://{}/api/v1", self.address)
    }

    /// Answers until the process is signalled to stop, and for the plan's delay after that; then
    /// lets the requests in progress and the background work finish. What has not finished by the
    /// plan's deadline is cut.
    pub(crate) async fn run(
        self,
        services: Services,
        outside: Option<Providers>,
        mut stop: StopSignal,
        plan: ShutdownPlan,
    ) {
        let api = services.api.clone();
        let context = api.context().clone();
        let mut work = spawn_work(&context, outside, stop.clone());
        let proxy = if self.try_it { try_it::routes(api.clone(), context.base_url()) } else { axum::Router::new() };
        let services = services.reference_sends_requests(self.try_it);
        let app = proxy.fallback_service(services).layer(compression()).layer(map_request(no_refusal));
        let app = app.layer(map_response_with_state(stop.clone(), close_when_stopping));
        let app =
            if self.proxies.is_empty() { app } else { app.layer(map_request_with_state(self.proxies, behind_proxies)) };
        let connections = &connections(api, app, self.max_clients);
        let listener = self.listener;
        answer_until(&listener, connections, stop.wait()).await;
        let cut = plan.cut(Instant::now());
        tracing::info!(delay = ?plan.delay, deadline = ?plan.deadline, "told to stop");
        let draining = async move {
            answer_until(&listener, connections, sleep(plan.delay)).await;
            // Connections that wait in the listener's queue are answered too.
            while let Ok(Ok((stream, _))) = timeout(Duration::ZERO, listener.accept()).await {
                connections.answer(stream).await;
            }
            drop(listener);
            tracing::info!("draining what is under way");
            connections.drain().await;
        };
        let working = async { while work.join_next().await.is_some() {} };
        let ending = async { tokio::join!(draining, working) };
        if timeout_at(cut, ending).await.is_err() {
            tracing::warn!("not all that was under way ended in time; the rest is cut");
            connections.cut().await;
            work.abort_all();
        }
        let usage = timeout(LAST_WRITES_TIMEOUT, context.merge_usage());
        let log = timeout(LAST_WRITES_TIMEOUT, context.write_log());
        let (usage, log) = tokio::join!(usage, log);
        match usage {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "what was counted last is lost"),
            Err(_) => tracing::warn!("what was used last could not be merged in time"),
        }
        if log.is_err() {
            tracing::warn!("the last requests could not be logged in time");
        }
    }
}

fn connections(api: Api, app: axum::Router, clients: usize) -> Connections {
    let meters = Meters {
        open: gauge!(CONNECTIONS),
        displaced: counter!(CONNECTIONS_DISPLACED),
        refused: counter!(CONNECTIONS_REFUSED),
    };
    let refusal = Box::new(move || api.overloaded());
    let service = Service { app, deadlines: DEADLINES, keep_alive: true, refusal, meters };
    Connections::new(service, Room { clients, heads: HEADS, refused: REFUSALS })
}

/// How many clients may be connected at once, given the wanted number and the limit of open files.
fn clients(wished: u32, files: usize) -> usize {
    let (wished, possible) = (wished as usize, files.saturating_sub(OTHER_FILES).max(files / 2));
    if possible < wished {
        tracing::warn!(
            wished,
            possible,
            files,
            "fewer clients can be connected at once than SVC_MAX_CLIENTS: raise the limit of open files"
        );
    }
    wished.min(possible)
}

/// Starts all background work until the process is signalled to stop, each part in its own task, so
/// that one that computes does not delay the others; without `outside`, only what requests need.
fn spawn_work(context: &Context, outside: Option<Providers>, mut stop: StopSignal) -> JoinSet<()> {
    let stop = async move { stop.wait().await };
    if let Some(outside) = outside {
        return context.work_in_parts(outside, stop).into_iter().collect();
    }
    let context = context.clone();
    let current = async move {
        if let Err(error) = context.keep_current(stop).await {
            tracing::warn!(%error, "usage could not be merged");
        }
    };
    JoinSet::from_iter([current])
}

/// Answers connections until then. One that was accepted is not given up.
async fn answer_until(listener: &TcpListener, connections: &Connections, then: impl Future<Output = ()>) {
    let mut then = pin!(then);
    loop {
        let stream = tokio::select! {
            stream = accept(listener) => stream,
            () = &mut then => return,
        };
        connections.answer(stream).await;
    }
}

/// Closes connections once the process is stopping, so that clients send their next request to
/// another process.
async fn close_when_stopping(State(stop): State<StopSignal>, mut response: Response) -> Response {
    if stop.came() {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
