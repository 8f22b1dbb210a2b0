use http::StatusCode;

use super::{DeliveryQueued, existing, queue};
use crate::domain::scope::Scope;
use crate::domain::webhook::{DeliveryOrigin, DeliveryStatus};
use crate::error::{Code, Error};
use crate::operation::{Cx, Method, NoBody, Operation, Spec};

/// Sends an event again to a webhook that it was sent to before: a new delivery of the same event.
pub struct Resend;

impl Operation for Resend {
    const SPEC: Spec = Spec::write(Method::Post, "/webhooks/{clave}/entregas/{entrega}/reenviar", Scope::WebhooksWrite)
        .summary("Re-send a delivery")
        .status(StatusCode::ACCEPTED)
        .no_body()
        .errors(&[Code::WebhookInactivo, Code::EntregaPendiente]);
    type Path = (i64, i64);
    type Input = NoBody;
    type Output = DeliveryQueued;

    async fn run(cx: &mut Cx<'_>, (webhook, entrega): (i64, i64), _: NoBody) -> Result<DeliveryQueued, Error> {
        let target = existing(cx, webhook).await?;
        let earlier = cx.tx.delivery(webhook, entrega).await?.ok_or(Code::NoEncontrado)?;
        target.judge_active()?;
        if earlier.estado == DeliveryStatus::Pendiente {
            return Err(Code::EntregaPendiente.into());
        }
        queue(cx, webhook, earlier.evento, &earlier.tipo, DeliveryOrigin::Reenvio).await
    }
}
