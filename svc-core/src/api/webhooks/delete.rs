use serde::Serialize;

use crate::domain::scope::Scope;
use crate::error::{Code, Error};
use crate::operation::{Cx, Method, NoBody, Operation, Spec};

/// Deletes a webhook for good: nothing more is told to it, what was on its way is discarded, its secrets are wiped.
pub struct DeleteWebhook;

/// The answer of [`DeleteWebhook`].
#[derive(Debug, Clone, Serialize)]
pub struct WebhookDeleted {
    /// The webhook's clave.
    pub webhook: i64,
}

impl Operation for DeleteWebhook {
    const SPEC: Spec =
        Spec::write(Method::Delete, "/webhooks/{clave}", Scope::WebhooksWrite).summary("Delete a webhook").no_body();
    type Path = i64;
    type Input = NoBody;
    type Output = WebhookDeleted;

    async fn run(cx: &mut Cx<'_>, webhook: i64, _: NoBody) -> Result<WebhookDeleted, Error> {
        let deleted = cx.tx.delete_webhook(webhook, cx.now).await?;
        if deleted { Ok(WebhookDeleted { webhook }) } else { Err(Code::NoEncontrado.into()) }
    }
}
