//! The ways to mount the API, with the office beside it.

use std::sync::Arc;

use axum::Router;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use svc_core::domain::clock::SystemClock;
use svc_core::domain::scope::{Scope, Scopes};
use svc_core::operations::CreateKey;
use svc_core::store::CompanyChange;
use svc_core::{Api, Context, Office};
use svc_tests::{BASE_URL, World};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tower::Service as _;

use crate::gateways::{Gateway, Got, Sent};
use crate::runtime_api::Function;

/// A way to mount the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mount {
    Handle,
    AxumFallback,
    AxumNest,
    Hyper,
    Lambda(Gateway),
}

/// A mounted API in a world of its own.
pub(super) struct Mounted {
    pub(super) keys: Keys,
    inner: Inner,
}

pub(super) struct Key {
    pub(super) id: String,
    pub(super) secret: String,
}

/// A company's keys: one with all scopes, and one that may only read webhooks.
pub(super) struct Keys {
    pub(super) all: Key,
    pub(super) limited: Key,
}

enum Inner {
    Handle(Api, Office),
    Socket(String),
    Function(Gateway, Box<Function>),
}

impl Mount {
    pub(super) const ALL: [Self; 9] = [
        Self::Handle,
        Self::AxumFallback,
        Self::AxumNest,
        Self::Hyper,
        Self::Lambda(Gateway::ALL[0]),
        Self::Lambda(Gateway::ALL[1]),
        Self::Lambda(Gateway::ALL[2]),
        Self::Lambda(Gateway::ALL[3]),
        Self::Lambda(Gateway::ALL[4]),
    ];

    pub(super) fn is_socket(self) -> bool {
        matches!(self, Self::AxumFallback | Self::AxumNest | Self::Hyper)
    }

    pub(super) async fn open(self) -> Mounted {
        // The function uses the machine's time, so all mounts do.
        let world = World::with(|builder| builder.clock(Arc::new(SystemClock))).await;
        let context = Context::builder(world.store.clone(), BASE_URL).build().unwrap();
        let named = CompanyChange { nombre: Some("Empresa".to_owned()), ..CompanyChange::default() };
        let company = context.create_test_company(named).await.unwrap().empresa;
        let key = async |scopes: Scopes| {
            let key = CreateKey { usuario: None, scopes: scopes.into(), expires: None, accept_terms: true };
            let created = context.run(company, &key).await.unwrap();
            Key { id: created.key_id, secret: created.api_key }
        };
        let all = Scopes::all().and(Scope::Oficina);
        let keys = Keys { all: key(all).await, limited: key([Scope::WebhooksWrite].into_iter().collect()).await };
        let (api, office) = (world.api.clone(), Office::at_root(world.api.context()));
        let inner = match self {
            Self::Handle => Inner::Handle(api, office),
            Self::AxumFallback => {
                let router = Router::new().route_service("/office/v1/", office.clone());
                let router = router.route_service("/office/v1/{*rest}", office.clone());
                let router = router.route_service("/office/v1", office);
                Inner::Socket(serve_axum(router.fallback_service(api)).await)
            }
            Self::AxumNest => {
                let office = Office::new(world.api.context());
                let router = Router::new().nest_service("/office/v1", office).nest_service("/api/v1", api);
                Inner::Socket(serve_axum(router).await)
            }
            Self::Hyper => Inner::Socket(serve_hyper(api, office).await),
            Self::Lambda(gateway) => {
                Inner::Function(gateway, Box::new(Function::on(&world, &[("SVC_OFFICE", "true")]).await))
            }
        };
        Mounted { keys, inner }
    }
}

impl Mounted {
    pub(super) async fn send(&self, sent: Sent) -> Got {
        match &self.inner {
            Inner::Handle(api, office) => handle(api, office, sent).await,
            Inner::Socket(address) => over_socket(address, sent).await,
            Inner::Function(gateway, function) => {
                gateway.response(&function.invoke(&gateway.event(&sent)).await.unwrap())
            }
        }
    }
}

async fn serve_axum(app: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

async fn serve_hyper(api: Api, office: Office) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (api, office) = (api.clone(), office.clone());
            let service = service_fn(move |request: Request<Incoming>| {
                let (mut api, mut office) = (api.clone(), office.clone());
                async move {
                    if office.has(request.uri().path()) {
                        return office.call(request).await;
                    }
                    Ok(api.call(request).await?.map(|body| body.map_err(|never| match never {}).boxed_unsync()))
                }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    address
}

/// A target that a server accepts: invalid characters are percent-encoded, as a proper client does.
fn sendable(target: &str) -> String {
    if target.parse::<Uri>().is_ok() && !target.contains(' ') {
        return target.to_owned();
    }
    ['"', '<', '>', ' ', '`']
        .iter()
        .fold(target.to_owned(), |target, &odd| target.replace(odd, &format!("%{:02X}", u32::from(odd))))
}

async fn handle(api: &Api, office: &Office, sent: Sent) -> Got {
    let mut request = Request::new(Bytes::from(sent.body));
    *request.method_mut() = Method::from_bytes(sent.method.as_bytes()).unwrap();
    *request.uri_mut() = sendable(&sent.target).parse().unwrap();
    for (name, value) in sent.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        request.headers_mut().append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    let is_office = office.has(request.uri().path());
    let answer = if is_office { office.handle(request).await } else { api.handle(request).await };
    let (head, body) = answer.into_parts();
    Got { status: head.status.as_u16(), headers: head.headers, body: body.to_vec() }
}

async fn over_socket(address: &str, sent: Sent) -> Got {
    let mut request =
        format!("{} {} HTTP/1.1\r\nConnection: close\r\n", sent.method, sendable(&sent.target)).into_bytes();
    for (name, value) in &sent.headers {
        request.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    request.extend_from_slice(b"\r\n");
    request.extend_from_slice(&sent.body);
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&request).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
    let head = std::str::from_utf8(&answer[..end]).unwrap();
    let (status, lines) = head.split_once("\r\n").unwrap_or((head, ""));
    let mut headers = HeaderMap::new();
    for (name, value) in lines.split("\r\n").filter_map(|line| line.split_once(':')) {
        headers.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_str(value.trim()).unwrap());
    }
    Got { status: status.split(' ').nth(1).unwrap().parse().unwrap(), headers, body: answer[end + 4..].to_vec() }
}
