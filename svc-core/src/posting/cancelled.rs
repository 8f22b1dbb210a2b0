//! Cancellation of a stamped document: requesting it, and its final effects. Only the registry
//! changes before the authority's final answer (contract §7).

use super::{books, credit_note, payment_undone};
use crate::domain::event::Event;
use crate::domain::invoice::LockedSale;
use crate::domain::words::{InvoiceKind, InvoiceStatus};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{CreditNote, HowPaid, RegisteredInvoice};

/// Locks the sale that loses its invoice, after its receivables. `None` if it was cancelled before
/// or has another invoice; an error if it has payments.
pub(crate) async fn sale(cx: &mut Cx<'_>, invoice: &RegisteredInvoice) -> Result<Option<LosingSale>, Error> {
    let Some(venta) = invoice.venta.filter(|_| invoice.tipo == InvoiceKind::Factura) else { return Ok(None) };
    let original = standing_original(cx, invoice).await?;
    let paid = cx.tx.lock_receivables(venta).await? == HowPaid::ByPayments;
    let goes_too =
        |sale: &LockedSale| !sale.cancelada && sale.factura.as_ref().is_none_or(|own| own.clave == invoice.clave);
    let refused = |text: &str| Err(Error::field(Code::EstadoInvalido, "factura", text));
    match cx.tx.lock_sale(venta).await? {
        Some(sale) if goes_too(&sale) && cx.tx.has_notes_about(invoice.clave).await? => {
            refused("su venta tiene notas de crédito; primero se cancelan")
        }
        Some(sale) if goes_too(&sale) && !cx.tx.returned(&[venta]).await?.is_empty() => {
            refused("su venta tiene devoluciones; el resto se devuelve con sale.return")
        }
        Some(sale) if goes_too(&sale) && paid => refused("la cuenta por cobrar de su venta tiene pagos aplicados"),
        Some(sale) if goes_too(&sale) => {
            if let Some(original) = &original
                && cx.tx.correction(invoice.clave).await?.is_some()
            {
                let clave = original.clave;
                return refused(&format!("sustituye con correcciones a la factura {clave}, que antes se cancela"));
            }
            Ok(Some(LosingSale { venta, original }))
        }
        _ => Ok(None),
    }
}

/// A sale whose invoice is cancelled.
#[derive(Debug)]
pub(crate) struct LosingSale {
    venta: i64,
    /// The invoice that the cancelled one replaced, if that still stands: the sale returns to it.
    original: Option<RegisteredInvoice>,
}

/// The locked invoice that a substitute replaced, if it is still valid, as when its receiver
/// refused to have it cancelled.
async fn standing_original(
    cx: &mut Cx<'_>,
    substitute: &RegisteredInvoice,
) -> Result<Option<RegisteredInvoice>, Error> {
    let Some(original) = substitute.sustituye else { return Ok(None) };
    let original = cx.tx.lock_invoice(original).await?;
    Ok(original.filter(|original| original.estatus == InvoiceStatus::Vigente))
}

/// The credit note that is cancelled with its record; an error if its balance was applied
/// elsewhere.
pub(crate) async fn note(cx: &mut Cx<'_>, invoice: &RegisteredInvoice) -> Result<Option<CreditNote>, Error> {
    if invoice.tipo != InvoiceKind::NotaCredito {
        return Ok(None);
    }
    let note = cx.tx.credit_note(invoice.clave).await?;
    if let Some(note) = &note {
        credit_note::validate_undo(cx, invoice, note).await?;
    }
    Ok(note)
}

/// Applies the final cancellation of `invoice`, whose record is locked: registry, sale, stock,
/// receivable, accounting entry and event, or a complement's payment. Nothing is written if
/// [`sale`] fails.
pub(crate) async fn finish(cx: &mut Cx<'_>, invoice: &RegisteredInvoice) -> Result<(), Error> {
    cx.tx.postpone_entries(true);
    let sale = sale(cx, invoice).await?;
    let note = note(cx, invoice).await?;
    let pago = cx.tx.end_cancellation(invoice.clave).await?;
    cx.tx.set_cancelled(invoice.clave, None, cx.now).await?;
    match sale {
        Some(LosingSale { venta, original: Some(original) }) => {
            cx.tx.return_sale(venta, invoice.clave, &original, cx.now).await?;
            cx.tx.move_entry(venta, invoice.clave, original.clave).await?;
        }
        Some(LosingSale { venta, original: None }) => {
            books::undo(cx, venta, invoice.folio.as_deref(), Vec::new()).await?;
            cx.tx.set_sale_cancelled(venta, cx.now).await?;
        }
        None => {}
    }
    if let Some(pago) = pago
        && let Some(applied) = cx.tx.lock_payment(pago).await?.filter(|applied| !applied.cancelado)
    {
        payment_undone::undo(cx, pago, &applied).await?;
    }
    if let Some(note) = note {
        credit_note::undo(cx, invoice, &note).await?;
    }
    cx.tx.postpone_entries(false);
    // A document that was imported without its sale has no effects here.
    let of_sales = invoice.tipo == InvoiceKind::Factura
        && (invoice.venta.is_some() || cx.tx.set_global_folio(invoice.clave, None, cx.now).await?);
    if let Some(uuid) = invoice.uuid.clone().filter(|_| of_sales) {
        cx.emit(&Event::FacturaCancelada { factura: invoice.clave, venta: invoice.venta, uuid }).await?;
    }
    Ok(())
}

/// Records that the receiver refused; `invoice` stays valid.
pub(crate) async fn refused(cx: &mut Cx<'_>, invoice: &RegisteredInvoice) -> Result<(), Error> {
    cx.tx.end_cancellation(invoice.clave).await?;
    Ok(cx.tx.drop_cancellation(invoice.clave, cx.now).await?)
}
