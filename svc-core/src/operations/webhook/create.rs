//! `POST /webhooks`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SentUrl, permit};
use crate::domain::scope::Scope;
use crate::domain::webhook::{subscription, subscription_schema};
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::{Actor, Cx, Http, Operation, Spec};
use crate::operations::user;
use crate::record::webhook::Webhook;
use crate::store::{self, WebhookData};
use crate::webhooks::{MAX_WEBHOOKS, SECRET, SigningSecret, validate_url};

/// Creates a webhook. It is active at once and receives events from now on (spec, "Webhook
/// operations").
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateWebhook {
    /// Where notices are sent: https, a domain name, no port.
    pub url: SentUrl,
    /// The names of the events that it receives, at least one. Each needs the scope that reads its
    /// resource.
    #[schemars(schema_with = "subscription_schema")]
    pub eventos: Vec<String>,
    /// What it is for.
    pub descripcion: Option<Text<255>>,
}

/// The answer of [`CreateWebhook`].
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct WebhookCreated {
    /// The webhook.
    #[serde(flatten)]
    pub webhook: Webhook,
    /// The secret that signs its notices. Only the first answer shows it; in a repetition it is
    /// null.
    pub secreto: Option<SigningSecret>,
}

impl Operation for CreateWebhook {
    const SPEC: Spec = Spec::new().http(Http::post("/webhooks", Scope::WebhooksWrite)).errors(&[
        Code::UrlInvalida,
        Code::EventoNoValido,
        Code::SinPermiso,
        Code::LimiteWebhooks,
    ]);
    type Output = WebhookCreated;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<WebhookCreated, Error> {
        validate_url(&self.url.0, cx.development_destinations)?;
        let eventos = subscription(&self.eventos, cx.kinds())?;
        permit(cx, &eventos)?;
        let clave = cx.tx.next_webhook(MAX_WEBHOOKS).await?.ok_or(Code::LimiteWebhooks)?;
        let secreto = SigningSecret::random(cx.random);
        let row = store::NewWebhook {
            clave,
            data: &WebhookData {
                url: self.url.0.clone(),
                eventos,
                descripcion: self.descripcion.as_deref().map(str::to_owned),
                activo: true,
            },
            secreto: &cx.seal(SECRET, &clave.to_string(), secreto.as_bytes())?,
            usuario: maker(cx).await?,
            creado: cx.now,
        };
        let webhook = cx.tx.insert_webhook(&row).await?;
        Ok(WebhookCreated { webhook, secreto: Some(secreto) })
    }

    fn remembered(output: WebhookCreated) -> Option<WebhookCreated> {
        Some(WebhookCreated { secreto: None, ..output })
    }
}

/// The user who is notified if the service disables the webhook: the owner of the key.
async fn maker(cx: &mut Cx<'_>) -> Result<i64, Error> {
    match *cx.actor {
        Actor::Key { owner, .. } => Ok(owner),
        Actor::BackOffice => user::owner(cx).await,
    }
}
