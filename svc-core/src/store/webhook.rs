//! Webhooks, as their company manages them.

use async_trait::async_trait;
use uuid::Uuid;

use super::StoreError;
use crate::domain::event::EventKind;
use crate::domain::time::Timestamp;
use crate::domain::webhook::{DeliveryOrigin, DeliveryStatus};
use crate::record::webhooks::Webhook;

/// What a company says of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookData {
    /// Where notices go.
    pub url: String,
    /// What is told.
    pub eventos: Vec<EventKind>,
    /// What it is for.
    pub descripcion: Option<String>,
    /// Whether it is told anything.
    pub activo: bool,
}

/// A webhook to be made.
pub struct NewWebhook<'a> {
    /// Its clave, of [`WebhookTx::next_webhook`].
    pub clave: i64,
    /// What its company says of it.
    pub data: &'a WebhookData,
    /// What signs its notices, sealed.
    pub secreto: &'a [u8],
    /// Who makes it.
    pub usuario: i64,
    /// Now.
    pub creado: Timestamp,
}

/// A delivery to be made.
#[derive(Debug)]
pub struct NewDelivery<'a> {
    /// To which webhook.
    pub webhook: i64,
    /// Of which event.
    pub evento: Uuid,
    /// The event's type.
    pub tipo: &'a str,
    /// What for.
    pub origen: DeliveryOrigin,
    /// Now, which is also when it is due.
    pub creado: Timestamp,
}

/// A delivery, as far as sending its event again depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierDelivery {
    /// The event.
    pub evento: Uuid,
    /// Its type.
    pub tipo: String,
    /// What has become of the delivery.
    pub estado: DeliveryStatus,
}

/// Webhooks inside a transaction. One that was deleted is not there.
#[async_trait]
pub trait WebhookTx {
    /// The clave of a webhook that is about to be made; `None` when the company has `most` already. No other transaction
    /// gets one before this one ends.
    async fn next_webhook(&mut self, most: u32) -> Result<Option<i64>, StoreError>;

    /// Writes a new webhook; gives it as it is then.
    async fn insert_webhook(&mut self, row: &NewWebhook<'_>) -> Result<Webhook, StoreError>;

    /// A webhook, locked against other changes until the end.
    async fn webhook(&mut self, clave: i64) -> Result<Option<Webhook>, StoreError>;

    /// Writes what a company says of a webhook, and gives it as it is then. One that is `reactivated` gets the events from
    /// `now` on, and its streak of failures is forgotten.
    async fn update_webhook(
        &mut self,
        clave: i64,
        data: &WebhookData,
        reactivated: bool,
        now: Timestamp,
    ) -> Result<Webhook, StoreError>;

    /// Puts `sealed` in the place of a webhook's secret. The one that was there signs too until `previous_until`, and the
    /// one before it no longer. `false` when there is no such webhook.
    async fn rotate_webhook_secret(
        &mut self,
        clave: i64,
        sealed: &[u8],
        previous_until: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Deletes a webhook: its secrets are wiped and its pending deliveries discarded. `false` when there is no such webhook.
    async fn delete_webhook(&mut self, clave: i64, now: Timestamp) -> Result<bool, StoreError>;

    /// A delivery to that webhook.
    async fn delivery(&mut self, webhook: i64, entrega: i64) -> Result<Option<EarlierDelivery>, StoreError>;

    /// Writes a delivery that is due at once; gives its clave.
    async fn insert_delivery(&mut self, row: &NewDelivery<'_>) -> Result<i64, StoreError>;
}
