//! [`Mcp`]: the tools as one tower service.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, Limited};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::time::timeout;

use super::connector::Connector;
use super::exact::with_exact_numbers;
use super::offer::Offer;
use super::upstream::Here;
use crate::context::Context;
use crate::office::Office;
use crate::pipeline::BoxError;
use crate::service::Api;

/// Where it is mounted beside the API.
pub(crate) const MCP: &str = "/mcp";

/// The tools over streamable HTTP, for any number of agents: each request bears its own API key,
/// with the headers of the API, and acts for that key's company.
///
/// It keeps no sessions, so any process may answer any request, one of AWS Lambda too. A request is
/// answered by one JSON document; its body is bounded like those of the API in size and time.
#[derive(Clone)]
pub struct Mcp {
    service: StreamableHttpService<Connector, NeverSessionManager>,
    max_body: usize,
    body_timeout: Duration,
}

impl Mcp {
    /// Offers `offer` over the API of `context`, and over its office if `has_office`.
    pub fn new(context: &Context, offer: Offer, has_office: bool) -> Self {
        let office = has_office.then(|| Office::new(context));
        let upstream = Arc::new(Here { api: Api::new(context), office, base_url: context.base_url().to_owned() });
        let connector = Connector::without_sessions(offer, upstream);
        // A call needs a key, which no page in a browser has; so hosts and origins need no check of
        // their own.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_sse_keep_alive(None)
            // `handle` bounds the body, which grows when its numbers are written as texts.
            .with_max_request_body_bytes(usize::MAX);
        let factory = move || Ok(connector.clone());
        let service = StreamableHttpService::new(factory, Arc::new(NeverSessionManager::default()), config);
        Self { service, max_body: context.settings().max_body, body_timeout: context.settings().body_timeout }
    }

    /// Whether a path is its own: `/mcp`.
    pub fn has(&self, path: &str) -> bool {
        path == MCP
    }

    /// The path at which a server mounts it.
    pub const fn path() -> &'static str {
        MCP
    }

    /// Answers a request whose body is already in memory, with an answer that is.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Bytes> {
        if request.body().len() > self.max_body {
            return refuse(StatusCode::PAYLOAD_TOO_LARGE);
        }
        let request = request.map(|body| Full::new(with_exact_numbers(body)));
        let (head, body) = self.service.handle(request).await.into_parts();
        match body.collect().await {
            Ok(body) => Response::from_parts(head, body.to_bytes()),
            Err(never) => match never {},
        }
    }

    async fn answer<B>(self, request: Request<B>) -> Response<Bytes>
    where
        B: http_body::Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        let (head, body) = request.into_parts();
        if head.method != Method::POST {
            return self.handle(Request::from_parts(head, Bytes::new())).await;
        }
        match timeout(self.body_timeout, Limited::new(body, self.max_body).collect()).await {
            Ok(Ok(body)) => self.handle(Request::from_parts(head, body.to_bytes())).await,
            Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => refuse(StatusCode::PAYLOAD_TOO_LARGE),
            Ok(Err(_)) => refuse(StatusCode::BAD_REQUEST),
            Err(_) => refuse(StatusCode::REQUEST_TIMEOUT),
        }
    }
}

fn refuse(status: StatusCode) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from_static(status.canonical_reason().unwrap_or_default().as_bytes()));
    *response.status_mut() = status;
    response
}

impl<B> tower::Service<Request<B>> for Mcp
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    type Response = Response<BoxBody<Bytes, Infallible>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.answer(request).await.map(|body| Full::new(body).boxed())) })
    }
}

impl fmt::Debug for Mcp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mcp").field("max_body", &self.max_body).finish_non_exhaustive()
    }
}
