//! Webhooks: `/webhooks`.

mod create;
mod delete;
mod edit;
mod recover;
mod resend;
mod rotate;
mod trial;

use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use uuid::Uuid;

pub use create::{CreateWebhook, WebhookCreated};
pub use delete::{DeleteWebhook, WebhookDeleted};
pub use edit::EditWebhook;
pub use recover::{EventsResent, ResendEvents};
pub use resend::ResendDelivery;
pub use rotate::{RotateSecret, SecretRotated};
pub use trial::TryWebhook;

use crate::domain::event::{EventId, KnownKind, not_permitted};
use crate::domain::webhook::DeliveryOrigin;
use crate::error::{Code, Error};
use crate::operation::{Actor, Cx};
use crate::record::webhook::Webhook;
use crate::schema::field_schema;
use crate::store::{NewDelivery, WebhookData};

impl Webhook {
    /// The fields that its company sets.
    fn data(&self) -> WebhookData {
        let Self { url, eventos, descripcion, activo, .. } = self.clone();
        WebhookData { url, eventos, descripcion, activo }
    }

    /// Refuses deliveries to a webhook that is paused or disabled.
    fn validate_active(&self) -> Result<(), Error> {
        if self.activo { Ok(()) } else { Err(Code::WebhookInactivo.into()) }
    }
}

/// The answer of operations that queue a delivery.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct DeliveryQueued {
    /// The delivery's clave.
    pub entrega: i64,
    /// The event that it delivers.
    pub evento: EventId,
}

/// A webhook's URL as received. Every fault, even of length, is `url_invalida`; only its absence is
/// not.
#[derive(Debug, Clone)]
pub struct SentUrl(String);

field_schema!(SentUrl, "Url", { "type": "string", "format": "uri", "pattern": "^https://", "maxLength": 500 });

/// An empty URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an empty URL")]
pub struct EmptyUrl;

/// Trims it; nothing else is validated before the operation runs.
impl FromStr for SentUrl {
    type Err = EmptyUrl;

    fn from_str(text: &str) -> Result<Self, EmptyUrl> {
        match text.trim() {
            "" => Err(EmptyUrl),
            text => Ok(Self(text.to_owned())),
        }
    }
}

impl<'de> Deserialize<'de> for SentUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct UrlVisitor;
        impl Visitor<'_> for UrlVisitor {
            type Value = SentUrl;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("una URL")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<SentUrl, E> {
                text.parse().map_err(|_| E::invalid_length(0, &self))
            }
        }
        deserializer.deserialize_str(UrlVisitor)
    }
}

/// Refuses events whose resource the key may not read. A write that changes where a webhook's
/// notices go, or who can verify them, asks for all that it is subscribed to (contract §4). Of a
/// kind that this server does not know, the scope is not known either.
fn permit(cx: &Cx<'_>, eventos: &[String]) -> Result<(), Error> {
    if let Actor::BackOffice = cx.actor {
        return Ok(());
    }
    for word in eventos {
        let Some(kind) = cx.kinds().of(word) else {
            let text = format!("este servidor no conoce {}; quítelo de la suscripción", crate::json::brief(word));
            return Err(Error::field(Code::SinPermiso, "eventos", text));
        };
        if let Some(scope) = KnownKind::scope(kind).filter(|scope| !cx.actor.may_word(scope)) {
            return Err(not_permitted(word, "eventos", scope));
        }
    }
    Ok(())
}

/// Locks a webhook; `no_encontrado` if there is none.
async fn existing(cx: &mut Cx<'_>, clave: i64) -> Result<Webhook, Error> {
    Ok(cx.tx.webhook(clave).await?.ok_or(Code::NoEncontrado)?)
}

/// Queues the delivery of an event to a webhook.
async fn queue(
    cx: &mut Cx<'_>,
    webhook: i64,
    evento: Uuid,
    tipo: &str,
    origen: DeliveryOrigin,
) -> Result<DeliveryQueued, Error> {
    let row = NewDelivery { webhook, evento, tipo, origen, creado: cx.now };
    let entrega = cx.tx.insert_delivery(&row).await?.ok_or(Code::NoEncontrado)?;
    Ok(DeliveryQueued { entrega, evento: EventId(evento) })
}
