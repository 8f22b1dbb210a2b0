use svc_core::backoffice::Office;
use svc_core::webhooks::{Budget, HttpSender, deliver_due};

use super::print;
use crate::cli::WebhookArgs;
use crate::failure::Failure;

/// One pass; prints what it did.
pub(super) async fn run(office: &Office, args: &WebhookArgs) -> Result<(), Failure> {
    let sender = HttpSender::new(args.networks()?).map_err(|error| Failure::Other(error.to_string()))?;
    print(&deliver_due(office, &sender, Budget::unlimited()).await?)
}
