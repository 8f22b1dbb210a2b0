//! What a host does after an event, in a transaction of its own.

use std::any::type_name;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tracing::Instrument as _;

use super::Cx;
use crate::domain::event::EventId;
use crate::domain::time::Timestamp;
use crate::error::Error;
use crate::store::FeedEvent;

/// The time limit of a subscriber's work on one event.
const LONGEST: Duration = Duration::from_secs(5);

/// Where a subscriber begins in the events of a database that it has not read yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SubscriberStart {
    /// At the moment when it first runs, by the service's clock: it gets what happens from then on.
    /// A test company whose clock is ahead counts by its own, so that what happened there in the
    /// days between comes too.
    #[default]
    Now,
    /// At the oldest event that is kept: those of the last 30 days.
    Kept,
}

/// A part of a host that gets the events of every company, one after the other, in a transaction of
/// the company. [`ContextBuilder::subscriber`](crate::ContextBuilder::subscriber) adds it, and
/// [`Context::work`](crate::Context::work) or
/// [`run_subscribers`](crate::subscribers::run_subscribers) runs it.
///
/// It gets each event at least once. Its place among the company's events moves on in the same
/// commit as what it writes with `cx`, so that its effects in the database happen exactly once;
/// what it does elsewhere may happen again. The events of one record come in their order. Those of
/// other records do not wait for one that fails: it is tried again, after ten seconds and then less
/// and less often, and given up after eight attempts in about a day. Events of the same record wait
/// meanwhile, and go on once it is given up
/// ([`abandoned_events`](crate::subscribers::abandoned_events)).
///
/// A subscriber that runs again after less than 30 days misses nothing; events are kept that long.
pub trait Subscriber: Send + Sync + 'static {
    /// Its name in the database: lower-case letters, digits, `_`, `-` and `.`, at most 60. Under
    /// another name it is another subscriber, and begins anew.
    const NAME: &'static str;

    /// The names of the kinds of its events, at least one: of Svc
    /// ([`EventKind::word`](crate::domain::event::EventKind::word)) or of a host
    /// ([`OwnEventKind::word`](crate::domain::event::OwnEventKind::word)).
    const KINDS: &'static [&'static str];

    /// Where it begins in a database that has no place of it yet.
    const START: SubscriberStart = SubscriberStart::Now;

    /// Handles `event`, as the back office. It may run again, after a collision of transactions
    /// too. It fails after 5 s.
    fn on(&self, cx: &mut Cx<'_>, event: &ReceivedEvent) -> impl Future<Output = Result<(), Error>> + Send;
}

/// An event as a subscriber gets it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReceivedEvent {
    /// Its id, the same in all attempts.
    pub id: EventId,
    /// Its clave in the company, which rises in the order of the commits.
    pub clave: i64,
    /// The name of its kind.
    pub tipo: String,
    /// When it happened, by the company's clock.
    pub creado: Timestamp,
    /// The resource of the record that it is about: its path without the first slash.
    pub recurso: String,
    /// The clave of that record.
    pub recurso_clave: i64,
    /// `datos` of its notice.
    pub datos: Value,
    /// Earlier attempts that failed.
    pub intentos: u32,
}

impl ReceivedEvent {
    pub(crate) fn of(event: &FeedEvent, intentos: u32) -> Result<Self, Error> {
        let mut body: Value = serde_json::from_slice(&event.cuerpo).map_err(Error::internal)?;
        Ok(Self {
            id: EventId(event.id),
            clave: event.clave,
            tipo: event.tipo.clone(),
            creado: event.creado,
            recurso: event.recurso.clone(),
            recurso_clave: event.recurso_clave,
            datos: body["datos"].take(),
            intentos,
        })
    }

    /// `datos` as a type, such as a host's event that also implements `Deserialize`.
    pub fn datos<T: DeserializeOwned>(&self) -> Result<T, Error> {
        T::deserialize(&self.datos).map_err(Error::internal)
    }
}

/// A subscriber whose type is not known where it is called.
#[async_trait]
trait AnySubscriber: Send + Sync {
    async fn on(&self, cx: &mut Cx<'_>, event: &ReceivedEvent) -> Result<(), Error>;
}

#[async_trait]
impl<S: Subscriber> AnySubscriber for S {
    async fn on(&self, cx: &mut Cx<'_>, event: &ReceivedEvent) -> Result<(), Error> {
        // A panic may come before there is a future.
        let work = async { Subscriber::on(self, cx, event).await };
        let work = work.instrument(tracing::info_span!("subscriber", subscriber = S::NAME, tipo = event.tipo));
        let late = || Error::internal(format!("the subscriber {} took longer than {LONGEST:?}", S::NAME));
        let panicked = || Error::internal(format!("the subscriber {} panicked", S::NAME));
        match tokio::time::timeout(LONGEST, AssertUnwindSafe(work).catch_unwind()).await {
            Err(_) => Err(late()),
            Ok(outcome) => outcome.unwrap_or_else(|_| Err(panicked())),
        }
    }
}

/// A host's subscriber in a registry.
#[derive(Clone)]
pub(crate) struct RegisteredSubscriber {
    pub(crate) name: &'static str,
    pub(crate) kinds: &'static [&'static str],
    pub(crate) start: SubscriberStart,
    pub(crate) type_name: &'static str,
    run: Arc<dyn AnySubscriber>,
}

impl RegisteredSubscriber {
    pub(crate) fn new<S: Subscriber>(subscriber: S) -> Self {
        let (name, kinds, start) = (S::NAME, S::KINDS, S::START);
        Self { name, kinds, start, type_name: type_name::<S>(), run: Arc::new(subscriber) }
    }

    /// Whether its name can be stored.
    pub(crate) fn has_valid_name(&self) -> bool {
        let is_good = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.');
        (1..=60).contains(&self.name.len()) && self.name.bytes().all(is_good)
    }

    pub(crate) async fn on(&self, cx: &mut Cx<'_>, event: &ReceivedEvent) -> Result<(), Error> {
        self.run.on(cx, event).await
    }
}

impl fmt::Debug for RegisteredSubscriber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredSubscriber").field("name", &self.name).finish_non_exhaustive()
    }
}
