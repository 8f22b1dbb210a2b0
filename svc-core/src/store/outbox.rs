//! The outbox: events are written in the transaction of the change that they announce, and
//! delivered later (contract §6).

use async_trait::async_trait;
use uuid::Uuid;

use super::StoreError;
use crate::domain::time::Timestamp;

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
    /// Whether its deliveries are created by the caller, so that [`super::DeliveryTx::fan_out`]
    /// must skip it.
    pub repartido: bool,
}

/// Events inside a transaction. A store may write them later in it, together: at the latest with
/// [`super::WebhookTx::insert_delivery`], [`super::IdempotencyTx::remember`] or the commit.
#[async_trait]
pub trait OutboxTx {
    /// Appends events, to be fanned out to the webhooks that are active and subscribed to them now.
    async fn append_events(&mut self, events: Vec<NewEvent>) -> Result<(), StoreError>;

    /// Adds events to the pending groups, one group for each resource, which
    /// [`super::DeliveryTx::gather_groups`] converts into one event: due
    /// [`QUIET`](crate::webhooks::QUIET) after the last event of the group, and
    /// [`LONGEST_WAIT`](crate::webhooks::LONGEST_WAIT) after the first at the latest. It is for the
    /// webhooks that were active and subscribed at one of them.
    async fn group_events(&mut self, events: Vec<NewEvent>) -> Result<(), StoreError>;
}
