use http::StatusCode;

use super::{DeliveryQueued, existing, queue};
use crate::domain::event::Event;
use crate::domain::scope::Scope;
use crate::domain::webhook::DeliveryOrigin;
use crate::error::{Code, Error};
use crate::operation::{Cx, Method, NoBody, Operation, Spec};

/// Tries a webhook out: a real event `webhook.prueba`, told to it alone, in one attempt.
pub struct TryWebhook;

impl Operation for TryWebhook {
    const SPEC: Spec = Spec::write(Method::Post, "/webhooks/{clave}/probar", Scope::WebhooksWrite)
        .summary("Send a test event to a webhook")
        .status(StatusCode::ACCEPTED)
        .no_body()
        .errors(&[Code::WebhookInactivo]);
    type Path = i64;
    type Input = NoBody;
    type Output = DeliveryQueued;

    async fn run(cx: &mut Cx<'_>, webhook: i64, _: NoBody) -> Result<DeliveryQueued, Error> {
        existing(cx, webhook).await?.judge_active()?;
        let event = Event::WebhookPrueba { webhook };
        let evento = cx.emit_privately(&event).await?;
        queue(cx, webhook, evento, event.tipo(), DeliveryOrigin::Prueba).await
    }
}
