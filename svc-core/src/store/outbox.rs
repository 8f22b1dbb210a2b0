//! The outbox: events written in the transaction of what they tell, delivered later.

use async_trait::async_trait;
use uuid::Uuid;

use super::StoreError;
use crate::domain::time::Timestamp;

/// An event to be stored.
#[derive(Debug)]
pub struct NewEvent {
    /// Its id, shown as `evt_…`.
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
    /// Whether its deliveries are made with it, and no others are to be.
    pub repartido: bool,
}

/// Events inside a transaction.
#[async_trait]
pub trait OutboxTx {
    /// Writes events.
    async fn append_events(&mut self, events: &[NewEvent]) -> Result<(), StoreError>;

    /// Writes events of which one a resource is made with those that follow: [`QUIET`](crate::webhooks::QUIET) after the last of
    /// them, and [`LONGEST_WAIT`](crate::webhooks::LONGEST_WAIT) after the first at the latest.
    async fn group_events(&mut self, events: &[NewEvent]) -> Result<(), StoreError>;
}
