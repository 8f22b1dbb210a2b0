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
        /// Key.
        clave: i64 { list },
        /// Where notices go.
        url: String { list },
        /// The events it is subscribed to.
        eventos: Vec<EventKind> { list },
        /// What it is for.
        descripcion: Option<String> { list },
        /// Whether notices are sent to it.
        activo: bool { list },
        /// Whether notices are sent to it, and if not, who decided that.
        estado { list: WebhookState = WebhookState::new(activo, motivo_desactivacion.is_some()) },
        /// Why the service disabled it.
        motivo_desactivacion: Option<String> { list },
        /// Deliveries that failed for good in a row.
        fallos_consecutivos: i64 { list },
        /// When a notice arrived last.
        ultima_entrega: Option<Timestamp> { list },
        /// When it was made.
        creado: Timestamp { list },
        /// When it was changed last.
        modificado: Option<Timestamp> { list },
    }
}

impl List for Webhook {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/webhooks", Scope::WebhooksWrite, PageSizes::Enforced, "List webhooks")
            .filters(&[integer("clave"), boolean("activo")]);
}
