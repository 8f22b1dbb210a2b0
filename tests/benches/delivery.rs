//! How fast notices are delivered: one worker, a receiver on this machine that answers at once, a
//! private PostgreSQL. Prints deliveries a second with 1, 10, 20 and 1,000 webhooks, over http and
//! over https, to a receiver that keeps connections open and to one that closes each; SQL
//! statements a delivery; and the CPU time of a delivery, without the receiver's. That of the first
//! pass is printed apart: its tables were empty a moment ago, and not analysed.
//!
//! `cargo bench -p svc-tests --bench delivery [-- NAME]`: only the receivers whose name contains
//! NAME (`"http, kept open"`).

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use async_trait::async_trait;
use axum::Router;
use axum::http::StatusCode;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use svc_core::Context;
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::secrets::Sealer;
use svc_core::webhooks::{Budget, HttpSender, Networks, ResolveError, Resolver, deliver_due};
use svc_tests::{BASE_URL, Company, World, cpu, median, notices};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// The deliveries of one pass, and the passes whose median counts.
const DELIVERIES: u32 = 20_000;
const PASSES: usize = 3;

/// The number of webhooks.
const WEBHOOKS: [u32; 4] = [1, 10, 20, 1_000];

const NAME: &str = "receptor.example.com";
const EVENT: &str = "cliente.creado";

/// Resolves every name to this machine.
struct Here;

#[async_trait]
impl Resolver for Here {
    async fn resolve(&self, _: &str) -> Result<Vec<IpAddr>, ResolveError> {
        Ok(vec![Ipv4Addr::LOCALHOST.into()])
    }
}

/// An authority's certificate, and TLS under one that it issued.
fn authority() -> (Vec<u8>, TlsAcceptor) {
    let (own, key) = (KeyPair::generate().expect("a key"), KeyPair::generate().expect("a key"));
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root = params.self_signed(&own).expect("a certificate").der().to_vec();
    let params_of_name = CertificateParams::new([NAME.to_owned()]).expect("parameters");
    let certificate = params_of_name.signed_by(&key, &Issuer::new(params, own)).expect("a certificate");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).expect("a key"))
        .expect("a certificate and its key");
    (root, TlsAcceptor::from(Arc::new(config)))
}

/// A receiver that answers 204 at once, and keeps the connection open or closes it, on a thread of
/// its own.
struct Receiver {
    port: u16,
    thread: String,
}

impl Receiver {
    fn start(tls: Option<TlsAcceptor>, keeps: bool) -> Self {
        let (started, start) = mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
                let port = listener.local_addr().expect("an address").port();
                started.send(Self { port, thread: cpu::this_thread() }).expect("somebody waits");
                receive(listener, tls, keeps).await;
            });
        });
        start.recv().expect("it starts")
    }
}

async fn receive(listener: TcpListener, tls: Option<TlsAcceptor>, keeps: bool) {
    let app = TowerToHyperService::new(Router::new().fallback(|| async { StatusCode::NO_CONTENT }));
    while let Ok((tcp, _)) = listener.accept().await {
        let (app, tls) = (app.clone(), tls.clone());
        tokio::spawn(async move {
            // The sender reports it.
            let _ = match tls {
                None => http1::Builder::new().keep_alive(keeps).serve_connection(TokioIo::new(tcp), app).await.ok(),
                Some(tls) => match tls.accept(tcp).await {
                    Ok(tls) => {
                        http1::Builder::new().keep_alive(keeps).serve_connection(TokioIo::new(tls), app).await.ok()
                    }
                    Err(_) => None,
                },
            };
        });
    }
}

/// The cost of a delivery: medians of the passes.
struct Costs {
    /// Deliveries a second.
    rate: f64,
    statements: f64,
    /// CPU time of the service and of PostgreSQL, in microseconds.
    service: f64,
    database: f64,
}

impl Costs {
    fn median(passes: &[Self]) -> Self {
        let of = |figure: fn(&Self) -> f64| median(passes.iter().map(figure));
        Self {
            rate: of(|pass| pass.rate),
            statements: of(|pass| pass.statements),
            service: of(|pass| pass.service),
            database: of(|pass| pass.database),
        }
    }
}

/// One pass over this many deliveries of companies with this many webhooks in all.
async fn pass(companies: &[Company], webhooks: u32, sender: &HttpSender, receiver: &Receiver) -> Costs {
    let world = &companies[0].world;
    for company in companies {
        let events = i64::from(DELIVERIES / webhooks);
        notices::events(world.pool(), company.id.0, EVENT, events, SystemClock.now()).await;
    }
    let context = Context::builder(world.store.clone(), BASE_URL).build().expect("a context");
    let spent = async || {
        let own = cpu::of_process("self").saturating_sub(cpu::of_thread(&receiver.thread));
        (own, cpu::of_sessions(world.pool()).await)
    };
    let (before, asked, began) = (spent().await, world.statements("%").await, Instant::now());
    let report = deliver_due(&context, sender, Budget::unlimited()).await.expect("a pass");
    let (took, asked) = (began.elapsed(), world.statements("%").await - asked);
    let after = spent().await;
    assert_eq!(report.entregadas, u64::from(DELIVERIES), "{report:?}");
    let each = |figure: f64| figure / f64::from(DELIVERIES);
    Costs {
        rate: f64::from(DELIVERIES) / took.as_secs_f64(),
        statements: each(f64::from(i32::try_from(asked).expect("not so many"))),
        service: each(after.0.saturating_sub(before.0).as_secs_f64() * 1e6),
        database: each(cpu::spent(&before.1, &after.1).as_secs_f64() * 1e6),
    }
}

/// Companies with this many webhooks in all, of one host: ten each if they are very many.
async fn companies(webhooks: u32, url: &str) -> Vec<Company> {
    let world = World::new().await;
    assert!(world.can_count_statements().await, "statements are counted");
    let (count, each) = if webhooks > 100 { (webhooks / 10, 10) } else { (1, webhooks) };
    let mut companies = Vec::new();
    for _ in 0..count {
        let company = world.company().await;
        let maker = (company.id.0, company.owner);
        for _ in 0..each {
            notices::webhook(world.pool(), &Sealer::default(), maker, url, &[EVENT], SystemClock.now()).await;
        }
        companies.push(company);
    }
    companies
}

#[tokio::main]
async fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let (root, tls) = authority();
    println!(
        "| receiver | webhooks | deliveries/s | SQL statements | CPU of the service + of PostgreSQL, µs a delivery | first pass |"
    );
    println!("|---|---|---|---|---|---|");
    for (name, tls, keeps) in [
        ("http, kept open", None, true),
        ("https, kept open", Some(tls.clone()), true),
        ("http, closed", None, false),
        ("https, closed", Some(tls), false),
    ] {
        if !name.contains(&wanted) {
            continue;
        }
        let scheme = if tls.is_some() { "https" } else { "http" };
        let receiver = Receiver::start(tls, keeps);
        let networks = Networks::default().allow("127.0.0.1").expect("a network");
        let sender = HttpSender::trusting(networks, [root.clone()]).expect("a sender").resolver(Here);
        for webhooks in WEBHOOKS {
            let companies = companies(webhooks, &format!("{scheme}://{NAME}:{}/{{}}", receiver.port)).await;
            let first = pass(&companies, webhooks, &sender, &receiver).await;
            sqlx::raw_sql("ANALYZE").execute(companies[0].world.pool()).await.expect("statistics");
            let mut passes = Vec::new();
            for _ in 0..PASSES {
                passes.push(pass(&companies, webhooks, &sender, &receiver).await);
            }
            let Costs { rate, statements, service, database } = Costs::median(&passes);
            println!(
                "| {name} | {webhooks} | {rate:.0} | {statements:.3} | {service:.0} + {database:.0} = {:.0} | {:.0} |",
                service + database,
                first.service + first.database
            );
        }
    }
}
