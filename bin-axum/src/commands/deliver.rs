use svc_core::Context;
use svc_core::mail::{notify_due, tell_owners};
use svc_core::settings::{MailSettings, WebhookSettings};
use svc_core::subscribers::run_subscribers;
use svc_core::webhooks::{Budget, deliver_due};

use crate::failure::Failure;
use crate::output::print;

/// One pass over due deliveries, then the e-mails that are due and the events of a host's
/// subscribers; prints the report of the deliveries.
pub(super) async fn run(context: &Context, webhooks: &WebhookSettings, mail: &MailSettings) -> Result<(), Failure> {
    let (sender, mail) = (webhooks.sender()?, mail.notifier()?);
    let delivered = deliver_due(context, sender.as_ref(), Budget::unlimited()).await?;
    if let Some(mail) = mail {
        // Whether the installation has a provider is for `svc stamp` to say.
        tell_owners(context, false).await?;
        let sent = notify_due(context, mail.as_ref(), Budget::unlimited()).await?;
        tracing::info!(
            enviados = sent.enviados,
            pospuestos = sent.pospuestos,
            abandonados = sent.abandonados,
            descartados = sent.descartados,
            "e-mails"
        );
    }
    let handled = run_subscribers(context, Budget::unlimited()).await?;
    if !handled.is_empty() {
        tracing::info!(
            atendidos = handled.atendidos,
            pospuestos = handled.pospuestos,
            detenidos = handled.detenidos,
            abandonados = handled.abandonados,
            "subscribers"
        );
    }
    print(&delivered)
}
