use std::sync::Arc;
use std::time::Duration;

use svc_core::backoffice::Office;
use svc_core::stamping::{Budget, HttpStamper, HttpStamperError, SandboxStamper, Stamper, stamp_due};

use super::print;
use crate::cli::StamperArgs;
use crate::failure::Failure;

/// The word for the provider that is none.
const SANDBOX: &str = "sandbox";

/// One pass; prints what it did.
pub(super) async fn run(office: &Office, args: &StamperArgs) -> Result<(), Failure> {
    let stamper = stamper(args)?;
    print(&stamp_due(office, stamper.as_ref(), Budget::unlimited()).await?)
}

/// Who has invoices stamped, as the settings say.
pub(crate) fn stamper(args: &StamperArgs) -> Result<Arc<dyn Stamper>, Failure> {
    let url = args.stamper.trim();
    if url.is_empty() || url == SANDBOX {
        tracing::warn!("SVC_STAMPER names no provider: the sandbox stamps, and what it stamps is no invoice");
        return Ok(Arc::new(SandboxStamper));
    }
    let wrong = |error: HttpStamperError| {
        let setting = if matches!(error, HttpStamperError::Token) { "SVC_STAMPER_TOKEN" } else { "SVC_STAMPER" };
        Failure::Other(format!("{setting}: {error}"))
    };
    Ok(Arc::new(HttpStamper::new(url, args.token(), Duration::from_secs(args.stamper_timeout)).map_err(wrong)?))
}
