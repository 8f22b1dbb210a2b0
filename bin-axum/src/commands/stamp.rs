use svc_core::Context;
use svc_core::mail::tell_owners;
use svc_core::settings::StamperSettings;
use svc_core::stamping::{Budget, stamp_due};

use crate::failure::Failure;
use crate::output::print;

/// Stamps everything that is due, in one pass, and prints the pass's report. Without a provider
/// only documents of test companies are, and owners get an e-mail about those that wait, which
/// `svc deliver` sends.
pub(super) async fn run(context: &Context, settings: &StamperSettings) -> Result<(), Failure> {
    let stamper = settings.stamper()?;
    settings.warn();
    if stamper.is_none() {
        tell_owners(context, true).await?;
    }
    print(&stamp_due(context, stamper.as_deref(), Budget::unlimited()).await?)
}
