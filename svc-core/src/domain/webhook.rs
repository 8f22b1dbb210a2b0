//! Webhooks and their deliveries (spec, "Webhook and its deliveries"; contract §3, §4).

use chrono::{DateTime, Utc};
use schemars::{Schema, SchemaGenerator, json_schema};

use super::event::{EventKind, EventKinds, KnownKind};
use super::words::{DeliveryReason, words};
use crate::error::{Code, Error};

words! {
    /// Whether a webhook receives deliveries.
    pub enum WebhookState {
        /// Receives deliveries.
        Activo = "activo",
        /// Its company paused it.
        Pausado = "pausado",
        /// The service disabled it after too many failures.
        Desactivado = "desactivado",
    }
}

impl WebhookState {
    /// The state of a webhook: active, disabled by the service (which leaves a reason), or paused.
    pub(crate) const fn new(active: bool, has_reason: bool) -> Self {
        match (active, has_reason) {
            (true, _) => Self::Activo,
            (false, true) => Self::Desactivado,
            (false, false) => Self::Pausado,
        }
    }
}

words! {
    /// The status of a delivery.
    pub enum DeliveryStatus {
        /// An attempt is still to be made.
        Pendiente = "pendiente",
        /// The receiver accepted it.
        Entregada = "entregada",
        /// Every attempt failed.
        Fallida = "fallida",
        /// The webhook was disabled or deleted before it ended.
        Descartada = "descartada",
    }
}

words! {
    /// What a delivery was made for.
    pub enum DeliveryOrigin {
        /// An event.
        Evento = "evento",
        /// A test of the webhook: one attempt.
        Prueba = "prueba",
        /// A requested resend.
        Reenvio = "reenvio",
    }
}

/// The state of a delivery after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// `entregada`: the receiver answered 2xx.
    Delivered,
    /// `pendiente`: the time of the next attempt.
    Retry(DateTime<Utc>),
    /// `fallida`: no attempt is left.
    Failed,
}

/// The outcome of an attempt, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptResult {
    /// The delivery's next state.
    pub next: Next,
    /// The HTTP status of the response, if there was one.
    pub http: Option<u16>,
    /// The reason of a failure, if the contract has a word for it.
    pub reason: Option<DeliveryReason>,
    /// Whether a failure counts against the webhook; one caused by the service does not.
    pub counts: bool,
}

/// The JSON Schema of the input of [`subscription`].
pub(crate) fn subscription_schema(_: &mut SchemaGenerator) -> Schema {
    let names = EventKind::SUBSCRIBABLE;
    json_schema!({
        "type": "array", "items": { "type": "string", "enum": names }, "minItems": 1, "uniqueItems": true
    })
}

/// Parses the event types that a webhook subscribes to: one or more names of known kinds, without
/// repetition.
pub(crate) fn subscription(names: &[String], known: &EventKinds) -> Result<Vec<String>, Error> {
    let fault = |at: usize, text: &str| Error::field(Code::EventoNoValido, &format!("eventos[{at}]"), text);
    if names.is_empty() {
        return Err(Error::field(Code::EventoNoValido, "eventos", "debe nombrar al menos un evento"));
    }
    let mut kinds: Vec<String> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let kind = known.of(name.trim()).filter(|kind| kind.scope().is_some()).map(KnownKind::word);
        let kind = kind.ok_or_else(|| fault(at, "no es un evento al que un webhook se suscriba"))?;
        if kinds.iter().any(|earlier| earlier == kind) {
            return Err(fault(at, "está repetido"));
        }
        kinds.push(kind.to_owned());
    }
    Ok(kinds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn validate(names: &[&str]) -> Result<Vec<String>, String> {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        match subscription(&names, &EventKinds::default()) {
            Ok(kinds) => Ok(kinds),
            Err(error) => {
                assert_eq!(error.code(), Code::EventoNoValido);
                Err(error.mensaje().split(':').next().unwrap_or_default().to_owned())
            }
        }
    }

    #[test]
    fn a_subscription_names_known_events_once() {
        assert_eq!(
            validate(&["venta.creada", " cliente.creado "]),
            Ok(vec!["venta.creada".to_owned(), "cliente.creado".to_owned()])
        );
        for (names, field) in [
            (&[][..], "eventos"),
            (&[""], "eventos[0]"),
            (&["venta.creada", "venta.otra"], "eventos[1]"),
            (&["Venta.creada"], "eventos[0]"),
            (&["*"], "eventos[0]"),
            (&["webhook.prueba"], "eventos[0]"),
            (&["venta.creada", "cliente.creado", "venta.creada"], "eventos[2]"),
        ] {
            assert_eq!(validate(names), Err(field.to_owned()), "{names:?}");
        }
    }
}
