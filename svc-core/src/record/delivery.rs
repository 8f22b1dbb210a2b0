//! The deliveries of a webhook: `/webhooks/{clave}/entregas`.

use super::filter::{choice, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::event::{EventId, EventKind};
use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::domain::webhook::DeliveryStatus;
use crate::domain::words::DeliveryReason;

record! {
    /// A delivery (contract §3, "entregas"). Of what the receiver answered there is the status only.
    pub struct Delivery in "entregas" {
        /// Key, as in the header `X-Svc-Entrega`.
        clave: i64,
        /// The webhook.
        webhook: i64,
        /// The event.
        evento: EventId,
        /// The event's type.
        #[schemars(with = "EventKind")]
        tipo: String,
        /// What has become of it.
        estado: DeliveryStatus,
        /// How often it was tried.
        intentos: i64,
        /// The status that the receiver answered the last attempt with.
        http: Option<i64>,
        /// Why the last attempt failed.
        #[schemars(with = "Option<DeliveryReason>")]
        motivo: Option<String>,
        /// How long the last attempt took, in milliseconds.
        duracion_ms: Option<i64>,
        /// When it was made.
        creado: Timestamp,
        /// When it was tried last.
        ultimo_intento: Option<Timestamp>,
        /// When it is tried next.
        proximo_intento: Option<Timestamp>,
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
