//! Substitution of an invoice: relation 04, and reason 01 for the cancellation of the former.

use schemars::JsonSchema;
use serde::Deserialize;

use super::InvoiceRef;
use super::outcome::{locked, wrong_state};
use crate::domain::event::EventKind;
use crate::domain::invoice::invoice_series;
use crate::domain::words::{InvoiceKind, InvoiceStatus};
use crate::error::Error;
use crate::operation::{Cx, Operation, Spec};
use crate::posting::invoice::validate_issuer;
use crate::posting::{credit_note, document, receiver};

/// Creates a substitute of a stamped invoice from the same sale and today's data, with relation 04,
/// and queues it. Once it is stamped, sale and receivable belong to it; `invoice.cancel` with
/// reason 01 then cancels the former.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubstituteInvoice {
    /// The clave of the invoice to replace.
    pub factura: i64,
}

impl Operation for SubstituteInvoice {
    const SPEC: Spec = Spec::new().named("invoice.substitute").emits(&[EventKind::FacturaTimbrada]);
    type Output = InvoiceRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<InvoiceRef, Error> {
        let invoice = locked(cx, self.factura).await?;
        if invoice.tipo != InvoiceKind::Factura {
            return Err(wrong_state("solo se sustituyen facturas de ingreso"));
        }
        if invoice.estatus != InvoiceStatus::Vigente || invoice.uuid.is_none() {
            return Err(wrong_state("no está vigente"));
        }
        if invoice.cancelacion_solicitada {
            return Err(wrong_state("su cancelación ya se solicitó"));
        }
        let venta = invoice.venta.ok_or_else(|| wrong_state("no es de una venta"))?;
        cx.tx.lock_receivables(venta).await?;
        let sale = cx.tx.lock_sale(venta).await?.filter(|sale| !sale.cancelada);
        let own = sale.as_ref().and_then(|sale| sale.factura.as_ref()).filter(|own| own.clave == invoice.clave);
        let (Some(sale), Some(own)) = (&sale, own) else { return Err(wrong_state("su venta tiene otra factura")) };
        if !cx.tx.substitutes(invoice.clave).await?.is_empty() {
            return Err(wrong_state("ya tiene una factura que la sustituye"));
        }
        credit_note::validate_none(cx, venta).await?;
        if cx.tx.has_complements(venta).await? {
            return Err(wrong_state("tiene complementos de pago; primero se cancelan los pagos"));
        }
        validate_issuer(cx).await?;
        let serie = invoice_series(sale.sucursal);
        let (tipo, of) = (InvoiceKind::Factura, Some(venta));
        let (factura, heading) = document::open(cx, tipo, serie, of, sale.cliente, own.origen).await?;
        cx.tx.relate_substitute(factura, invoice.clave).await?;
        let receptor = receiver::of_customer(cx, sale.cliente).await?;
        let document = document::of_sale(cx, venta, receptor, None, heading).await?;
        document::keep_fit(cx, factura, document).await?;
        Ok(InvoiceRef { factura })
    }
}
