//! The application as hyper's service for one connection: it refuses requests that name no host,
//! and a request with an unread body closes the connection.

use std::convert::Infallible;
use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use axum::body::Body;
use http::header::{CONNECTION, HeaderName, HeaderValue};
use http::{Request, Response, StatusCode};
use http_body::{Frame, SizeHint};
use hyper::body::{Bytes, Incoming};
use hyper_util::service::TowerToHyperService;
use svc_core::ClientAddress;

use super::exchange::Exchange;
use super::host;

/// A header that every authenticated answer has, and no other.
const AUTHENTICATED: HeaderName = HeaderName::from_static("x-rate-limit-limit");

/// The service of one connection.
pub(super) struct ExchangeService {
    app: TowerToHyperService<axum::Router>,
    exchange: Exchange,
    /// Where the connection comes from.
    client: Option<ClientAddress>,
    /// Whether a request was answered before its body was read to the end.
    left_unread: Arc<AtomicBool>,
}

impl ExchangeService {
    pub(super) fn new(app: axum::Router, exchange: Exchange, client: Option<ClientAddress>) -> Self {
        Self { app: TowerToHyperService::new(app), exchange, client, left_unread: Arc::default() }
    }

    /// Whether the client may still be sending a body that nobody reads.
    pub(super) fn left_unread(&self) -> bool {
        self.left_unread.load(Ordering::Relaxed)
    }
}

impl hyper::service::Service<Request<Incoming>> for ExchangeService {
    type Response = Response<AnswerBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<AnswerBody>, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        if !self.exchange.begin() {
            return Box::pin(pending());
        }
        let exchange = self.exchange.clone();
        if !host::is_valid(request.version(), request.headers()) {
            return Box::pin(async move { Ok(answer_with(exchange, malformed(), false)) });
        }
        let ended = Arc::new(AtomicBool::new(http_body::Body::is_end_stream(request.body())));
        let mut request = request.map(|body| RequestBody { body, ended: Arc::clone(&ended) });
        if let Some(client) = self.client {
            request.extensions_mut().insert(client);
        }
        let left_unread = Arc::clone(&self.left_unread);
        let answer = hyper::service::Service::call(&self.app, request);
        Box::pin(async move {
            let mut response = answer.await?;
            if !ended.load(Ordering::Relaxed) {
                left_unread.store(true, Ordering::Relaxed);
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            let known = response.headers().contains_key(AUTHENTICATED);
            Ok(answer_with(exchange, response, known))
        })
    }
}

/// Refuses a request as hyper refuses input that is not HTTP.
fn malformed() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

fn answer_with(exchange: Exchange, response: Response<Body>, known: bool) -> Response<AnswerBody> {
    let last = response.headers().get(CONNECTION).is_some_and(|value| value == "close");
    exchange.answered(known, last);
    response.map(|body| AnswerBody { body, exchange })
}

/// An answer's body. Hyper drops it once it has all of it.
pub(super) struct AnswerBody {
    body: Body,
    exchange: Exchange,
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        self.exchange.ready();
    }
}

impl http_body::Body for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A request's body that records whether it was read to its end.
struct RequestBody {
    body: Incoming,
    ended: Arc<AtomicBool>,
}

impl http_body::Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let this = self.get_mut();
        let frame = ready!(Pin::new(&mut this.body).poll_frame(context));
        if frame.is_none() || this.body.is_end_stream() {
            this.ended.store(true, Ordering::Relaxed);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
