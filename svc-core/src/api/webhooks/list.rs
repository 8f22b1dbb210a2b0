use super::Webhook;
use crate::domain::scope::Scope;
use crate::operation::filters::{boolean, integer};
use crate::operation::{List, ListSpec, Pages};

/// Lists webhooks.
pub struct Webhooks;

/// The filters of [`Webhooks`] (contract §3, "webhooks").
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum WebhookFilter {
    Clave(i64),
    Activo(bool),
}

use WebhookFilter as F;

impl List for Webhooks {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/webhooks",
        Scope::WebhooksWrite,
        Pages::Enforced,
        &[integer("clave", F::Clave), boolean("activo", F::Activo)],
    )
    .summary("List webhooks");
    type Path = ();
    type Filter = F;
    type Item = Webhook;
}
