//! The service: this program as a process of its own, so that its memory and CPU time are known.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use http::{Method, Request};
use svc_core::domain::company::LimitMode;
use svc_core::stamping::{SandboxStamper, Stamper};
use svc_core::webhooks::{HttpSender, Networks, Notice, Notifier, NotifyFailure, ResolveError, Resolver, Sender};
use svc_core::{Api, Context, Outside};
use svc_store_postgres::{PostgresStore, Settings};
use svc_tests::{BASE_URL, World, cpu};
use tokio::net::TcpListener;

use crate::client::Client;

/// Names the database in the environment of the process that serves it.
pub(crate) const SERVE: &str = "SVC_SCALE_SERVE";

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

/// There are no e-mails to send; their queue is looked at.
struct NoMail;

#[async_trait]
impl Notifier for NoMail {
    async fn notify(&self, _: &Notice) -> Result<(), NotifyFailure> {
        Err(NotifyFailure("no e-mail is expected".to_owned()))
    }
}

/// Serves a database, and does all background work, until the standard input ends.
pub(crate) async fn serve(url: &str) {
    let store = PostgresStore::open(url, &Settings::default()).expect("a URL");
    let context = Context::builder(Arc::new(store), BASE_URL).limits(LimitMode::Notice).rate_per_minute(1_000_000_000);
    let context = context.build().expect("a context");
    let networks = Networks::default().allow("127.0.0.0/8").expect("a network");
    let sender: Arc<dyn Sender> = Arc::new(HttpSender::new(networks).expect("authorities").resolver(Loopback));
    let (stamper, notifier): (Arc<dyn Stamper>, Arc<dyn Notifier>) = (Arc::new(SandboxStamper), Arc::new(NoMail));
    let outside = Outside::default().sender(sender).stamper(stamper).notifier(notifier);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    println!("{}", listener.local_addr().expect("an address"));
    let app = axum::Router::new().nest_service("/api/v1", Api::new(&context).expect("the API"));
    let stop = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    tokio::select! {
        served = axum::serve(listener, app) => served.expect("it serves"),
        () = context.work(outside, std::future::pending()) => {}
        _ = stop => {}
    }
}

/// The service's process.
pub(crate) struct Service {
    child: Child,
    pub(crate) address: SocketAddr,
    /// From its start to its first answer.
    pub(crate) started: Duration,
}

impl Service {
    pub(crate) async fn start(world: &World) -> Self {
        let began = Instant::now();
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.env(SERVE, world.database_url()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the service");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let line = tokio::task::spawn_blocking(move || lines.next()).await.expect("no panic");
        let address = line.expect("a line").expect("text").parse().expect("an address");
        let mut client = Client::connect(address).await;
        let health = Request::builder().method(Method::GET).uri("/api/v1/health");
        assert_eq!(client.answer(health).await.0, 200);
        Self { child, address, started: began.elapsed() }
    }

    pub(crate) fn cpu(&self) -> Duration {
        cpu::of_process(&self.child.id().to_string())
    }

    /// Memory in MB: now, and at the most so far.
    pub(crate) fn memory(&self) -> String {
        let (now, most) = cpu::memory(&self.child.id().to_string());
        format!("{now} MB, {most} MB at the most")
    }

    /// Ends it, and waits until it is gone.
    pub(crate) fn stop(mut self) {
        drop(self.child.stdin.take());
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
}
