//! What a webhook and its deliveries are (spec, "Webhook and its deliveries"; contract §3, §4).

use chrono::{DateTime, Utc};

use super::event::EventKind;
use super::words::{DeliveryReason, words};
use crate::error::{Code, Error};

words! {
    /// Whether a webhook is told what happens.
    pub enum WebhookState {
        /// It is.
        Activo = "activo",
        /// Its company wants it not to be.
        Pausado = "pausado",
        /// The service gave it up.
        Desactivado = "desactivado",
    }
}

impl WebhookState {
    /// The state of a webhook that is active or not, and has a reason or none why the service disabled it.
    pub const fn new(active: bool, has_reason: bool) -> Self {
        match (active, has_reason) {
            (true, _) => Self::Activo,
            (false, true) => Self::Desactivado,
            (false, false) => Self::Pausado,
        }
    }
}

words! {
    /// What has become of a delivery.
    pub enum DeliveryStatus {
        /// It has not ended: it is yet to be tried, or tried again.
        Pendiente = "pendiente",
        /// The receiver has it.
        Entregada = "entregada",
        /// It was tried as often as it may be.
        Fallida = "fallida",
        /// The webhook was disabled or deleted before it ended.
        Descartada = "descartada",
    }
}

words! {
    /// What a delivery was made for.
    pub enum DeliveryOrigin {
        /// Something happened.
        Evento = "evento",
        /// Someone tried the webhook out: one attempt.
        Prueba = "prueba",
        /// Someone asked for an event again.
        Reenvio = "reenvio",
    }
}

/// What becomes of a delivery after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// `entregada`.
    Delivered,
    /// `pendiente`: tried again then.
    Retry(DateTime<Utc>),
    /// `fallida`.
    Failed,
}

/// An attempt, as it is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    /// What becomes of the delivery.
    pub next: Next,
    /// The status that was answered.
    pub http: Option<u16>,
    /// Why it failed, if that can be told in the contract's words.
    pub reason: Option<DeliveryReason>,
    /// Whether a failure counts against the webhook: not if it was of our making.
    pub counts: bool,
}

/// The events that a webhook is to be told, from their names: one or more, of the catalogue, none twice.
pub fn subscription(names: &[String]) -> Result<Vec<EventKind>, Error> {
    let fault = |at: usize, text: &str| Error::field(Code::EventoNoValido, &format!("eventos[{at}]"), text);
    if names.is_empty() {
        return Err(Error::field(Code::EventoNoValido, "eventos", "debe nombrar al menos un evento"));
    }
    let mut kinds = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let kind = EventKind::of(name.trim()).filter(|kind| kind.is_subscribable());
        let kind = kind.ok_or_else(|| fault(at, "no es un evento al que un webhook se suscriba"))?;
        if kinds.contains(&kind) {
            return Err(fault(at, "está repetido"));
        }
        kinds.push(kind);
    }
    Ok(kinds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(names: &[&str]) -> Result<Vec<&'static str>, String> {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        match subscription(&names) {
            Ok(kinds) => Ok(kinds.iter().map(|kind| kind.word()).collect()),
            Err(error) => {
                assert_eq!(error.code(), Code::EventoNoValido);
                Err(error.mensaje().split(':').next().unwrap_or_default().to_owned())
            }
        }
    }

    #[test]
    fn a_subscription_names_known_events_once() {
        assert_eq!(judge(&["venta.creada", " cliente.creado "]), Ok(vec!["venta.creada", "cliente.creado"]));
        for (names, field) in [
            (&[][..], "eventos"),
            (&[""], "eventos[0]"),
            (&["venta.creada", "venta.otra"], "eventos[1]"),
            (&["Venta.creada"], "eventos[0]"),
            (&["*"], "eventos[0]"),
            (&["webhook.prueba"], "eventos[0]"),
            (&["venta.creada", "cliente.creado", "venta.creada"], "eventos[2]"),
        ] {
            assert_eq!(judge(names), Err(field.to_owned()), "{names:?}");
        }
    }
}
