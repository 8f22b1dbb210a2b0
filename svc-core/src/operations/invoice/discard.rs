//! Giving up a document that ended in `error` (contract §7).

use schemars::JsonSchema;
use serde::Deserialize;

use super::outcome::{InvoiceRef, locked, wrong_state};
use crate::domain::event::EventKind;
use crate::domain::words::InvoiceStatus;
use crate::error::Error;
use crate::operation::{Cx, Operation, Spec};
use crate::posting::discarded;

/// Gives up a document in `error` and undoes all that it did. The sale is again the order, quote or
/// ticket that it was; the money of an advance becomes a balance in the customer's favour. The
/// document's number is not used again. A ticket's own invoice that waits for a rejected note,
/// which was to take the ticket out of a global invoice, is given up with the note.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscardDocument {
    /// The clave in the registry.
    pub factura: i64,
}

impl Operation for DiscardDocument {
    const SPEC: Spec = Spec::new().named("document.discard").emits(&[EventKind::ExistenciaCambiada]);
    type Output = InvoiceRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<InvoiceRef, Error> {
        let invoice = locked(cx, self.factura).await?;
        match invoice.estatus {
            InvoiceStatus::Error => discarded::discard(cx, &invoice).await?,
            InvoiceStatus::EnEspera if discarded::waits_in_vain(cx, &invoice).await? => {
                discarded::discard(cx, &invoice).await?;
            }
            InvoiceStatus::EnEspera => {
                return Err(wrong_state("espera su timbre; solo se descarta lo que está en error"));
            }
            InvoiceStatus::Vigente => return Err(wrong_state("está vigente; se cancela con invoice.cancel")),
            InvoiceStatus::Cancelada => return Err(wrong_state("ya está cancelada")),
        }
        Ok(InvoiceRef { factura: invoice.clave })
    }
}
