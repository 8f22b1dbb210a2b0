use std::sync::Arc;

use svc_core::backoffice::Office;
use svc_core::webhooks::{Budget, HttpSender, Networks, Sender, deliver_due};

use super::print;
use crate::cli::WebhookArgs;
use crate::failure::Failure;

/// One pass; prints what it did.
pub(super) async fn run(office: &Office, args: &WebhookArgs) -> Result<(), Failure> {
    let sender = sender(args.networks()?)?;
    print(&deliver_due(office, sender.as_ref(), Budget::unlimited()).await?)
}

/// Who sends notices, to where the settings let them go.
pub(crate) fn sender(networks: Networks) -> Result<Arc<dyn Sender>, Failure> {
    let wrong = |error| Failure::Other(format!("webhooks cannot be delivered: {error}; SSL_CERT_FILE may name some"));
    Ok(Arc::new(HttpSender::new(networks).map_err(wrong)?))
}
