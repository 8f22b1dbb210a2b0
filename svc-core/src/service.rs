//! [`Api`]: the whole API as one `tower::Service`, and its builder.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use http::{Request, Response, Uri, header};
use http_body_util::Full;
use tracing::Instrument as _;

use crate::backoffice::Office;
use crate::domain::clock::{Clock, Random, SystemClock, SystemRandom};
use crate::observe::Watch;
use crate::operation::registry::{OPERATIONS, RouteError, Router};
use crate::operation::uuid_v7;
use crate::pipeline::{self, Body, KeyCache};
use crate::secrets::{Sealer, SecretsKey};
use crate::store::{LimitMode, Store, StoreError};
use crate::usage::{self, Ledger, Merging};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The largest body taken when nothing else is said, in bytes: 1 MiB (contract §4).
pub const DEFAULT_MAX_BODY: usize = 1_048_576;

/// Requests a minute of a key when nothing else is said (spec "Limits").
pub const DEFAULT_RATE_PER_MINUTE: u64 = 150;

/// Requests of a company under way at the same time when nothing else is said (contract §5).
pub const DEFAULT_IN_FLIGHT: u32 = 10;

/// What is read and forgotten of a body that is refused, so that the client gets to see the answer.
const DRAINED: usize = 16 * 1_048_576;

/// The API: from `http::Request` to `http::Response`, for any company, by API key.
///
/// It is cheap to clone, and its clones share everything. It never fails (`Infallible`): what goes wrong is a response.
/// It spawns nothing and holds no connection of its own between requests.
///
/// Mount it as it is (`axum::Router::fallback_service`, `nest_service`, `hyper_util::service::TowerToHyperService`), or call
/// [`Api::handle`].
#[derive(Clone)]
pub struct Api(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) sealer: Sealer,
    pub(crate) router: Router,
    pub(crate) keys: Arc<KeyCache>,
    pub(crate) ledger: Ledger,
    merging: Merging,
    pub(crate) rate_per_minute: u64,
    pub(crate) in_flight: u32,
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
            rate_per_minute: DEFAULT_RATE_PER_MINUTE,
            in_flight: DEFAULT_IN_FLIGHT,
            merge_usage_every: usage::DEFAULT_INTERVAL,
            max_body: DEFAULT_MAX_BODY,
            development_destinations: false,
        }
    }

    /// Brings to the store what was used since the last time, of all keys and companies, in one statement, and learns what
    /// others used. A server calls it every [`crate::usage::DEFAULT_INTERVAL`], and once more when all is answered: what was
    /// never brought is lost with the process. After an error it is brought with the next.
    pub async fn merge_usage(&self) -> Result<(), StoreError> {
        self.0.merge_usage(self.0.clock.now()).await
    }

    /// Calls [`Api::merge_usage`] every [`crate::usage::DEFAULT_INTERVAL`] until `all_is_answered`, and once more then. What cannot be
    /// brought to the store is brought later; only the last error is given. Let it end by itself: a merge that is cut short
    /// may count twice.
    pub async fn keep_usage_merged(&self, all_is_answered: impl Future<Output = ()>) -> Result<(), StoreError> {
        let mut end = std::pin::pin!(all_is_answered);
        while tokio::time::timeout(usage::DEFAULT_INTERVAL, &mut end).await.is_err() {
            if let Err(error) = self.merge_usage().await {
                tracing::warn!(%error, "usage could not be merged; it is tried again");
            }
        }
        self.merge_usage().await
    }

    /// The back office of the same store, with the same clock, randomness and secrets. What it changes of keys, users and
    /// companies takes effect in this API at once; what others change does within 5 s.
    pub fn office(&self) -> Office {
        let Inner { store, clock, random, sealer, keys, base_url, .. } = self.0.as_ref();
        Office::beside(store.clone(), clock.clone(), random.clone(), sealer.clone(), base_url.clone(), keys.clone())
    }

    /// Answers a request whose body is already in memory.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Bytes> {
        let (head, body) = request.into_parts();
        Arc::clone(&self.0).respond(head, pipeline::boxed(Full::new(body))).await
    }

    /// What a front end answers when it broke itself, before the request reached the API or after: 500 in the API's form,
    /// with an id of its own.
    pub fn broken(&self) -> Response<Bytes> {
        pipeline::broken(&self.0.peticion())
    }
}

impl Inner {
    /// A request's id.
    fn peticion(&self) -> String {
        let millis = u64::try_from(self.clock.now().timestamp_millis()).unwrap_or(0);
        uuid_v7(millis, self.random.as_ref()).to_string()
    }

    async fn merge_usage(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.merging.merge(&self.ledger, self.store.as_ref(), now).await
    }

    /// What cannot be brought to the store now is brought later; the answer does not depend on it.
    pub(crate) async fn merge_usage_if_overdue(&self, now: DateTime<Utc>) {
        if self.merging.is_overdue(now)
            && let Err(error) = self.merge_usage(now).await
        {
            tracing::warn!(%error, "usage could not be merged; it is tried again");
        }
    }

    async fn respond(self: Arc<Self>, head: http::request::Parts, mut body: Body) -> Response<Bytes> {
        let peticion = self.peticion();
        let mut watch = Watch::begin(&peticion);
        let span = watch.span();
        let response = pipeline::answer(&self, &peticion, &head, &mut body, &mut watch).instrument(span).await;
        watch.answered(response.status());
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
    rate_per_minute: u64,
    in_flight: u32,
    merge_usage_every: Duration,
    max_body: usize,
    development_destinations: bool,
}

/// Why an [`Api`] could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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

    /// With another number of requests a clock minute that each key may make; 150 by default (spec "Limits").
    #[must_use]
    pub fn rate_per_minute(mut self, requests: u64) -> Self {
        self.rate_per_minute = requests;
        self
    }

    /// With another number of requests that a company may have under way in this process at the same time; 10 by default
    /// (contract §5). It holds in notice mode too.
    #[must_use]
    pub fn in_flight(mut self, requests: u32) -> Self {
        self.in_flight = requests;
        self
    }

    /// How often what was used is brought to the store; [`crate::usage::DEFAULT_INTERVAL`] by default. With zero every request
    /// does it before its answer leaves: for a process that may be frozen or end once it has answered. With any other
    /// interval the owner of the process calls [`Api::merge_usage`] as often; where nobody does, now and then a request
    /// waits while it does so for all.
    #[must_use]
    pub fn merge_usage_every(mut self, interval: Duration) -> Self {
        self.merge_usage_every = interval;
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
            keys: Arc::new(KeyCache::new()),
            ledger: Ledger::default(),
            merging: Merging::every(self.merge_usage_every),
            rate_per_minute: self.rate_per_minute,
            in_flight: self.in_flight,
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
