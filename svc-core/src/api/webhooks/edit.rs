use schemars::JsonSchema;
use serde::Deserialize;

use super::{SentUrl, Webhook, existing, permit};
use crate::domain::scope::Scope;
use crate::domain::webhook::subscription;
use crate::error::{Code, Error};
use crate::json::{Patch, Text, present};
use crate::operation::{Cx, Method, Operation, Spec};
use crate::webhooks::judge_url;

/// Edits a webhook in part, pauses it (`activo` false) and has it told again what happens (`activo` true). One that becomes
/// active begins anew: what happened meanwhile is not told, and its streak of failures is forgotten.
pub struct EditWebhook;

/// The body of [`EditWebhook`] (spec, "Webhook operations"): that of the creation, all optional, and `activo`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WebhookEdit {
    /// Where notices go: https, a domain name, no port.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "SentUrl")]
    pub url: Option<SentUrl>,
    /// What is told: names of events, one or more; each needs the scope that reads its resource.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    pub eventos: Option<Vec<String>>,
    /// What it is for.
    pub descripcion: Patch<Text<255>>,
    /// Whether it is told anything.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "bool")]
    pub activo: Option<bool>,
}

impl Operation for EditWebhook {
    const SPEC: Spec = Spec::write(Method::Put, "/webhooks/{clave}", Scope::WebhooksWrite)
        .summary("Edit, pause or reactivate a webhook")
        .errors(&[Code::UrlInvalida, Code::EventoNoValido, Code::SinPermiso]);
    type Path = i64;
    type Input = WebhookEdit;
    type Output = Webhook;

    async fn run(cx: &mut Cx<'_>, clave: i64, edit: WebhookEdit) -> Result<Webhook, Error> {
        if let Some(url) = &edit.url {
            judge_url(&url.0, cx.development_destinations)?;
        }
        let eventos = edit.eventos.as_deref().map(subscription).transpose()?;
        permit(cx.actor, eventos.as_deref().unwrap_or_default())?;
        let before = existing(cx, clave).await?;
        let mut after = before.data();
        after.url = edit.url.map_or(after.url, |url| url.0);
        after.eventos = eventos.unwrap_or(after.eventos);
        after.activo = edit.activo.unwrap_or(after.activo);
        edit.descripcion.map(Text::into_string).apply(&mut after.descripcion);
        if after == before.data() {
            return Ok(before);
        }
        Ok(cx.tx.update_webhook(clave, &after, cx.now).await?)
    }
}
