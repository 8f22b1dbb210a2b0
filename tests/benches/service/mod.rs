//! A service in a process of its own, which runs this program, so that its memory and CPU time can
//! be measured.

mod client;

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::serve::ListenerExt as _;
use http::Request;
use svc_core::domain::company::LimitMode;
use svc_core::mail::{Notice, Notifier, NotifyFailure};
use svc_core::stamping::{SandboxStamper, Stamper};
use svc_core::webhooks::{HttpSender, Networks, ResolveError, Resolver, Sender};
use svc_core::{Api, Context, Providers};
use svc_store_postgres::{PostgresStore, Settings};
use svc_tests::{BASE_URL, cpu, with};
use tokio::net::TcpListener;

pub(crate) use self::client::Client;

/// The environment variable that says what a process serves.
const SERVE: &str = "SVC_BENCH_SERVE";
const DATABASE: &str = "SVC_BENCH_DATABASE";
const CONNECTIONS: &str = "SVC_BENCH_CONNECTIONS";

/// The base path of every service.
const PREFIX: &str = "/api/v1";

/// The task of a process.
#[derive(Debug, Clone)]
pub(crate) struct Served {
    /// [`LIBRARY`], or a service of the benchmark.
    pub(crate) what: String,
    /// The address of its database.
    pub(crate) database: String,
    /// The most connections to it.
    pub(crate) connections: u32,
}

/// The library as a team embeds it, with all background work.
pub(crate) const LIBRARY: &str = "library";

impl Served {
    /// The task of this process, if it was started with one.
    pub(crate) fn by_this_process() -> Option<Self> {
        let of = |name| std::env::var(name).ok();
        let connections = of(CONNECTIONS)?.parse().ok()?;
        Some(Self { what: of(SERVE)?, database: of(DATABASE)?, connections })
    }
}

/// Resolves `hN.example.com` to `127.0.0.N`.
struct Loopback;

#[async_trait]
impl Resolver for Loopback {
    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let number = name.strip_prefix('h').and_then(|rest| rest.strip_suffix(".example.com"));
        let number = number.and_then(|number| number.parse().ok()).ok_or(ResolveError::NotFound)?;
        Ok(vec![Ipv4Addr::new(127, 0, 0, number).into()])
    }
}

/// There are no e-mails to send; only their queue is polled.
struct NoMail;

#[async_trait]
impl Notifier for NoMail {
    async fn notify(&self, _: &Notice) -> Result<(), NotifyFailure> {
        Err(NotifyFailure("no e-mail is expected".to_owned()))
    }
}

/// Serves the library until the standard input ends.
pub(crate) async fn serve_library(served: &Served) {
    let settings = with!(Settings::default(), max_connections: served.connections);
    let store = PostgresStore::open(&served.database, &settings).expect("a URL");
    let context = Context::builder(Arc::new(store), BASE_URL).limits(LimitMode::Notice).rate_per_minute(1_000_000_000);
    let context = context.build().expect("a context");
    let networks = Networks::default().allow("127.0.0.0/8").expect("a network");
    let sender: Arc<dyn Sender> = Arc::new(HttpSender::new(networks).expect("authorities").resolver(Loopback));
    let (stamper, notifier): (Arc<dyn Stamper>, Arc<dyn Notifier>) = (Arc::new(SandboxStamper), Arc::new(NoMail));
    let outside = Providers::default().sender(sender).stamper(stamper).notifier(notifier);
    let api = axum::Router::new().fallback_service(Api::new(&context));
    tokio::select! {
        () = serve(api) => {}
        () = context.work(outside, std::future::pending()) => {}
    }
}

/// Prints the address of a port, and answers there under [`PREFIX`] until the standard input ends.
pub(crate) async fn serve(app: axum::Router) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    println!("{}", listener.local_addr().expect("an address"));
    let listener = listener.tap_io(|connection| connection.set_nodelay(true).expect("a setting of the connection"));
    let stop = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    tokio::select! {
        served = axum::serve(listener, axum::Router::new().nest_service(PREFIX, app)) => served.expect("it serves"),
        _ = stop => {}
    }
}

pub(crate) struct Service {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) process: String,
}

impl Service {
    /// Starts it; it has answered once when this returns.
    pub(crate) async fn start(served: &Served) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let environment = [
            (SERVE, served.what.as_str()),
            (DATABASE, &served.database),
            (CONNECTIONS, &served.connections.to_string()),
        ];
        command.envs(environment).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the service");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let line = tokio::task::spawn_blocking(move || lines.next()).await.expect("no panic");
        let address = line.expect("a line").expect("text").parse().expect("an address");
        let health = Client::connect(address).await.answer(Request::get("/health"), "").await;
        assert_eq!(health.0, 200);
        Self { process: child.id().to_string(), child, address }
    }

    pub(crate) fn cpu(&self) -> Duration {
        cpu::of_process(&self.process)
    }

    /// Ends it, and waits until it is gone.
    pub(crate) fn stop(mut self) {
        drop(self.child.stdin.take());
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
}
