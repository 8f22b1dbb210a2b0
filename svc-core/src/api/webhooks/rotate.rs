use http::StatusCode;
use serde::Serialize;

use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::error::{Code, Error};
use crate::operation::{Cx, Method, NoBody, Operation, Spec};
use crate::webhooks::{ROTATION, SECRET, SigningSecret};

/// Gives a webhook a new secret. The one that it had signs too for a day, and the one before that no longer.
pub struct RotateSecret;

/// The answer of [`RotateSecret`].
#[derive(Debug, Clone, Serialize)]
pub struct SecretRotated {
    /// The webhook's clave.
    pub webhook: i64,
    /// What signs its notices from now on. It is shown here, once: a repetition has none.
    pub secreto: Option<SigningSecret>,
}

impl Operation for RotateSecret {
    const SPEC: Spec = Spec::write(Method::Post, "/webhooks/{clave}/secreto", Scope::WebhooksWrite)
        .summary("Rotate the signing secret of a webhook")
        .status(StatusCode::OK)
        .no_body();
    type Path = i64;
    type Input = NoBody;
    type Output = SecretRotated;

    async fn run(cx: &mut Cx<'_>, webhook: i64, _: NoBody) -> Result<SecretRotated, Error> {
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
