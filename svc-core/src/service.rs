//! [`Api`]: the whole API as one `tower::Service`, and its builder.

use std::convert::Infallible;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::FutureExt;
use http::{Request, Response, Uri, header};
use http_body_util::Full;

use crate::domain::clock::{Clock, Random, SystemClock, SystemRandom};
use crate::operation::registry::{OPERATIONS, RouteError, Router};
use crate::operation::uuid_v7;
use crate::pipeline::{self, Body, KeyCache};
use crate::secrets::{Sealer, SecretsKey};
use crate::store::{LimitMode, Store};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The largest body taken when nothing else is said, in bytes: 1 MiB (contract §4).
pub const DEFAULT_MAX_BODY: usize = 1_048_576;

/// What is read and forgotten of a body that is refused, so that the client gets to see the answer.
const DRAINED: usize = 16 * 1_048_576;

/// The API: from `http::Request` to `http::Response`, for any company, by API key.
///
/// It is cheap to clone, and its clones share everything. It never fails (`Infallible`): what goes wrong is a response.
/// It spawns nothing and holds no connection of its own between requests.
///
/// Mount it as it is (`axum::Router::fallback_service`, `nest_service`, `hyper_util::service::TowerToHyperService`,
/// `lambda_http::run_concurrent`), or call [`Api::handle`].
#[derive(Clone)]
pub struct Api(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) sealer: Sealer,
    pub(crate) router: Router,
    pub(crate) keys: KeyCache,
    pub(crate) base_url: String,
    pub(crate) base_path: String,
    pub(crate) limits: LimitMode,
    pub(crate) max_body: usize,
    pub(crate) development_destinations: bool,
}

impl Api {
    /// Begins to build an API over `store`, published at `base_url` (`https://api.example.com/api/v1`).
    pub fn builder(store: Arc<dyn Store>, base_url: impl Into<String>) -> ApiBuilder {
        ApiBuilder {
            store,
            base_url: base_url.into(),
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom),
            sealer: Sealer::default(),
            limits: LimitMode::Enforced,
            max_body: DEFAULT_MAX_BODY,
            development_destinations: false,
        }
    }

    /// Answers a request whose body is already in memory.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Bytes> {
        let (head, body) = request.into_parts();
        Arc::clone(&self.0).respond(head, pipeline::boxed(Full::new(body))).await
    }

    /// What a front end answers when it broke itself, before the request reached the API or after: 500 in the API's form,
    /// with an id of its own.
    pub fn broken(&self) -> Response<Bytes> {
        pipeline::panicked(&self.0.peticion())
    }
}

impl Inner {
    /// A request's id.
    fn peticion(&self) -> String {
        let millis = u64::try_from(self.clock.now().timestamp_millis()).unwrap_or(0);
        uuid_v7(millis, self.random.as_ref()).to_string()
    }

    async fn respond(self: Arc<Self>, head: http::request::Parts, mut body: Body) -> Response<Bytes> {
        let peticion = self.peticion();
        // A panic is a bug of ours; the client still gets an answer with the id to report, and the connection lives on.
        let answer = AssertUnwindSafe(pipeline::answer(&self, &peticion, &head, &mut body)).catch_unwind().await;
        let response = answer.unwrap_or_else(|_| pipeline::panicked(&peticion));
        // A client that waits for leave to send its body will not send it after a refusal.
        if !http_body::Body::is_end_stream(&body) && !head.headers.contains_key(header::EXPECT) {
            pipeline::drain(&mut body, DRAINED).await;
        }
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

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let inner = Arc::clone(&self.0);
        let (head, body) = request.into_parts();
        let body = pipeline::boxed(body);
        Box::pin(async move { Ok(inner.respond(head, body).await.map(Full::new)) })
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("base_url", &self.0.base_url).finish_non_exhaustive()
    }
}

/// Builds an [`Api`].
pub struct ApiBuilder {
    store: Arc<dyn Store>,
    base_url: String,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    sealer: Sealer,
    limits: LimitMode,
    max_body: usize,
    development_destinations: bool,
}

/// Why an [`Api`] could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The base URL is not `http(s)://host[/path]`.
    #[error("the base URL must be http(s)://host[/path] without query: {0:?}")]
    BaseUrl(String),
    /// The registry of operations is not sound.
    #[error(transparent)]
    Route(#[from] RouteError),
}

impl ApiBuilder {
    /// With another clock than the machine's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// With another source of randomness than the operating system's.
    #[must_use]
    pub fn random(mut self, random: Arc<dyn Random>) -> Self {
        self.random = random;
        self
    }

    /// With a key that seals secrets before they are stored; without one they are stored as they are. It must be the one
    /// of every other [`Api`] and [`crate::backoffice::Office`] on the same store.
    #[must_use]
    pub fn secrets(mut self, key: impl Into<Option<SecretsKey>>) -> Self {
        self.sealer = Sealer::new(key);
        self
    }

    /// With limits enforced (the default) or only announced; a company may have its own mode.
    #[must_use]
    pub fn limits(mut self, limits: LimitMode) -> Self {
        self.limits = limits;
        self
    }

    /// With another maximum of a request's body, in bytes.
    #[must_use]
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }

    /// With webhooks that may be made to lead to places that only development has: http, any port, local names (contract
    /// §6). What of them is reached when notices are sent is the sender's setting.
    #[must_use]
    pub fn development_destinations(mut self, allowed: bool) -> Self {
        self.development_destinations = allowed;
        self
    }

    /// The API.
    pub fn build(self) -> Result<Api, BuildError> {
        let base_url = self.base_url.trim_end_matches('/').to_owned();
        let base_path = base_path(&base_url).ok_or_else(|| BuildError::BaseUrl(self.base_url.clone()))?;
        let inner = Inner {
            store: self.store,
            clock: self.clock,
            random: self.random,
            sealer: self.sealer,
            router: Router::new(OPERATIONS)?,
            keys: KeyCache::new(),
            base_url,
            base_path,
            limits: self.limits,
            max_body: self.max_body,
            development_destinations: self.development_destinations,
        };
        Ok(Api(Arc::new(inner)))
    }
}

impl fmt::Debug for ApiBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiBuilder")
            .field("base_url", &self.base_url)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

fn base_path(base_url: &str) -> Option<String> {
    let uri: Uri = base_url.parse().ok()?;
    let web = matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(|host| !host.is_empty());
    (web && uri.query().is_none() && !base_url.contains('#')).then(|| uri.path().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_is_absolute() {
        assert_eq!(base_path("https://api.example.com/api/v1").as_deref(), Some("/api/v1"));
        assert_eq!(base_path("http://127.0.0.1:8080").as_deref(), Some(""));
        for wrong in ["", "/api/v1", "api.example.com", "ftp://a/b", "https://a/b?c=1", "https://a/b#c", "https://"] {
            assert_eq!(base_path(wrong), None, "{wrong}");
        }
    }
}
