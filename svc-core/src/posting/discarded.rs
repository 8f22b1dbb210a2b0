//! Discarding a document that ended in `error`: undoes all that it did (contract §7).

use rust_decimal::Decimal;

use super::ticket::{self, LeavingTicket};
use super::{books, credit_note, payment_undone, stock};
use crate::domain::invoice::LockedSale;
use crate::domain::quantity::Quantity;
use crate::domain::stock::StockChange;
use crate::domain::text::printed_folio;
use crate::domain::words::{InvoiceKind, InvoiceStatus, PaymentOrigin, SaleKind};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{ActiveWarehouse, RegisteredInvoice, SaleBefore, SaleGoods, SalePayment};

/// Undoes the effects of `invoice`, whose record is locked and in `error`, and cancels the record
/// without a reason.
pub(crate) async fn discard(cx: &mut Cx<'_>, invoice: &RegisteredInvoice) -> Result<(), Error> {
    match (invoice.tipo, invoice.venta) {
        // Nothing belongs to a substitute before it is stamped.
        _ if invoice.sustituye.is_some() => {}
        (InvoiceKind::NotaCredito, _) => note(cx, invoice).await?,
        (InvoiceKind::Factura, Some(venta)) => sale(cx, invoice, venta).await?,
        (InvoiceKind::Factura, None) => {
            cx.tx.set_global_folio(invoice.clave, None, cx.now).await?;
        }
        (InvoiceKind::Pago, _) => {
            let text = "es un complemento de pago: se corrige con payment.restamp, o su pago se cancela con \
                        payment.cancel";
            return Err(refused(text));
        }
        _ => return Err(refused("solo se descartan facturas y notas de crédito")),
    }
    withdraw(cx, invoice.clave).await
}

/// Cancels the record, which is no longer queued.
async fn withdraw(cx: &mut Cx<'_>, factura: i64) -> Result<(), Error> {
    cx.tx.unqueue_stamping(factura).await?;
    Ok(cx.tx.set_cancelled(factura, None, cx.now).await?)
}

fn refused(text: &str) -> Error {
    Error::field(Code::EstadoInvalido, "factura", text)
}

async fn note(cx: &mut Cx<'_>, record: &RegisteredInvoice) -> Result<(), Error> {
    let Some(note) = cx.tx.credit_note(record.clave).await? else { return Ok(()) };
    if note.ticket.is_some() {
        return Err(leaving_note(cx, note.venta).await?);
    }
    credit_note::validate_undo(cx, record, &note).await?;
    credit_note::undo(cx, record, &note).await
}

/// The refusal of a note that takes a ticket out of a global invoice: the ticket has an invoice of
/// its own, which waits for it.
async fn leaving_note(cx: &mut Cx<'_>, venta: i64) -> Result<Error, Error> {
    let own = cx.tx.invoice_of_sale(venta).await?;
    let own = own.ok_or_else(|| Error::internal(format!("ticket {venta} has no invoice of its own")))?;
    Ok(refused(&format!(
        "saca la venta {venta} de su factura global, porque tiene la factura {own}: la nota se vuelve a timbrar, o se \
         descarta esa factura, y la nota con ella"
    )))
}

/// Whether an invoice waits in vain, because the note that takes its ticket out of a global invoice
/// was rejected. The invoice was never sent, so it can be given up.
pub(crate) async fn waits_in_vain(cx: &mut Cx<'_>, invoice: &RegisteredInvoice) -> Result<bool, Error> {
    let (InvoiceKind::Factura, Some(venta)) = (invoice.tipo, invoice.venta) else { return Ok(false) };
    let leaving = ticket::lock_leaving(cx, venta).await?;
    if leaving.is_none_or(|leaving| leaving.note.estatus != InvoiceStatus::Error) {
        return Ok(false);
    }
    let queued = cx.tx.lock_queued(invoice.clave).await?;
    Ok(queued.is_some_and(|queued| !queued.leased && queued.sealed.is_none()))
}

/// Undoes an invoice of one sale. A sale that was cancelled, or has another invoice, stays as it
/// is.
async fn sale(cx: &mut Cx<'_>, invoice: &RegisteredInvoice, venta: i64) -> Result<(), Error> {
    let leaving = ticket::lock_leaving(cx, venta).await?;
    cx.tx.lock_receivables(venta).await?;
    let own = |sale: &LockedSale| sale.factura.as_ref().is_some_and(|own| own.clave == invoice.clave);
    let Some(sale) = cx.tx.lock_sale(venta).await?.filter(|sale| !sale.cancelada && own(sale)) else { return Ok(()) };
    if let Some(LeavingTicket { note, .. }) =
        leaving.as_ref().filter(|leaving| leaving.note.estatus == InvoiceStatus::EnEspera)
    {
        let note = note.clave;
        return Err(refused(&format!(
            "la nota de crédito {note}, que saca su venta de una factura global, espera su timbre"
        )));
    }
    credit_note::lock_customer(cx, &sale).await?;
    let before = match cx.tx.sale_before(invoice.clave).await? {
        Some(before) => Some((folio_of(cx, &before).await?, before)),
        None => None,
    };
    let gone = cx.tx.goods_sold(venta).await?;
    stock::lock(cx, gone.iter().map(|gone| (&gone.almacen, gone.producto))).await?;
    advances_return(cx, invoice.clave).await?;
    if sale.tipo == SaleKind::Anticipo {
        return advance(cx, invoice, &sale).await;
    }
    let payments = cx.tx.payments_of_sale(venta).await?;
    match before {
        Some((folio, before)) if before.was_owed() => {
            // Payments that need no complement do not name the invoice.
            validate_no_payments(payments.iter().filter(|payment| payment.con_complemento))?;
            restore(cx, invoice.clave, &before, folio).await?;
            match leaving {
                Some(leaving) => stays_in_global(cx, venta, &leaving).await,
                None => Ok(()),
            }
        }
        Some((folio, before)) => {
            validate_no_payments(payments.iter())?;
            let reserved = if before.tipo == SaleKind::Pedido { reserved(cx, &sale).await? } else { Vec::new() };
            books::reverse(cx, venta, invoice.folio.as_deref(), reserved).await?;
            restore(cx, invoice.clave, &before, folio).await
        }
        None if sale.tipo == SaleKind::Factura => {
            validate_no_payments(payments.iter())?;
            cancel(cx, invoice, venta).await
        }
        None => Ok(cx.tx.detach_invoice(venta, cx.now).await?),
    }
}

/// Gives up the note that was to take a ticket out of a global invoice: the ticket stays in it.
async fn stays_in_global(cx: &mut Cx<'_>, venta: i64, leaving: &LeavingTicket) -> Result<(), Error> {
    withdraw(cx, leaving.note.clave).await?;
    ticket::return_to_global(cx, venta, &leaving.global).await
}

/// The number that a sale had before its invoice, or a new one.
async fn folio_of(cx: &mut Cx<'_>, before: &SaleBefore) -> Result<i64, Error> {
    match before.folio {
        Some(folio) => Ok(folio),
        None => Ok(cx.tx.next_folio(before.tipo.word(), "").await?),
    }
}

async fn restore(cx: &mut Cx<'_>, factura: i64, before: &SaleBefore, folio: i64) -> Result<(), Error> {
    let printed = printed_folio(before.serie.as_deref().unwrap_or_default(), folio);
    Ok(cx.tx.restore_sale(factura, folio, &printed, cx.now).await?)
}

/// A sale that was never anything but this invoice is cancelled.
async fn cancel(cx: &mut Cx<'_>, invoice: &RegisteredInvoice, venta: i64) -> Result<(), Error> {
    books::undo(cx, venta, invoice.folio.as_deref(), Vec::new()).await?;
    Ok(cx.tx.set_sale_cancelled(venta, cx.now).await?)
}

fn validate_no_payments<'p>(payments: impl Iterator<Item = &'p SalePayment>) -> Result<(), Error> {
    let claves: Vec<String> = payments.map(|payment| payment.pago.to_string()).collect();
    if claves.is_empty() {
        return Ok(());
    }
    Err(refused(&format!("tiene pagos aplicados ({}); primero se cancelan con payment.cancel", claves.join(", "))))
}

/// Discards the credit notes that apply advances to an invoice: they wait for it.
async fn advances_return(cx: &mut Cx<'_>, factura: i64) -> Result<(), Error> {
    for clave in cx.tx.notes_about(factura).await? {
        let record = cx.tx.lock_invoice(clave).await?;
        let record = record.ok_or_else(|| Error::internal(format!("credit note {clave} has no record")))?;
        if record.uuid.is_some() {
            return Err(refused("su venta tiene notas de crédito; primero se cancelan"));
        }
        note(cx, &record).await?;
        withdraw(cx, clave).await?;
    }
    Ok(())
}

/// What an order reserved before it was invoiced.
async fn reserved(cx: &mut Cx<'_>, sale: &LockedSale) -> Result<Vec<(ActiveWarehouse, StockChange)>, Error> {
    let goods = cx.tx.sale_goods(sale.clave).await?;
    if goods.is_empty() {
        return Ok(Vec::new());
    }
    let almacen = stock::any_warehouse_of_sale(cx, sale).await?;
    let reserve = |line: SaleGoods| {
        let apartado = Quantity::new(line.cantidad.get());
        (almacen.clone(), StockChange { producto: line.producto, sku: line.sku, movement: None, apartado })
    };
    Ok(goods.into_iter().map(reserve).collect())
}

/// Cancels an advance; its money becomes a balance in the customer's favour. Fails if it was
/// applied.
async fn advance(cx: &mut Cx<'_>, invoice: &RegisteredInvoice, sale: &LockedSale) -> Result<(), Error> {
    let payments = cx.tx.payments_of_sale(sale.clave).await?;
    if let Some(cliente) = sale.cliente {
        cx.tx.lock_buyer(cliente).await?;
        let paid = sale.amounts.total.get() - sale.saldo.get();
        let funds = cx.tx.funds(cliente, &sale.moneda, PaymentOrigin::Anticipo).await?;
        let unapplied = cx.tx.lock_advance(sale.clave).await?.map_or(Decimal::ZERO, |advance| advance.restante.get());
        if paid > Decimal::ZERO && funds.min(unapplied) < paid {
            return Err(refused("el anticipo ya se aplicó; primero se deshace lo que lo aplica"));
        }
    }
    for SalePayment { pago, .. } in payments {
        if let Some(applied) = cx.tx.lock_payment(pago).await? {
            payment_undone::into_favour(cx, pago, &applied, invoice.clave).await?;
        }
    }
    cancel(cx, invoice, sale.clave).await
}
