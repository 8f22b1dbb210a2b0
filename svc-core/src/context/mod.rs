//! [`Context`]: the state that the API, the back office and background work share.

mod attachments;
mod authenticator;
mod backlog;
mod builder;
mod clock;
mod keys;
mod listing;
mod log;
mod run;
mod usage;

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

pub use attachments::{AttachmentFault, Attachments, UnsealedDocument};
pub(crate) use authenticator::AnyAuthenticator;
pub use authenticator::{Authenticator, Identity};
pub(crate) use builder::Settings;
pub use builder::{ContextBuilder, ContextError, DEFAULT_MAX_BODY};
#[cfg(feature = "settings")]
pub(crate) use builder::{DEFAULT_BODY_TIMEOUT, DEFAULT_IN_FLIGHT, DEFAULT_RATE_PER_MINUTE};
pub use clock::ClockOffset;
pub(crate) use keys::{KeyCache, KeyName, REFRESH_INTERVAL};
pub use listing::Listing;
pub(crate) use run::{Step, existing};

use crate::compute::Compute;
use crate::domain::clock::{Clock, Random};
use crate::domain::company::{Company, LimitMode};
use crate::domain::paper::Fonts;
use crate::operation::{Registry, Router, uuid_v7};
use crate::secrets::Sealer;
use crate::store::Store;
use crate::usage::{Ledger, Merging, RequestLog};

/// Store, clock, randomness, secrets, public address, caches and settings. A process creates it
/// once and shares it among [`crate::Api`], the back office ([`Context::run`]) and background work
/// ([`Context::work`]).
///
/// It is cheap to clone, and clones share everything. When the back office changes keys, users or
/// companies, every API on the same context sees it at once, and other processes within 5 s
/// (contract §5).
#[derive(Clone)]
pub struct Context {
    shared: Arc<ContextInner>,
    /// The store, on the connections for this clone's purpose.
    store: Arc<dyn Store>,
}

struct ContextInner {
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    sealer: Sealer,
    base_url: String,
    base_path: String,
    keys: KeyCache,
    ledger: Ledger,
    merging: Merging,
    /// Where requests are logged, if they are.
    log: Option<Arc<RequestLog>>,
    compute: Compute,
    registry: Registry,
    router: Router,
    attachments: Option<Arc<dyn Attachments>>,
    fonts: Fonts,
    authenticator: Option<Arc<dyn AnyAuthenticator>>,
    settings: Settings,
}

impl Context {
    /// The operations that it runs.
    pub fn registry(&self) -> &Registry {
        &self.shared.registry
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// A clone for background work, which has its own connections ([`Store::for_background`]).
    pub(crate) fn in_background(&self) -> Self {
        let store = self.store.for_background().unwrap_or_else(|| Arc::clone(&self.store));
        Self { shared: Arc::clone(&self.shared), store }
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.shared.clock.as_ref()
    }

    /// Its clock and its randomness, to keep.
    #[cfg(feature = "mcp")]
    pub(crate) fn shared_clock_and_random(&self) -> (Arc<dyn Clock>, Arc<dyn Random>) {
        (Arc::clone(&self.shared.clock), Arc::clone(&self.shared.random))
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.shared.clock.now()
    }

    /// The present by a company's clock.
    pub(crate) fn now_in(&self, company: &Company) -> DateTime<Utc> {
        company.time(self.now())
    }

    /// A new id of a request that came at that time.
    pub(crate) fn request_id(&self, at: DateTime<Utc>) -> String {
        uuid_v7(at, self.random()).to_string()
    }

    pub(crate) fn random(&self) -> &dyn Random {
        self.shared.random.as_ref()
    }

    pub(crate) fn sealer(&self) -> &Sealer {
        &self.shared.sealer
    }

    /// The base URL without a trailing slash.
    pub fn base_url(&self) -> &str {
        &self.shared.base_url
    }

    /// The path of the base URL.
    pub(crate) fn base_path(&self) -> &str {
        &self.shared.base_path
    }

    pub(crate) fn keys(&self) -> &KeyCache {
        &self.shared.keys
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.shared.ledger
    }

    pub(crate) fn compute(&self) -> &Compute {
        &self.shared.compute
    }

    /// The fonts of printed documents.
    pub(crate) fn fonts(&self) -> &Fonts {
        &self.shared.fonts
    }

    /// The routes of its operations.
    pub(crate) fn router(&self) -> &Router {
        &self.shared.router
    }

    /// The host's authenticator of requests without a key, if it has one.
    pub(crate) fn authenticator(&self) -> Option<&dyn AnyAuthenticator> {
        self.shared.authenticator.as_deref()
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// The company's own limit mode, or the service's.
    pub(crate) fn limits(&self, company: &Company) -> LimitMode {
        company.limites.unwrap_or(self.shared.settings.limits)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("base_url", &self.shared.base_url).finish_non_exhaustive()
    }
}
