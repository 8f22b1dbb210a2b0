//! How fast notices are delivered: one worker, a receiver on this machine that answers at once, a private PostgreSQL. Prints
//! deliveries a second with 1 and with 20 webhooks, over http and over https, to a receiver that keeps connections open and to one
//! that closes each, and SQL statements a delivery.
//!
//! `cargo bench -p svc-tests --bench delivery`

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
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
use svc_tests::{BASE_URL, Company, World, notices};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// Deliveries in one pass, and passes of which the median counts.
const DELIVERIES: u32 = 10_000;
const PASSES: usize = 3;

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

/// A receiver that answers 204 at once, and keeps the connection open or does not; gives its port.
async fn receiver(tls: Option<TlsAcceptor>, keeps: bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let app = TowerToHyperService::new(Router::new().fallback(|| async { StatusCode::NO_CONTENT }));
    tokio::spawn(async move {
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
    });
    port
}

/// Deliveries a second, and statements a delivery if this machine can count them.
async fn measure(company: &Company, sender: &HttpSender, webhooks: u32) -> (f64, Option<f64>) {
    let World { store, .. } = &company.world;
    let context = Context::builder(store.clone(), BASE_URL).build().expect("a context");
    let mut rates = Vec::new();
    let before = statements(&company.world).await;
    for _ in 0..PASSES {
        let events = i64::from(DELIVERIES / webhooks);
        notices::events(&svc_tests::pool_of(store), company.id.0, EVENT, events, SystemClock.now()).await;
        let began = Instant::now();
        let report = deliver_due(&context, sender, Budget::unlimited()).await.expect("a pass");
        assert_eq!(report.entregadas, u64::from(DELIVERIES), "{report:?}");
        rates.push(f64::from(DELIVERIES) / began.elapsed().as_secs_f64());
    }
    rates.sort_by(f64::total_cmp);
    let asked = before.zip(statements(&company.world).await).map(|(before, after)| after - before - PASSES as i64);
    let each = |asked| f64::from(asked as i32) / f64::from(DELIVERIES * PASSES as u32);
    (rates[PASSES / 2], asked.map(each))
}

/// Statements of this database so far, without those that count them.
async fn statements(world: &World) -> Option<i64> {
    if world.can_count_statements().await { Some(world.statements("%").await) } else { None }
}

#[tokio::main]
async fn main() {
    let (root, tls) = authority();
    for (scheme, keeps, tls) in
        [("http", true, None), ("https", true, Some(tls.clone())), ("http", false, None), ("https", false, Some(tls))]
    {
        let port = receiver(tls, keeps).await;
        let networks = Networks::default().allow("127.0.0.1").expect("a network");
        let sender = HttpSender::trusting(networks, [root.clone()]).expect("a sender").resolver(Here);
        for webhooks in [1, 20] {
            let company = World::new().await.company().await;
            let (store, maker) = (&company.world.store, (company.id.0, company.owner));
            for _ in 0..webhooks {
                let url = format!("{scheme}://{NAME}:{port}/{{}}");
                notices::webhook(
                    &svc_tests::pool_of(store),
                    &Sealer::default(),
                    maker,
                    &url,
                    &[EVENT],
                    SystemClock.now(),
                )
                .await;
            }
            let (rate, asked) = measure(&company, &sender, webhooks).await;
            let asked = asked.map_or("?".to_owned(), |asked| format!("{asked:.3}"));
            let connections = if keeps { "kept open" } else { "closed" };
            println!(
                "{scheme:5} {connections:9} {webhooks:2} webhooks: {rate:6.0} deliveries/s, {asked} SQL statements a delivery"
            );
        }
    }
}
