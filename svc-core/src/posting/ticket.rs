//! Tickets (`venta`): which document they are in, and how they leave a global invoice.

use super::{document, queued, rest};
use crate::domain::cfdi::TipoRelacion;
use crate::domain::credit_note::credit_series;
use crate::domain::invoice::LockedSale;
use crate::domain::payment::CASH;
use crate::domain::rfc::GENERIC_NATIONAL;
use crate::domain::sale::Amounts;
use crate::domain::sat;
use crate::domain::words::{InvoiceKind, InvoiceStatus, SaleKind};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{CreditNote, RegisteredInvoice};

/// The `Retry-After` of a ticket that was put into another invoice meanwhile, in seconds.
const RETRY_AFTER: u32 = 1;

fn refused(text: impl std::fmt::Display) -> Error {
    Error::field(Code::EstadoInvalido, "venta", text)
}

/// Locks the invoice that a ticket is in, if any. It comes before the ticket: records of the
/// registry are locked first.
pub(crate) async fn lock_document(cx: &mut Cx<'_>, venta: i64) -> Result<Option<RegisteredInvoice>, Error> {
    match cx.tx.invoice_of_sale(venta).await? {
        Some(factura) => Ok(cx.tx.lock_invoice(factura).await?),
        None => Ok(None),
    }
}

/// The stamped global invoice that a locked ticket is in; `None` if it is in none. Refuses a ticket
/// whose document cannot be told or changed now. `document` is what [`lock_document`] found.
pub(crate) async fn global_of(
    cx: &mut Cx<'_>,
    sale: &LockedSale,
    document: Option<RegisteredInvoice>,
) -> Result<Option<RegisteredInvoice>, Error> {
    let global = match (&sale.factura, document) {
        (None, _) if sale.facturada => return Err(Code::VentaYaFacturada.into()),
        (None, _) => return Ok(None),
        (Some(own), Some(document)) if own.clave == document.clave => document,
        (Some(_), _) => return Err(Error::new(Code::VentaEnProceso).retry_after(RETRY_AFTER)),
    };
    let clave = global.clave;
    // An imported invoice does not say which sales it has.
    if cx.tx.global(clave).await?.is_none() {
        return Err(Code::VentaYaFacturada.into());
    }
    match global.estatus {
        InvoiceStatus::EnEspera => {
            Err(refused(format_args!("está en la factura global {clave}, que espera su timbre")))
        }
        InvoiceStatus::Error => Err(refused(format_args!(
            "está en la factura global {clave}, que fue rechazada; primero se vuelve a timbrar (invoice.restamp) o se \
             descarta (document.discard)"
        ))),
        _ if global.cancelacion_solicitada => {
            Err(refused(format_args!("está en la factura global {clave}, cuya cancelación se solicitó")))
        }
        _ if !cx.tx.substitutions(clave).await?.is_empty() => {
            Err(refused(format_args!("está en la factura global {clave}, que se está sustituyendo")))
        }
        _ => Ok(Some(global)),
    }
}

/// Refuses a ticket of the general public, which cannot have an invoice of its own.
pub(crate) async fn validate_customer(cx: &mut Cx<'_>, sale: &LockedSale) -> Result<(), Error> {
    let buyer = match sale.cliente {
        Some(cliente) => cx.tx.buyer(cliente).await?,
        None => None,
    };
    let rfc = buyer.and_then(|buyer| buyer.receptor.rfc);
    if sale.tipo == SaleKind::Venta && rfc.is_none_or(|rfc| rfc == GENERIC_NATIONAL) {
        let text = "es de público en general; solo la de un cliente con RFC propio se factura aparte";
        return Err(Error::field(Code::ClienteSinRfc, "venta", text));
    }
    Ok(())
}

/// Takes a ticket out of a stamped global invoice by a credit note (01) of its line there, queued
/// for stamping. Nothing else changes: goods, receivable and entries are the ticket's.
pub(crate) async fn leave_global(cx: &mut Cx<'_>, sale: &LockedSale, global: &RegisteredInvoice) -> Result<(), Error> {
    let Some(folio) = cx.tx.ticket_folio(sale.clave).await? else {
        return Err(Error::internal(format!("sale {} has no folio", sale.clave)));
    };
    // What is left of the line there depends on it.
    if let Some(text) = undecided_note(cx, global.clave, Some(sale.clave)).await? {
        return Err(refused(text));
    }
    let lines = rest::remaining_lines(cx, sale.clave).await?;
    if lines.is_empty() {
        return Err(refused("ya se devolvió completa"));
    }
    let amounts = Amounts::of_document(lines.iter().map(|line| &line.amounts)).map_err(|_| rest::too_large())?;
    let origen = cx.actor.invoice_origin();
    let (factura, heading) =
        queued::open(cx, InvoiceKind::NotaCredito, credit_series(0), Some(sale.clave), None, origen).await?;
    cx.tx.relate(factura, TipoRelacion::NotaDeCredito, global.clave).await?;
    let form = sat::known_payment_form(sale.forma_pago_sat.as_deref()).unwrap_or(CASH);
    let note = CreditNote {
        venta: sale.clave,
        relacion: TipoRelacion::NotaDeCredito,
        forma_pago_sat: form.to_owned(),
        amounts,
        pago: None,
        anticipo: None,
        ticket: Some(folio),
        lines,
    };
    cx.tx.insert_credit_note(factura, &note).await?;
    let document = document::of_note(cx, &note, Some(global.clave), None, heading).await?;
    queued::keep_fit(cx, factura, document).await
}

/// Why a global invoice cannot be left, by this sale or by any, until a credit note about it is
/// stamped, discarded or cancelled.
pub(crate) async fn undecided_note(cx: &mut Cx<'_>, global: i64, venta: Option<i64>) -> Result<Option<String>, Error> {
    let found = cx.tx.undecided_note(global, venta).await?;
    Ok(found.map(|(note, estatus)| match estatus {
        InvoiceStatus::Vigente => format!("tiene la nota de crédito {note}, cuya cancelación se solicitó"),
        _ => format!("tiene la nota de crédito {note} sin timbrar, que primero se timbra o se descarta"),
    }))
}

/// The global invoice that a credit note is about, if it is about one.
pub(crate) async fn global_credited(cx: &mut Cx<'_>, note: i64) -> Result<Option<i64>, Error> {
    for related in cx.tx.related(note).await? {
        if cx.tx.global(related.factura).await?.is_some() {
            return Ok(Some(related.factura));
        }
    }
    Ok(None)
}

/// The credit note that takes a ticket out of a global invoice, and that invoice.
#[derive(Debug)]
pub(crate) struct LeavingTicket {
    pub(crate) note: RegisteredInvoice,
    pub(crate) global: RegisteredInvoice,
}

/// Locks the credit note that takes a ticket out of a global invoice, and that invoice, if the note
/// is not stamped.
pub(crate) async fn lock_leaving(cx: &mut Cx<'_>, venta: i64) -> Result<Option<LeavingTicket>, Error> {
    let Some(clave) = cx.tx.unstamped_ticket_note(venta).await? else { return Ok(None) };
    let Some(note) = cx.tx.lock_invoice(clave).await? else { return Ok(None) };
    let about = cx.tx.related(clave).await?.first().map(|related| related.factura);
    let global = match about {
        Some(factura) => cx.tx.lock_invoice(factura).await?,
        None => None,
    };
    let unstamped = matches!(note.estatus, InvoiceStatus::EnEspera | InvoiceStatus::Error);
    Ok(global.filter(|_| unstamped).map(|global| LeavingTicket { note, global }))
}

/// Puts a ticket back into the stamped global invoice that it did not leave after all. The global
/// invoice cannot be cancelled while the note waits.
pub(crate) async fn return_to_global(cx: &mut Cx<'_>, venta: i64, global: &RegisteredInvoice) -> Result<(), Error> {
    let uuid =
        global.uuid.as_deref().ok_or_else(|| Error::internal("a global invoice without fiscal folio was left"))?;
    Ok(cx.tx.return_to_global(venta, global.clave, uuid, cx.now).await?)
}
