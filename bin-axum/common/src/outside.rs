//! Who stamps and who sends, as the settings say.

use std::sync::Arc;
use std::time::Duration;

use svc_core::stamping::{HttpStamper, HttpStamperError, SandboxStamper, Stamper};
use svc_core::webhooks::{HttpSender, Networks, Sender};

use crate::{SettingError, StamperArgs};

/// The word for the provider that is none.
const SANDBOX: &str = "sandbox";

/// Who has invoices stamped. That nobody but the sandbox does is told in the log.
pub fn stamper(args: &StamperArgs) -> Result<Arc<dyn Stamper>, SettingError> {
    let url = args.stamper.trim();
    if url.is_empty() || url == SANDBOX {
        tracing::warn!("SVC_STAMPER names no provider: the sandbox stamps, and what it stamps is no invoice");
        return Ok(Arc::new(SandboxStamper));
    }
    let wrong = |error: HttpStamperError| {
        let setting = if matches!(error, HttpStamperError::Token) { "SVC_STAMPER_TOKEN" } else { "SVC_STAMPER" };
        SettingError(format!("{setting}: {error}"))
    };
    let timeout = Duration::from_secs(args.stamper_timeout);
    Ok(Arc::new(HttpStamper::new(url, args.token(), timeout).map_err(wrong)?))
}

/// Who sends notices, to where the settings let them go.
pub fn sender(networks: Networks) -> Result<Arc<dyn Sender>, SettingError> {
    let wrong = |error| SettingError(format!("webhooks cannot be delivered: {error}; SSL_CERT_FILE may name some"));
    Ok(Arc::new(HttpSender::new(networks).map_err(wrong)?))
}
