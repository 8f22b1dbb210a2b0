//! The library in this process, as other programs embed it, for faults of their own providers.

use std::net::SocketAddr;
use std::sync::Arc;

use svc_core::domain::clock::{Clock, SystemClock};
use svc_core::webhooks::Sender;
use svc_core::{Api, Context, Providers};
use svc_store_postgres::{PostgresStore, Settings};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::stage::Ground;

/// A server in this process, with workers.
pub(crate) struct Embedded {
    pub(crate) address: SocketAddr,
    _tasks: JoinSet<()>,
}

impl Embedded {
    /// Serves the API, and works with these providers.
    pub(crate) async fn start(ground: &Ground, outside: Providers) -> Self {
        let context = context(ground, Arc::new(SystemClock));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let app = axum::Router::new().nest_service("/api/v1", Api::new(&context));
        let mut tasks: JoinSet<()> = context.work_in_parts(outside, std::future::pending()).into_iter().collect();
        tasks.spawn(async move { axum::serve(listener, app).await.expect("it serves") });
        Self { address, _tasks: tasks }
    }
}

/// A separate process, as far as the database can tell, that only delivers notices, by that clock.
pub(crate) fn worker(ground: &Ground, clock: Arc<dyn Clock>, sender: Arc<dyn Sender>) -> JoinHandle<()> {
    let context = context(ground, clock);
    tokio::spawn(async move { context.work(Providers::default().sender(sender), std::future::pending()).await })
}

fn context(ground: &Ground, clock: Arc<dyn Clock>) -> Context {
    let store = PostgresStore::open(&ground.url(), &Settings::default()).expect("a URL");
    let builder = Context::builder(Arc::new(store), svc_tests::BASE_URL).clock(clock).rate_per_minute(100_000_000);
    builder.offload(1, |job| drop(tokio::task::spawn_blocking(job))).build().expect("a context")
}
