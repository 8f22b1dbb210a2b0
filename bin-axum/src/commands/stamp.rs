use svc_core::Context;
use svc_core::settings::StamperSettings;
use svc_core::stamping::{Budget, stamp_due};

use crate::failure::Failure;
use crate::output::print;

/// Stamps everything that is due, in one pass, and prints the pass's report.
pub(super) async fn run(context: &Context, settings: &StamperSettings) -> Result<(), Failure> {
    let stamper = settings.stamper()?;
    print(&stamp_due(context, stamper.as_ref(), Budget::unlimited()).await?)
}
