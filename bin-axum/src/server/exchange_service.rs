//! The application as hyper's service for one connection: a request with an unread body closes the
//! connection.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use axum::body::Body;
use http::header::{CONNECTION, HeaderValue};
use http::{Request, Response};
use http_body::{Frame, SizeHint};
use hyper::body::{Bytes, Incoming};
use hyper_util::service::TowerToHyperService;

use super::client_stream::Exchange;

/// The service of one connection.
pub(super) struct ExchangeService {
    app: TowerToHyperService<axum::Router>,
    exchange: Exchange,
    /// Whether a request was answered before its body was read to the end.
    left_unread: Arc<AtomicBool>,
}

impl ExchangeService {
    pub(super) fn new(app: axum::Router, exchange: Exchange) -> Self {
        Self { app: TowerToHyperService::new(app), exchange, left_unread: Arc::default() }
    }

    /// Whether the client may still be sending a body that nobody reads.
    pub(super) fn left_unread(&self) -> bool {
        self.left_unread.load(Ordering::Relaxed)
    }
}

impl hyper::service::Service<Request<Incoming>> for ExchangeService {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        self.exchange.begin();
        let ended = Arc::new(AtomicBool::new(http_body::Body::is_end_stream(request.body())));
        let request = request.map(|body| RequestBody { body, ended: Arc::clone(&ended) });
        let (exchange, left_unread) = (self.exchange.clone(), Arc::clone(&self.left_unread));
        let answer = hyper::service::Service::call(&self.app, request);
        Box::pin(async move {
            let mut response = answer.await?;
            if !ended.load(Ordering::Relaxed) {
                left_unread.store(true, Ordering::Relaxed);
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            exchange.answered();
            Ok(response)
        })
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
