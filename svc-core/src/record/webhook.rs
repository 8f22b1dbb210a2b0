//! Webhooks: `/webhooks`.

use super::filter::{boolean, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::event::EventKind;
use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::domain::webhook::WebhookState;

record! {
    /// A webhook, without its secret (contract §3, "webhooks").
    pub struct Webhook in "webhooks" {
        clave: i64 { list },
        url: String { list },
        #[schemars(with = "Vec<EventKind>")]
        eventos: Vec<String> { list },
        descripcion: Option<String> { list },
        activo: bool { list },
        estado { list: WebhookState = WebhookState::new(activo, motivo_desactivacion.is_some()) },
        motivo_desactivacion: Option<String> { list },
        fallos_consecutivos: i64 { list },
        ultima_entrega: Option<Timestamp> { list },
        creado: Timestamp { list },
        modificado: Option<Timestamp> { list },
    }
}

impl List for Webhook {
    const LIST: ListSpec = ListSpec::new::<Self>("/webhooks", Scope::WebhooksWrite, PageSizes::Enforced)
        .filters(&[integer("clave"), boolean("activo")]);
}
