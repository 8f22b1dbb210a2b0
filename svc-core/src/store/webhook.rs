//! Webhooks, as the API manages them (contract §6).

use async_trait::async_trait;
use uuid::Uuid;

use super::StoreError;
use crate::domain::event::EventKind;
use crate::domain::time::Timestamp;
use crate::domain::webhook::{DeliveryOrigin, DeliveryStatus};
use crate::record::webhook::Webhook;

/// What a company sets of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookData {
    /// The URL that notices are posted to.
    pub url: String,
    /// The types of events it is subscribed to.
    pub eventos: Vec<EventKind>,
    /// What it is for.
    pub descripcion: Option<String>,
    /// Whether it receives notices.
    pub activo: bool,
}

/// A webhook to be stored.
pub struct NewWebhook<'a> {
    /// Its clave, from [`WebhookTx::next_webhook`].
    pub clave: i64,
    /// What its company sets.
    pub data: &'a WebhookData,
    /// The secret that signs its notices, sealed.
    pub secreto: &'a [u8],
    /// The user who creates it.
    pub usuario: i64,
    /// Now.
    pub creado: Timestamp,
}

/// A delivery to be stored.
#[derive(Debug)]
pub struct NewDelivery<'a> {
    /// The webhook.
    pub webhook: i64,
    /// The event.
    pub evento: Uuid,
    /// The event's type.
    pub tipo: &'a str,
    /// Why it is made.
    pub origen: DeliveryOrigin,
    /// Now; it is due at once.
    pub creado: Timestamp,
}

/// What re-sending an event needs of an earlier delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierDelivery {
    /// The event.
    pub evento: Uuid,
    /// Its type.
    pub tipo: String,
    /// The delivery's status.
    pub estado: DeliveryStatus,
}

/// Webhooks inside a transaction. Deleted webhooks do not exist for it.
#[async_trait]
pub trait WebhookTx {
    /// Allocates the clave of a new webhook; `None` when the company has `max` already. It holds a
    /// lock until the end, so that concurrent transactions cannot exceed `max`.
    async fn next_webhook(&mut self, max: u32) -> Result<Option<i64>, StoreError>;

    /// Inserts a webhook; returns it as stored.
    async fn insert_webhook(&mut self, row: &NewWebhook<'_>) -> Result<Webhook, StoreError>;

    /// A webhook, locked until the end.
    async fn webhook(&mut self, clave: i64) -> Result<Option<Webhook>, StoreError>;

    /// Updates what a company sets of a webhook; returns it as stored. One that is `reactivated`
    /// receives events from `now` on, and its count of consecutive failures is reset.
    async fn update_webhook(
        &mut self,
        clave: i64,
        data: &WebhookData,
        reactivated: bool,
        now: Timestamp,
    ) -> Result<Webhook, StoreError>;

    /// Replaces a webhook's secret by `sealed`. The current one becomes the previous one, which
    /// also signs until `previous_until`; an older previous one is discarded. `false` when there is
    /// no such webhook.
    async fn rotate_webhook_secret(
        &mut self,
        clave: i64,
        sealed: &[u8],
        previous_until: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Deletes a webhook: its secrets are erased and its pending deliveries discarded. `false` when
    /// there is no such webhook.
    async fn delete_webhook(&mut self, clave: i64, now: Timestamp) -> Result<bool, StoreError>;

    /// The delivery `entrega` of that webhook.
    async fn delivery(&mut self, webhook: i64, entrega: i64) -> Result<Option<EarlierDelivery>, StoreError>;

    /// Inserts a delivery that is due at once; gives its clave, or nothing if its event is gone.
    async fn insert_delivery(&mut self, row: &NewDelivery<'_>) -> Result<Option<i64>, StoreError>;
}
