//! `PUT /webhooks/{clave}`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{SentUrl, existing, permit};
use crate::domain::scope::Scope;
use crate::domain::webhook::{subscription, subscription_schema};
use crate::error::{Code, Error};
use crate::json::{Patch, Sent, Text};
use crate::operation::{Cx, Http, Operation, Spec};
use crate::record::webhook::Webhook;
use crate::webhooks::validate_url;

/// Edits a webhook, pauses it (`activo` false) or resumes it (`activo` true). A resumed webhook
/// does not receive the events of the meantime, and its count of failures is reset (spec, "Webhook
/// operations").
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditWebhook {
    /// The clave of the webhook.
    pub clave: i64,
    /// Where notices are sent: https, a domain name, no port.
    #[serde(default)]
    pub url: Sent<SentUrl>,
    /// The names of the events that it receives, at least one. Each needs the scope that reads its
    /// resource.
    #[serde(default)]
    #[schemars(schema_with = "subscription_schema")]
    pub eventos: Sent<Vec<String>>,
    /// What it is for.
    #[serde(default)]
    pub descripcion: Patch<Text<255>>,
    /// Whether it receives notices.
    #[serde(default)]
    pub activo: Sent<bool>,
}

impl Operation for EditWebhook {
    const SPEC: Spec = Spec::new().http(Http::put("/webhooks/{clave}", Scope::WebhooksWrite)).errors(&[
        Code::UrlInvalida,
        Code::EventoNoValido,
        Code::SinPermiso,
    ]);
    type Output = Webhook;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Webhook, Error> {
        let clave = self.clave;
        if let Some(url) = self.url.get() {
            validate_url(&url.0, cx.development_destinations)?;
        }
        let eventos = self.eventos.get().map(|names| subscription(names, cx.kinds())).transpose()?;
        permit(cx, eventos.as_deref().unwrap_or_default())?;
        let before = existing(cx, clave).await?;
        let mut after = before.data();
        after.url = self.url.get().map_or(after.url, |url| url.0.clone());
        after.eventos = eventos.unwrap_or(after.eventos);
        after.activo = self.activo.get().copied().unwrap_or(after.activo);
        self.descripcion.clone().map(Text::into_string).apply(&mut after.descripcion);
        if after.url != before.url {
            permit(cx, &after.eventos)?;
        }
        if after == before.data() {
            return Ok(before);
        }
        let reactivated = after.activo && !before.data().activo;
        Ok(cx.tx.update_webhook(clave, &after, reactivated, cx.now).await?)
    }
}
