//! `POST /webhooks/{clave}/recuperar`.

use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{existing, permit};
use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::domain::webhook::DeliveryOrigin;
use crate::error::{Code, Error};
use crate::operation::{Cx, Http, Operation, Spec};
use crate::record::event::oldest;
use crate::store::NewDeliveries;

/// The most events that one request sends again (contract §10).
const MAX_EVENTS: u32 = 10_000;

/// Sends a webhook all kept events again since a time, as new deliveries of the same events: those
/// that it is subscribed to today, whether it was then or not.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResendEvents {
    /// The clave of the webhook.
    pub clave: i64,
    /// From when; events are kept for 30 days.
    pub desde: Timestamp,
}

/// The answer of [`ResendEvents`].
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct EventsResent {
    /// The webhook's clave.
    pub webhook: i64,
    /// How many deliveries were made.
    pub entregas: u64,
}

impl Operation for ResendEvents {
    const SPEC: Spec = Spec::new()
        .http(Http::post("/webhooks/{clave}/recuperar", Scope::WebhooksWrite).status(StatusCode::ACCEPTED).sends())
        .errors(&[Code::SinPermiso, Code::WebhookInactivo, Code::DemasiadosEventos]);
    type Output = EventsResent;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<EventsResent, Error> {
        let webhook = self.clave;
        let target = existing(cx, webhook).await?;
        permit(cx, &target.eventos)?;
        target.validate_active()?;
        let deliveries = NewDeliveries {
            webhook,
            tipos: &target.eventos,
            since: oldest(cx.service_now(), Some(self.desde.get())),
            origen: DeliveryOrigin::Reenvio,
            creado: cx.now,
            max: MAX_EVENTS,
        };
        let entregas = cx.tx.insert_deliveries(&deliveries).await?.ok_or(Code::DemasiadosEventos)?;
        Ok(EventsResent { webhook, entregas })
    }
}
