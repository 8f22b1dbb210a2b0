//! The stamping provider, the mail server, and the certificate authorities for deliveries of
//! webhooks.

use svc_core::settings::OutsideSettings;

use super::findings::Findings;
use super::installation::WaitingForProviders;
use super::reach;
use crate::output::{without_mail_server, without_provider};

/// `waiting` is what waits for them, if that is known.
pub(super) async fn check(outside: &OutsideSettings, waiting: Option<WaitingForProviders>, findings: &mut Findings) {
    match (findings.done(outside.stamper.stamper()), outside.stamper.address()) {
        (Some(Some(_)), Some(address)) => reach::check_url("SVC_STAMPER", address, findings).await,
        (Some(Some(_)), None) => {
            findings.note("SVC_STAMPER is sandbox: it stamps for all companies, and what it stamps is no invoice");
        }
        (Some(None), _) => match waiting {
            Some(waiting) => findings.note(without_provider(waiting.documents)),
            None => findings.note("stamping: no provider (SVC_STAMPER is not set), documents wait"),
        },
        (None, _) => {}
    }
    match (findings.done(outside.mail.notifier()), outside.mail.address(), waiting) {
        (Some(Some(_)), Some((host, port)), _) => reach::check("SVC_SMTP_URL", &host, port, findings).await,
        (Some(None), _, Some(waiting)) if waiting.mails > 0 || waiting.sends_documents => {
            findings.note(without_mail_server(waiting.mails));
        }
        _ => {}
    }
    findings.done(outside.webhooks.sender());
}
