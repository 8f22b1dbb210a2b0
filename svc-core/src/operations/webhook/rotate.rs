//! `POST /webhooks/{clave}/secreto`.

use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{existing, permit};
use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::error::{Code, Error};
use crate::operation::{Cx, Http, Operation, Spec};
use crate::webhooks::{ROTATION, SECRET, SigningSecret};

/// Replaces the secret of a webhook. The former one also signs for another day; any older one stops
/// at once.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotateSecret {
    /// The clave of the webhook.
    pub clave: i64,
}

/// The answer of [`RotateSecret`].
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct SecretRotated {
    /// The webhook's clave.
    pub webhook: i64,
    /// The secret that signs its notices from now on. Only the first answer shows it; in a
    /// repetition it is null.
    pub secreto: Option<SigningSecret>,
}

impl Operation for RotateSecret {
    const SPEC: Spec = Spec::new()
        .http(Http::post("/webhooks/{clave}/secreto", Scope::WebhooksWrite).status(StatusCode::OK).no_body().replaces())
        .each_time()
        .errors(&[Code::SinPermiso]);
    type Output = SecretRotated;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<SecretRotated, Error> {
        let webhook = self.clave;
        let eventos = existing(cx, webhook).await?.eventos;
        permit(cx, &eventos)?;
        let secreto = SigningSecret::random(cx.random);
        let sealed = cx.seal(SECRET, &webhook.to_string(), secreto.as_bytes())?;
        let until = Timestamp::new(cx.now.get() + ROTATION);
        if !cx.tx.rotate_webhook_secret(webhook, &sealed, until, cx.now).await? {
            return Err(Code::NoEncontrado.into());
        }
        Ok(SecretRotated { webhook, secreto: Some(secreto) })
    }

    fn remembered(output: SecretRotated) -> Option<SecretRotated> {
        Some(SecretRotated { secreto: None, ..output })
    }
}
