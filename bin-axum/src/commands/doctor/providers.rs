//! The stamping provider, the mail server and the authorities that webhooks are delivered by.

use svc_core::settings::OutsideSettings;

use super::findings::Findings;
use super::reach;

pub(super) async fn check(outside: &OutsideSettings, findings: &mut Findings) {
    if outside.stamper.is_sandbox() {
        findings.note("SVC_STAMPER names no provider: the sandbox stamps, and what it stamps is no invoice");
    } else if findings.done(outside.stamper.stamper()).is_some() {
        reach::check("SVC_STAMPER", outside.stamper.address(), findings).await;
    }
    findings.done(outside.mail.notifier());
    findings.done(outside.webhooks.sender());
}
