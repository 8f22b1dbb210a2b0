//! The deliveries of a webhook: `/webhooks/{clave}/entregas`.

use super::filter::{choice, event_kind, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::event::{EventId, EventKind};
use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::domain::webhook::DeliveryStatus;
use crate::domain::words::DeliveryReason;

record! {
    /// A delivery (contract §3, "entregas"). Of what the receiver answered there is the status
    /// only.
    pub struct Delivery in "entregas" {
        clave: i64 { list },
        webhook: i64 { list },
        evento: EventId { list },
        #[schemars(with = "EventKind")]
        tipo: String { list },
        estado: DeliveryStatus { list },
        intentos: i64 { list },
        http: Option<i64> { list },
        #[schemars(with = "Option<DeliveryReason>")]
        motivo: Option<String> { list },
        duracion_ms: Option<i64> { list },
        creado: Timestamp { list },
        ultimo_intento: Option<Timestamp> { list },
        proximo_intento: Option<Timestamp> { list },
    }
}

impl List for Delivery {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/webhooks/{clave}/entregas", Scope::WebhooksWrite, PageSizes::Enforced)
            .under("webhooks", "webhook")
            .filters(&[
                integer("clave"),
                choice("estado", DeliveryStatus::WORDS),
                event_kind("tipo", EventKind::WORDS),
            ]);
}
