//! Disabling a webhook whose receiver has been failing for too long.

use super::schedule::is_disabled;
use crate::context::Step;
use crate::error::Error;
use crate::operation::Cx;
use crate::posting::mailing::one_line;
use crate::store::{MAX_COUNTED, NewMail};

/// `motivo_desactivacion` of a webhook that the service disabled.
const MOTIVO: &str = "fallos_consecutivos";

/// Disables a webhook if it still fails: discards its pending deliveries, and queues an e-mail to
/// the user who created it.
pub(super) struct DisableWebhook {
    pub(super) webhook: i64,
}

impl Step for DisableWebhook {
    /// How many deliveries are discarded, counted up to [`MAX_COUNTED`], if it was disabled.
    type Output = Option<u64>;

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<Option<u64>, Error> {
        let Some(webhook) = cx.tx.lock_active_webhook(self.webhook).await? else { return Ok(None) };
        let streak = webhook.streak;
        if !is_disabled(streak.fallos_consecutivos, streak.racha_desde, cx.earlier_now().await?) {
            return Ok(None);
        }
        let discarded = cx.tx.disable_webhook(self.webhook, MOTIVO, cx.now).await?;
        if let Some(correo) = &webhook.correo {
            let asunto = format!("Se desactivó el webhook {} de {}", self.webhook, one_line(&cx.company.nombre));
            let texto = text(self.webhook, &webhook.url, streak.fallos_consecutivos, discarded, cx);
            let mail = NewMail { para: correo, asunto: &asunto, texto: &texto, factura: None };
            cx.tx.append_mail(&mail, cx.now).await?;
        }
        Ok(Some(discarded))
    }
}

fn text(webhook: i64, url: &str, failed: u32, discarded: u64, cx: &Cx<'_>) -> String {
    format!(
        "El webhook {webhook} de {empresa} se desactivó el {now}: sus últimas {failed} entregas fallaron todas, durante más de 24 \
         horas.\n\n\
         Dirección: {url}\n\
         Entregas pendientes que se descartaron: {discarded}{more}\n\n\
         Los eventos se pueden consultar en la API. Cuando el receptor vuelva a responder, reactívelo con\n\
         PUT {base}/webhooks/{webhook} {{\"activo\": true}}\n",
        empresa = cx.company.nombre,
        more = if discarded < u64::from(MAX_COUNTED) { "" } else { " o más" },
        now = cx.now,
        base = cx.base_url,
    )
}
