use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SentUrl, Webhook, permit};
use crate::domain::scope::Scope;
use crate::domain::webhook::subscription;
use crate::error::{Code, Error};
use crate::json::Text;
use crate::operation::{Actor, Cx, Method, Operation, Spec};
use crate::store::{self, WebhookData};
use crate::webhooks::{MOST, SECRET, SigningSecret, judge_url};

/// Makes a webhook, active at once; what happens from now on is told to it.
pub struct CreateWebhook;

/// The body of [`CreateWebhook`] (spec, "Webhook operations").
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// Where notices go: https, a domain name, no port.
    pub url: SentUrl,
    /// What is told: names of events, one or more; each needs the scope that reads its resource.
    pub eventos: Vec<String>,
    /// What it is for.
    pub descripcion: Option<Text<255>>,
}

/// The answer of [`CreateWebhook`].
#[derive(Debug, Clone, Serialize)]
pub struct WebhookCreated {
    /// The webhook.
    #[serde(flatten)]
    pub webhook: Webhook,
    /// What signs its notices. It is shown here, once: a repetition has none.
    pub secreto: Option<SigningSecret>,
}

impl Operation for CreateWebhook {
    const SPEC: Spec = Spec::write(Method::Post, "/webhooks", Scope::WebhooksWrite)
        .summary("Create a webhook")
        .errors(&[Code::UrlInvalida, Code::EventoNoValido, Code::SinPermiso, Code::LimiteWebhooks]);
    type Path = ();
    type Input = NewWebhook;
    type Output = WebhookCreated;

    async fn run(cx: &mut Cx<'_>, (): (), new: NewWebhook) -> Result<WebhookCreated, Error> {
        judge_url(&new.url.0, cx.development_destinations)?;
        let eventos = subscription(&new.eventos)?;
        permit(cx.actor, &eventos)?;
        let clave = cx.tx.next_webhook(MOST).await?.ok_or(Code::LimiteWebhooks)?;
        let secreto = SigningSecret::random(cx.random);
        let row = store::NewWebhook {
            clave,
            data: &WebhookData {
                url: new.url.0,
                eventos,
                descripcion: new.descripcion.map(Text::into_string),
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

/// Whom it is told when the service gives the webhook up: the owner of the key.
async fn maker(cx: &mut Cx<'_>) -> Result<i64, Error> {
    match *cx.actor {
        Actor::Key { owner, .. } => Ok(owner),
        Actor::BackOffice => cx.tx.first_user().await?.ok_or_else(|| Error::internal("the company has no user")),
    }
}
