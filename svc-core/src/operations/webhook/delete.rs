//! `DELETE /webhooks/{clave}`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::scope::Scope;
use crate::error::{Code, Error};
use crate::operation::{Cx, Http, Operation, Spec};

/// Deletes a webhook for good. It receives no more notices, pending deliveries are discarded, and
/// its secrets are erased.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteWebhook {
    /// The clave of the webhook.
    pub clave: i64,
}

/// The answer of [`DeleteWebhook`].
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct WebhookDeleted {
    /// The webhook's clave.
    pub webhook: i64,
}

impl Operation for DeleteWebhook {
    const SPEC: Spec = Spec::new().http(Http::delete("/webhooks/{clave}", Scope::WebhooksWrite));
    type Output = WebhookDeleted;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<WebhookDeleted, Error> {
        let webhook = self.clave;
        let deleted = cx.tx.delete_webhook(webhook, cx.now).await?;
        if deleted { Ok(WebhookDeleted { webhook }) } else { Err(Code::NoEncontrado.into()) }
    }
}
