//! The library in this process, as other programs embed it, for faults of their own providers.

use std::net::SocketAddr;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use svc_core::domain::clock::{Clock, SystemClock};
use svc_core::webhooks::Sender;
use svc_core::{Api, Context, Providers};
use svc_store_postgres::{PostgresStore, Settings};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::stage::Ground;

/// More requests a minute than there ever are.
pub(crate) const UNLIMITED: u64 = 100_000_000;

/// The machine's clock plus an offset.
pub(crate) struct Ahead(pub(crate) TimeDelta);

impl Clock for Ahead {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() + self.0
    }
}

/// A server in this process, with workers.
pub(crate) struct Embedded {
    pub(crate) address: SocketAddr,
    _tasks: JoinSet<()>,
}

impl Embedded {
    /// Serves the API, and works with these providers.
    pub(crate) async fn start(ground: &Ground, outside: Providers) -> Self {
        Self::with_clock(ground, outside, Arc::new(SystemClock), UNLIMITED).await
    }

    /// The same by that clock; each key may send so many requests a minute.
    pub(crate) async fn with_clock(ground: &Ground, outside: Providers, clock: Arc<dyn Clock>, rate: u64) -> Self {
        let context = context(ground, clock, rate);
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
    let context = context(ground, clock, UNLIMITED);
    tokio::spawn(async move { context.work(Providers::default().sender(sender), std::future::pending()).await })
}

fn context(ground: &Ground, clock: Arc<dyn Clock>, rate: u64) -> Context {
    let store = PostgresStore::open(&ground.url(), &Settings::default()).expect("a URL");
    let builder = Context::builder(Arc::new(store), svc_tests::BASE_URL).clock(clock).rate_per_minute(rate);
    builder.offload(1, |job| drop(tokio::task::spawn_blocking(job))).build().expect("a context")
}
