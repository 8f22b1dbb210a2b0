//! What a write request stores beside its records: the claim of its Idempotency-Key, its answer
//! (contract §4) and its events, and the removal of what such requests left too long ago.

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::{Aged, StoreError};
use crate::domain::time::Timestamp;

/// How long the answer to a write is kept under its Idempotency-Key (contract §4).
pub(crate) const ANSWERS_KEPT: TimeDelta = TimeDelta::days(7);

/// The outcome of claiming an Idempotency-Key.
#[derive(Debug)]
pub enum Claim {
    /// The key was free; this transaction holds it now.
    New,
    /// A request with this key was answered before.
    Done {
        /// The fingerprint of that request (SHA-256).
        fingerprint: [u8; 32],
        /// Its stored answer, byte for byte.
        body: Bytes,
    },
}

/// An event to be stored.
#[derive(Debug)]
pub struct NewEvent {
    /// Its id, `evt_…` on the wire.
    pub id: Uuid,
    /// Its type.
    pub tipo: &'static str,
    /// The resource it is about.
    pub recurso: &'static str,
    /// The record's clave.
    pub clave: i64,
    /// The body of its notices.
    pub cuerpo: Vec<u8>,
    /// When it happened.
    pub creado: Timestamp,
    /// Whether its deliveries are created by the caller, so that [`super::WebhookTx::fan_out`]
    /// must skip it.
    pub repartido: bool,
}

/// Idempotency-Keys, events and retention. A store may keep events back and write them together: at
/// the latest with [`super::WebhookTx::insert_delivery`], [`RequestTx::remember`] or the commit.
#[async_trait]
pub trait RequestTx {
    /// Claims the Idempotency-Key `name` of the API key `suffix`. It waits while another
    /// transaction holds the claim; past the store's lock timeout the error is
    /// [`StoreError::Busy`]. A claim older than `kept` counts as free. Its age is judged by the
    /// store's clock, so that a server whose clock is wrong forgets no answer.
    async fn claim(
        &mut self,
        suffix: &str,
        name: &str,
        fingerprint: &[u8; 32],
        kept: TimeDelta,
    ) -> Result<Claim, StoreError>;

    /// Stores the answer to the request whose key this transaction claimed.
    async fn remember(&mut self, suffix: &str, name: &str, body: &[u8]) -> Result<(), StoreError>;

    /// Appends events, to be fanned out to the webhooks that are active and subscribed to them now.
    async fn append_events(&mut self, events: Vec<NewEvent>) -> Result<(), StoreError>;

    /// Adds events to the pending groups, one group for each resource, which
    /// [`super::WebhookTx::gather_groups`] converts into one event: due
    /// [`QUIET`](crate::webhooks::QUIET) after the last event of the group, and
    /// [`LONGEST_WAIT`](crate::webhooks::LONGEST_WAIT) after the first at the latest. It is for the
    /// webhooks that were active and subscribed at one of them.
    async fn group_events(&mut self, events: Vec<NewEvent>) -> Result<(), StoreError>;

    /// Deletes at most `max` such rows older than `expired`, the oldest first; returns how many.
    /// Fewer than `max` means that there are no more. Rows that a transaction under way needs may
    /// be left for the next time.
    async fn delete_aged(&mut self, aged: Aged, expired: DateTime<Utc>, max: u32) -> Result<u64, StoreError>;
}
