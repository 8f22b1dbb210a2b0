use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::authenticator::{AnyAuthenticator, Authenticator};
use super::{Attachments, Context, ContextInner, KeyCache};
use crate::compute::{Compute, Job};
use crate::domain::clock::{Clock, Random, SystemClock, SystemRandom};
use crate::domain::company::LimitMode;
use crate::domain::event::OwnEvent;
use crate::domain::paper::Fonts;
use crate::operation::{Download, Hook, Operation, Registry, RegistryError, Subscriber};
use crate::record::List;
use crate::secrets::Sealer;
use crate::store::Store;
use crate::usage::{self, Ledger, Merging, RequestLog};

/// The default of [`ContextBuilder::max_body`]: 1 MiB, in bytes (contract §4).
pub const DEFAULT_MAX_BODY: usize = 1_048_576;

/// The default of [`ContextBuilder::deadline`].
const DEFAULT_DEADLINE: Duration = Duration::from_secs(15);

/// The default of [`ContextBuilder::body_timeout`].
pub(crate) const DEFAULT_BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The default of [`ContextBuilder::rate_per_minute`] (spec, "Limits").
pub(crate) const DEFAULT_RATE_PER_MINUTE: u64 = 150;

/// The default of [`ContextBuilder::in_flight`] (contract §5).
pub(crate) const DEFAULT_IN_FLIGHT: u32 = 10;

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(super) limits: LimitMode,
    pub(crate) rate_per_minute: u64,
    pub(crate) in_flight: u32,
    pub(crate) max_body: usize,
    pub(crate) body_timeout: Duration,
    pub(crate) development_destinations: bool,
    pub(crate) sandbox: bool,
    /// The time limit for the store's part of a request.
    pub(crate) deadline: Duration,
    merge_usage_every: Duration,
    log_requests: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: LimitMode::Enforced,
            rate_per_minute: DEFAULT_RATE_PER_MINUTE,
            in_flight: DEFAULT_IN_FLIGHT,
            max_body: DEFAULT_MAX_BODY,
            body_timeout: DEFAULT_BODY_TIMEOUT,
            development_destinations: false,
            sandbox: false,
            deadline: DEFAULT_DEADLINE,
            merge_usage_every: usage::DEFAULT_INTERVAL,
            log_requests: false,
        }
    }
}

/// Builds a [`Context`]; see [`Context::builder`].
pub struct ContextBuilder {
    store: Arc<dyn Store>,
    base_url: String,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    sealer: Sealer,
    compute: Compute,
    registry: Registry,
    attachments: Option<Arc<dyn Attachments>>,
    fonts: Fonts,
    authenticator: Option<Arc<dyn AnyAuthenticator>>,
    settings: Settings,
}

/// Why a [`Context`] cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    /// The base URL is not `http(s)://host[/path]`; contains the URL.
    #[error("the base URL must be http(s)://host[/path] without query: {0:?}")]
    BaseUrl(String),
    /// A host's operation collides with another.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

impl ContextBuilder {
    pub(crate) fn new(store: Arc<dyn Store>, base_url: String, registry: Registry) -> Self {
        Self {
            store,
            base_url,
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom),
            sealer: Sealer::default(),
            compute: Compute::default(),
            registry,
            attachments: None,
            fonts: Fonts::default(),
            authenticator: None,
            settings: Settings::default(),
        }
    }

    /// Sets the clock; by default the machine's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the source of randomness; by default the operating system's.
    #[must_use]
    pub fn random(mut self, random: Arc<dyn Random>) -> Self {
        self.random = random;
        self
    }

    /// Sets how secrets are sealed: a [`crate::secrets::SecretsKey`], or a [`Sealer`] that also has
    /// former keys. Without a key, secrets are stored in plain text. All contexts on one store need
    /// the same key.
    #[must_use]
    pub fn secrets(mut self, sealer: impl Into<Sealer>) -> Self {
        self.sealer = sealer.into();
        self
    }

    /// Sets where jobs run that compute for milliseconds, such as drawing a PDF: `run` takes each
    /// to a thread that answers no requests, for example with tokio's `spawn_blocking`, and at most
    /// `at_once` are there at a time. By default they run where they are awaited, which suits a
    /// process that answers one request at a time.
    #[must_use]
    pub fn offload(mut self, at_once: usize, run: impl Fn(Job) + Send + Sync + 'static) -> Self {
        self.compute = Compute::on(at_once, run);
        self
    }

    /// Sets whether limits are enforced (the default) or only reported. A company may have its own
    /// mode (contract §5).
    #[must_use]
    pub fn limits(mut self, limits: LimitMode) -> Self {
        self.settings.limits = limits;
        self
    }

    /// Sets the requests per key and clock minute; 150 by default (spec, "Limits").
    #[must_use]
    pub fn rate_per_minute(mut self, requests: u64) -> Self {
        self.settings.rate_per_minute = requests;
        self
    }

    /// Sets how many requests of a company this process handles at once; 10 by default (contract
    /// §5). It is enforced in notice mode too.
    #[must_use]
    pub fn in_flight(mut self, requests: u32) -> Self {
        self.settings.in_flight = requests;
        self
    }

    /// Keeps a log of each company's requests in the store for three days: time, method, template
    /// of the path, status, code of error, duration, key and client's address, no queries and no
    /// bodies. [`Context::keep_current`] writes it every two seconds, so a process that does not
    /// run that should not keep one. By default there is none.
    #[must_use]
    pub fn log_requests(mut self) -> Self {
        self.settings.log_requests = true;
        self
    }

    /// Sets how often usage is merged; every 250 ms by default. With zero, every request merges it
    /// before its answer is returned, which a process needs that may be frozen or end after an
    /// answer. Otherwise [`Context::work`] merges it, and a request does so only if the last merge
    /// began two intervals ago.
    #[must_use]
    pub fn merge_usage_every(mut self, interval: Duration) -> Self {
        self.settings.merge_usage_every = interval;
        self
    }

    /// Sets the time limit for the store's part of a request; 15 s by default. After it the request
    /// is rolled back, unless its commit has begun, and answered 503 (`no_disponible`).
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.settings.deadline = deadline;
        self
    }

    /// Sets the largest request body, in bytes; [`DEFAULT_MAX_BODY`] by default (contract §4).
    #[must_use]
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.settings.max_body = bytes;
        self
    }

    /// Sets the time limit for a request's body, from the first read to the last byte; 30 s by
    /// default. A slower body gets 400 `json_invalido`.
    #[must_use]
    pub fn body_timeout(mut self, within: Duration) -> Self {
        self.settings.body_timeout = within;
        self
    }

    /// Says whether the stamper of the passes is the sandbox, for all companies; false by default.
    /// Those of test companies are always its. Where it stamps, `invoice.stamped` accepts a fiscal
    /// folio without its document.
    #[must_use]
    pub fn sandbox(mut self, stamps: bool) -> Self {
        self.settings.sandbox = stamps;
        self
    }

    /// Sets whether webhooks may have development URLs: http, any port, local names (contract §6);
    /// false by default. The sender's settings decide which of them can be reached.
    #[must_use]
    pub fn development_destinations(mut self, allowed: bool) -> Self {
        self.settings.development_destinations = allowed;
        self
    }

    /// Sets the operations that it runs, to which a host may have added its own; by default Svc's.
    #[must_use]
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// Names the product: see [`Registry::titled`].
    #[must_use]
    pub fn titled(mut self, title: impl Into<Arc<str>>) -> Self {
        self.registry = self.registry.titled(title);
        self
    }

    /// Adds a host's own operation: see [`Registry::operation`].
    #[must_use]
    pub fn operation<O>(mut self) -> Self
    where
        O: Operation<Output: Serialize + JsonSchema> + DeserializeOwned + JsonSchema + 'static,
    {
        self.registry = self.registry.operation::<O>();
        self
    }

    /// Adds a host's own file: see [`Registry::download`].
    #[must_use]
    pub fn download<D>(mut self) -> Self
    where
        D: Download + DeserializeOwned + JsonSchema + 'static,
    {
        self.registry = self.registry.download::<D>();
        self
    }

    /// Adds a host's own list: see [`Registry::list`].
    #[must_use]
    pub fn list<L: List>(mut self) -> Self {
        self.registry = self.registry.list::<L>();
        self
    }

    /// Adds what a host does before and after an operation: see [`Registry::hook`].
    #[must_use]
    pub fn hook<O: Operation>(mut self, hook: impl Hook<O>) -> Self {
        self.registry = self.registry.hook(hook);
        self
    }

    /// Sets what the host adds to tax documents: complements and addendas. Every process that
    /// stamps needs it.
    #[must_use]
    pub fn attachments(mut self, attachments: Arc<dyn Attachments>) -> Self {
        self.attachments = Some(attachments);
        self
    }

    /// Sets the fonts of printed documents; by default Svc's own, with Latin, Greek and Cyrillic
    /// letters. Every process that prints or sends documents needs the same.
    #[must_use]
    pub fn fonts(mut self, fonts: Fonts) -> Self {
        self.fonts = fonts;
        self
    }

    /// Adds a host's kind of events: see [`Registry::event`].
    #[must_use]
    pub fn event<E: OwnEvent>(mut self) -> Self {
        self.registry = self.registry.event::<E>();
        self
    }

    /// Adds a part of the host that gets the events of every company: see [`Registry::subscriber`].
    #[must_use]
    pub fn subscriber<S: Subscriber>(mut self, subscriber: S) -> Self {
        self.registry = self.registry.subscriber(subscriber);
        self
    }

    /// Sets how the host identifies the caller of a request without an API key; by default such a
    /// request is refused.
    #[must_use]
    pub fn authenticator(mut self, authenticator: impl Authenticator) -> Self {
        self.authenticator = Some(Arc::new(authenticator));
        self
    }

    /// Builds the context. Fails if the base URL is not `http(s)://host[/path]`, or if what a host
    /// added collides with something.
    pub fn build(self) -> Result<Context, ContextError> {
        let base_url = self.base_url.trim_end_matches('/').to_owned();
        let base_path = base_path(&base_url).ok_or(ContextError::BaseUrl(self.base_url))?;
        let router = self.registry.router()?;
        let shared = Arc::new(ContextInner {
            clock: self.clock,
            random: self.random,
            sealer: self.sealer,
            base_url,
            base_path,
            keys: KeyCache::new(),
            ledger: Ledger::default(),
            merging: Merging::every(self.settings.merge_usage_every),
            log: self.settings.log_requests.then(Arc::<RequestLog>::default),
            compute: self.compute,
            registry: self.registry,
            router,
            attachments: self.attachments,
            fonts: self.fonts,
            authenticator: self.authenticator,
            settings: self.settings,
        });
        Ok(Context { shared, store: self.store })
    }
}

impl fmt::Debug for ContextBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextBuilder").field("base_url", &self.base_url).finish_non_exhaustive()
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
