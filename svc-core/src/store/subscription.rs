//! The place of a host's subscribers in the events of each company, and the events that they failed
//! at.

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{CompanyId, StoreError};
use crate::domain::time::Timestamp;

/// What a store knows of a subscriber.
#[derive(Debug, Clone, Copy)]
pub struct Subscription<'a> {
    /// The name that the host gave it ([`Subscriber::NAME`](crate::subscribers::Subscriber::NAME)).
    pub name: &'a str,
    /// The names of the kinds of its events.
    pub kinds: &'a [&'static str],
    /// Its place in companies where it has none yet: the clave before the first event that it gets.
    pub begins: i64,
}

/// An event as a subscriber reads it.
#[derive(Debug, Clone)]
pub struct FeedEvent {
    /// Clave in `eventos`, ascending in the order of the commits.
    pub clave: i64,
    /// `evt_…` on the wire.
    pub id: Uuid,
    /// The name of its kind.
    pub tipo: String,
    /// The resource of the record that it is about.
    pub recurso: String,
    /// The clave of that record.
    pub recurso_clave: i64,
    /// When it happened, by the company's clock.
    pub creado: Timestamp,
    /// The body of its notices.
    pub cuerpo: Bytes,
}

/// A held event that is due.
#[derive(Debug, Clone)]
pub struct DueEvent {
    /// Clave of the event.
    pub clave: i64,
    /// The resource of its record.
    pub recurso: String,
    /// Clave of that record.
    pub recurso_clave: i64,
    /// Attempts that failed before.
    pub intentos: u32,
    /// The event; `None` if it is gone, because it became too old.
    pub event: Option<FeedEvent>,
}

/// What becomes of an event that a subscriber failed at.
#[derive(Debug, Clone)]
pub struct HeldEvent<'a> {
    /// Clave of the event.
    pub clave: i64,
    /// The resource of its record.
    pub recurso: &'a str,
    /// The clave of that record.
    pub recurso_clave: i64,
    /// Attempts that failed, this one included; 0 while it only waits for an earlier event.
    pub intentos: u32,
    /// When it is tried again; `None` if it waits for an earlier event or is given up.
    pub proximo: Option<DateTime<Utc>>,
    /// Code and text of the error that it failed with; `None` before the first attempt.
    pub error: Option<&'a str>,
    /// When it was given up.
    pub abandonada: Option<DateTime<Utc>>,
}

/// An event that a subscriber failed at too often.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AbandonedEvent {
    /// The name of the subscriber that failed.
    pub subscriber: String,
    /// The event's clave, as `GET /eventos?clave=` takes it.
    pub evento: i64,
    /// The resource of its record.
    pub recurso: String,
    /// The clave of that record.
    pub recurso_clave: i64,
    /// The attempts that were made.
    pub intentos: u32,
    /// When it was given up.
    pub abandonada: DateTime<Utc>,
    /// Why it failed last.
    pub error: String,
}

impl AbandonedEvent {
    /// An event as a store has read it.
    pub fn new(subscriber: String, evento: i64, record: (String, i64), attempts: (u32, DateTime<Utc>, String)) -> Self {
        let ((recurso, recurso_clave), (intentos, abandonada, error)) = (record, attempts);
        Self { subscriber, evento, recurso, recurso_clave, intentos, abandonada, error }
    }
}

/// The subscribers' places in the events of the company. A place is locked before an event is
/// taken, so that a subscriber gets the company's events one after the other.
#[async_trait]
pub trait SubscriptionTx {
    /// Locks the subscriber's place until the end and returns it; `None` if another transaction
    /// holds it. Where the subscriber has none yet, it is where its subscription begins.
    async fn lock_place(&mut self, subscription: Subscription<'_>) -> Result<Option<i64>, StoreError>;

    /// The next event of the subscriber's kinds after `place`.
    async fn next_event(&mut self, subscription: Subscription<'_>, place: i64)
    -> Result<Option<FeedEvent>, StoreError>;

    /// The held event that has been due for longest.
    async fn due_event(&mut self, name: &str, now: DateTime<Utc>) -> Result<Option<DueEvent>, StoreError>;

    /// Whether an earlier event of that record is held, other than given up.
    async fn is_record_held(&mut self, name: &str, event: &FeedEvent) -> Result<bool, StoreError>;

    /// Holds an event, or changes what is held.
    async fn hold_event(&mut self, name: &str, event: &HeldEvent<'_>) -> Result<(), StoreError>;

    /// Ends the holding of an event.
    async fn release_event(&mut self, name: &str, clave: i64) -> Result<(), StoreError>;

    /// Makes the first held event of a record due at `now`, if none of the record is due yet.
    async fn hurry_record(
        &mut self,
        name: &str,
        recurso: &str,
        recurso_clave: i64,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Moves the subscriber's place, which is locked, to `clave`.
    async fn move_place(&mut self, name: &str, clave: i64) -> Result<(), StoreError>;

    /// At most `max` events that were given up after `after`, a subscriber's name and a clave, in
    /// their order.
    async fn abandoned_events(&mut self, after: (&str, i64), max: u32) -> Result<Vec<AbandonedEvent>, StoreError>;

    /// Makes an event due again that was given up; `false` if there is none.
    async fn retry_event(&mut self, name: &str, clave: i64, now: DateTime<Utc>) -> Result<bool, StoreError>;
}

/// A company with an event for a subscriber.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueSubscription {
    /// The company that the event is of.
    pub company: CompanyId,
    /// The index of the subscription among those that were asked for.
    pub at: usize,
    /// The clave of the company's last event.
    pub until: i64,
}

/// Finding the companies that have events for subscribers.
#[async_trait]
pub trait SubscriptionStore: Send + Sync {
    /// Where the subscriber of that name begins: `first`, unless it began before.
    async fn subscription_begins(&self, name: &str, first: i64) -> Result<i64, StoreError>;

    /// Which companies have an event for which of `subscriptions`, new ones or held ones that are
    /// due at `now`. It reads a row of each company, and locks nothing.
    async fn subscriptions_due(
        &self,
        subscriptions: &[Subscription<'_>],
        now: DateTime<Utc>,
    ) -> Result<Vec<DueSubscription>, StoreError>;
}
