use bin_common::{StamperArgs, stamper};
use svc_core::backoffice::Office;
use svc_core::stamping::{Budget, stamp_due};

use super::print;
use crate::failure::Failure;

/// One pass; prints what it did.
pub(super) async fn run(office: &Office, args: &StamperArgs) -> Result<(), Failure> {
    let stamper = stamper(args)?;
    print(&stamp_due(office, stamper.as_ref(), Budget::unlimited()).await?)
}
