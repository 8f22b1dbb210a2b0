//! What a write request stores beside its records: the claim of its Idempotency-Key with the answer
//! (contract §4) and its events (contract §6); and the removal of what such requests left long ago.

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::{Aged, StoreError};
use crate::domain::time::Timestamp;

/// How long the answer to a write is kept under its Idempotency-Key (contract §4).
pub(crate) const ANSWER_RETENTION: TimeDelta = TimeDelta::days(7);

/// An Idempotency-Key. Two API keys of a company may send the same text.
#[derive(Debug, Clone, Copy)]
pub struct ClaimKey<'a> {
    /// Suffix of the API key that sent it.
    pub suffix: &'a str,
    /// Its text: 1 to 255 visible ASCII characters.
    pub name: &'a str,
    /// How long its answer is kept, by the store's clock: a server whose clock is wrong forgets no
    /// answer.
    pub kept: TimeDelta,
}

/// What is stored under an Idempotency-Key.
#[derive(Debug)]
pub struct StoredAnswer {
    /// SHA-256 fingerprint of the request.
    pub fingerprint: [u8; 32],
    /// The answer, byte for byte.
    pub body: Bytes,
}

/// An event to be stored.
#[derive(Debug)]
pub struct NewEvent {
    /// `evt_…` on the wire.
    pub id: Uuid,
    /// Type of the event.
    pub tipo: &'static str,
    /// The scope that reads it, of a host's event: where its kind is not known, it is shown to keys
    /// with that scope only.
    pub permiso: Option<&'static str>,
    /// Name of the resource that it is about.
    pub recurso: &'static str,
    /// Clave of the record that it is about.
    pub clave: i64,
    /// The body of its notices.
    pub cuerpo: Vec<u8>,
    /// When it happened, by the company's clock.
    pub creado: Timestamp,
    /// Whether the caller creates its deliveries, so that [`super::WebhookTx::fan_out`] must skip
    /// it.
    pub repartido: bool,
}

/// Idempotency-Keys, events and retention. A store may keep events back and write them together: at
/// the latest with [`super::WebhookTx::insert_delivery`], [`RequestTx::remember`] or the commit.
#[async_trait]
pub trait RequestTx {
    /// Claims a key until the end of the transaction, and returns the answer that is kept under it.
    /// It waits while another transaction holds the claim; past the store's lock timeout the error
    /// is [`StoreError::Busy`].
    async fn claim(&mut self, key: ClaimKey<'_>) -> Result<Option<StoredAnswer>, StoreError>;

    /// Stores the answer to the request whose key this transaction claimed, where none is kept.
    async fn remember(&mut self, key: ClaimKey<'_>, answer: StoredAnswer) -> Result<(), StoreError>;

    /// Appends events for the webhooks that are active and subscribed to them now. Each gets the
    /// company's next clave, and none a clave below [`min_clave`](crate::domain::event::min_clave)
    /// of its time: a reader that sees an event sees all with lower claves.
    async fn append_events(&mut self, events: Vec<NewEvent>) -> Result<(), StoreError>;

    /// Adds events to groups, one for each resource, which [`super::WebhookTx::gather_groups`]
    /// turns into one event: [`QUIET`](crate::webhooks::QUIET) after the group's last event, and at
    /// most [`LONGEST_WAIT`](crate::webhooks::LONGEST_WAIT) after its first. It is for the webhooks
    /// that were active and subscribed at any of them.
    async fn group_events(&mut self, events: Vec<NewEvent>) -> Result<(), StoreError>;

    /// Deletes at most `max` rows older than `expired`, the oldest first; returns how many. Fewer
    /// than `max` means that there are no more. Rows that a running transaction needs may be left
    /// for the next time.
    async fn delete_aged(&mut self, aged: Aged, expired: DateTime<Utc>, max: u32) -> Result<u64, StoreError>;
}
