//! [`Api`]: the whole API as one `tower::Service`.

use std::convert::Infallible;
use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use tracing::Instrument as _;

use crate::context::Context;
use crate::error::{Code, Error};
use crate::observe::Watch;
use crate::pipeline::{self, AnswerBody, Body, BoxError, Entrance, Paths};

/// The API: an `http::Request` in, an `http::Response` out, for the company of the request's API
/// key.
///
/// It is cheap to clone, and clones share everything. It never fails (`Infallible`): every error is
/// a response. It spawns nothing but the short tasks that write down what keys have used, and holds
/// no connection between requests.
///
/// An answer never waits for more of the body than it depends on (contract §4): a refusal drops the
/// rest unread. A server over HTTP/1.1 then closes the connection. It should first read for a while
/// what the client still sends, since closing a socket with unread data resets the connection and
/// the client may lose the answer.
///
/// Mount it as it is (`axum::Router::fallback_service`, `nest_service`,
/// `hyper_util::service::TowerToHyperService`), or call [`Api::handle`].
#[derive(Clone)]
pub struct Api(Arc<Front>);

/// The address of the client: a front end puts it into the extensions of a request, and logs show
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

/// A service: what is answered, and where it is mounted.
pub(crate) struct Front {
    pub(crate) context: Context,
    pub(crate) entrance: Entrance,
}

impl Api {
    /// Builds the API over `context`, for a server that mounts it at a path and may strip that
    /// path: it answers paths with the base URL's path, with `/api/v1`, and with neither.
    pub fn new(context: &Context) -> Self {
        Self::with(context, Paths::Any)
    }

    /// Builds the API for a server that passes every path unchanged: one that is below neither the
    /// base URL's path nor `/api/v1` is 404 `ruta_no_existe`. A base URL without a path includes
    /// all.
    pub fn at_root(context: &Context) -> Self {
        Self::with(context, Paths::Whole)
    }

    fn with(context: &Context, paths: Paths) -> Self {
        Self(Arc::new(Front { context: context.clone(), entrance: Entrance::Api(paths) }))
    }

    /// The context that it was built over.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Answers a request whose body is already in memory.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Bytes> {
        let (head, body) = request.into_parts();
        self.0.respond(head, pipeline::boxed(Full::new(body))).await.map(AnswerBody::in_memory)
    }

    /// The answer for a front end that failed outside the API: 500 in the API's format, with a new
    /// request id.
    pub fn broken(&self) -> Response<Bytes> {
        self.0.context.refusal(Error::internal("the front end panicked"))
    }

    /// The answer for a front end that accepts no more connections: 503 `no_disponible` in the
    /// API's format, with `Retry-After` and a new request id. It counts against no company's
    /// limits.
    pub fn overloaded(&self) -> Response<Bytes> {
        let error =
            Error::new(Code::NoDisponible).message("el servicio tiene demasiadas conexiones abiertas; reintente");
        self.0.context.refusal(error.retry_after(1))
    }
}

impl Front {
    pub(crate) async fn respond(&self, head: http::request::Parts, mut body: Body) -> Response<AnswerBody> {
        let received = self.context.now();
        let peticion = self.context.request_id(received);
        let address = head.extensions.get::<ClientAddress>().map(|address| address.0);
        let logged = self.context.log_at_end(&peticion, received, &head.method, address);
        let mut watch = Watch::begin(&peticion, address, logged);
        let span = watch.span();
        let meta = pipeline::RequestMeta { peticion: &peticion, received };
        let answer = pipeline::answer(&self.context, &self.entrance, meta, &head, &mut body, &mut watch);
        let response = answer.instrument(span).await;
        watch.answered(response.status());
        pipeline::discard_received(&head.headers, &mut body);
        response
    }
}

impl<B> tower::Service<Request<B>> for Api
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let inner = Arc::clone(&self.0);
        let (head, body) = request.into_parts();
        let body = pipeline::boxed(body);
        Box::pin(async move { Ok(inner.respond(head, body).await.map(|body| Full::new(body.in_memory()))) })
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("context", &self.0.context).finish_non_exhaustive()
    }
}
