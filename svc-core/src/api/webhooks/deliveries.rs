use serde::Serialize;

use crate::domain::event::EventKind;
use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::domain::webhook::DeliveryStatus;
use crate::operation::filters::{choice, integer};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// Lists the deliveries of a webhook: the log of what it was told.
pub struct Deliveries;

/// A delivery (contract §3, "entregas"). Of what the receiver answered there is the status only.
#[derive(Debug, Clone, Serialize)]
pub struct Delivery {
    /// Key, as in the header `X-Svc-Entrega`.
    pub clave: i64,
    /// The webhook.
    pub webhook: i64,
    /// The event, `evt_…`.
    pub evento: String,
    /// The event's type.
    pub tipo: String,
    /// `pendiente`, `entregada`, `fallida` or `descartada`.
    pub estado: String,
    /// How often it was tried.
    pub intentos: i32,
    /// The status that the receiver answered the last attempt with.
    pub http: Option<i32>,
    /// Why the last attempt failed.
    pub motivo: Option<String>,
    /// How long the last attempt took, in milliseconds.
    pub duracion_ms: Option<i64>,
    /// When it was made.
    pub creado: Timestamp,
    /// When it was tried last.
    pub ultimo_intento: Option<Timestamp>,
    /// When it is tried next.
    pub proximo_intento: Option<Timestamp>,
}

impl Keyed for Delivery {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// The filters of [`Deliveries`] (contract §3, "entregas").
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum DeliveryFilter {
    Clave(i64),
    Estado(&'static str),
    Tipo(&'static str),
}

use DeliveryFilter as F;

impl List for Deliveries {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/webhooks/{clave}/entregas",
        Scope::WebhooksWrite,
        Pages::Enforced,
        &[
            integer("clave", F::Clave),
            choice("estado", DeliveryStatus::WORDS, F::Estado),
            choice("tipo", EventKind::WORDS, F::Tipo),
        ],
    )
    .summary("List the deliveries of a webhook");
    type Path = i64;
    type Filter = F;
    type Item = Delivery;
}
