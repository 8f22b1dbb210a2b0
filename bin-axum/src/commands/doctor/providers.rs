//! The stamping provider, the mail server and the authorities that webhooks are delivered by.

use svc_core::settings::OutsideSettings;

use super::findings::Findings;
use super::reach;
use crate::output::without_provider;

/// `waiting` is how many documents wait if no stamping provider is set, if that is known.
pub(super) async fn check(outside: &OutsideSettings, waiting: Option<u64>, findings: &mut Findings) {
    match (findings.done(outside.stamper.stamper()), outside.stamper.address()) {
        (Some(Some(_)), Some(address)) => reach::check("SVC_STAMPER", address, findings).await,
        (Some(Some(_)), None) => {
            findings.note("SVC_STAMPER is sandbox: it stamps for all companies, and what it stamps is no invoice");
        }
        (Some(None), _) => match waiting {
            Some(waiting) => findings.note(without_provider(waiting)),
            None => findings.note("stamping: no provider (SVC_STAMPER is not set), documents wait"),
        },
        (None, _) => {}
    }
    findings.done(outside.mail.notifier());
    findings.done(outside.webhooks.sender());
}
