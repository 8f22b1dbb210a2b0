use bin_common::{MailArgs, WebhookArgs, sender};
use svc_core::backoffice::Office;
use svc_core::webhooks::{Budget, deliver_due, notify_due};

use super::print;
use crate::failure::Failure;

/// One pass, and the e-mails that it leaves; prints what the pass did.
pub(super) async fn run(office: &Office, webhooks: &WebhookArgs, mail: &MailArgs) -> Result<(), Failure> {
    let (sender, mail) = (sender(webhooks.networks()?)?, mail.mail()?);
    let delivered = deliver_due(office, sender.as_ref(), Budget::unlimited()).await?;
    if let Some(mail) = mail {
        let sent = notify_due(office, &mail, Budget::unlimited()).await?;
        tracing::info!(?sent, "e-mails");
    }
    print(&delivered)
}
