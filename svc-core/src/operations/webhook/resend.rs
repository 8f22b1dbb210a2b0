//! `POST /webhooks/{clave}/entregas/{entrega}/reenviar`.

use http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{DeliveryQueued, existing, permit, queue};
use crate::domain::scope::Scope;
use crate::domain::webhook::{DeliveryOrigin, DeliveryStatus};
use crate::error::{Code, Error};
use crate::operation::{Cx, Http, Operation, Spec};

/// Sends an event to a webhook again, as a new delivery of the same event.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResendDelivery {
    /// The clave of the webhook.
    pub clave: i64,
    /// The clave of the former delivery.
    pub entrega: i64,
}

impl Operation for ResendDelivery {
    const SPEC: Spec = Spec::new()
        .http(
            Http::post("/webhooks/{clave}/entregas/{entrega}/reenviar", Scope::WebhooksWrite)
                .status(StatusCode::ACCEPTED)
                .no_body()
                .sends(),
        )
        .errors(&[Code::SinPermiso, Code::WebhookInactivo, Code::EntregaPendiente]);
    type Output = DeliveryQueued;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<DeliveryQueued, Error> {
        let (webhook, entrega) = (self.clave, self.entrega);
        let target = existing(cx, webhook).await?;
        let earlier = cx.tx.delivery(webhook, entrega).await?.ok_or(Code::NoEncontrado)?;
        permit(cx, &target.eventos)?;
        // It may have been subscribed to more when the event was sent.
        permit(cx, std::slice::from_ref(&earlier.tipo))?;
        target.validate_active()?;
        if earlier.estado == DeliveryStatus::Pendiente {
            return Err(Code::EntregaPendiente.into());
        }
        queue(cx, webhook, earlier.evento, &earlier.tipo, DeliveryOrigin::Reenvio).await
    }
}
