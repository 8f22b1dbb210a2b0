//! `POST /webhooks/{clave}/probar`.

use http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{DeliveryQueued, existing, permit, queue};
use crate::domain::event::{Event, EventKind};
use crate::domain::scope::Scope;
use crate::domain::webhook::DeliveryOrigin;
use crate::error::{Code, Error};
use crate::operation::{Cx, Http, Operation, Spec};

/// Tests a webhook with the event `webhook.prueba`, which only it receives, in one attempt.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TryWebhook {
    /// The clave of the webhook.
    pub clave: i64,
}

impl Operation for TryWebhook {
    const SPEC: Spec = Spec::new()
        .http(
            Http::post("/webhooks/{clave}/probar", Scope::WebhooksWrite).status(StatusCode::ACCEPTED).no_body().sends(),
        )
        .each_time()
        .emits(&[EventKind::WebhookPrueba])
        .errors(&[Code::SinPermiso, Code::WebhookInactivo]);
    type Output = DeliveryQueued;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<DeliveryQueued, Error> {
        let webhook = self.clave;
        let target = existing(cx, webhook).await?;
        permit(cx, &target.eventos)?;
        target.validate_active()?;
        let event = Event::WebhookPrueba { webhook };
        let evento = cx.emit_privately(&event).await?;
        queue(cx, webhook, evento, event.kind().word(), DeliveryOrigin::Prueba).await
    }
}
