//! The deliveries of a webhook: `/webhooks/{clave}/entregas`.

use super::filter::{choice, integer};
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
        /// Key, as in the header `X-Svc-Entrega`.
        clave: i64 { list },
        /// The webhook.
        webhook: i64 { list },
        /// The event.
        evento: EventId { list },
        /// The event's type.
        #[schemars(with = "EventKind")]
        tipo: String { list },
        /// What has become of it.
        estado: DeliveryStatus { list },
        /// How often it was tried.
        intentos: i64 { list },
        /// The status that the receiver answered the last attempt with.
        http: Option<i64> { list },
        /// Why the last attempt failed.
        #[schemars(with = "Option<DeliveryReason>")]
        motivo: Option<String> { list },
        /// How long the last attempt took, in milliseconds.
        duracion_ms: Option<i64> { list },
        /// When it was made.
        creado: Timestamp { list },
        /// When it was tried last.
        ultimo_intento: Option<Timestamp> { list },
        /// When it is tried next.
        proximo_intento: Option<Timestamp> { list },
    }
}

impl List for Delivery {
    const LIST: ListSpec = ListSpec::new::<Self>(
        "/webhooks/{clave}/entregas",
        Scope::WebhooksWrite,
        PageSizes::Enforced,
        "List the deliveries of a webhook",
    )
    .filters(&[integer("clave"), choice("estado", DeliveryStatus::WORDS), choice("tipo", EventKind::WORDS)]);
}
