//! The global invoice of a period's sales to the general public.

use std::collections::{BTreeMap, HashMap};

use rust_decimal::Decimal;

use super::issuer::issuer;
use super::receiver::place_of_issue;
use super::rest;
use crate::domain::cfdi::{
    Cfdi, CfdiFault, GlobalSource, Heading, InformacionGlobal, Line, Ticket, TicketNoteSource, TipoRelacion,
    build_global, build_ticket_note,
};
use crate::domain::credit_note::CreditLine;
use crate::domain::payment::CASH;
use crate::domain::sat;
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{CreditNote, GlobalPeriod, GlobalSale, GlobalSales, RegisteredInvoice, SaleToStamp};

/// The period of a global invoice and the sales that are still in it: those that are not cancelled,
/// did not come back and have no other invoice. They stay locked. `None` if the record is another
/// document.
pub(crate) async fn remaining(cx: &mut Cx<'_>, factura: i64) -> Result<Option<(GlobalPeriod, Vec<GlobalSale>)>, Error> {
    let Some((period, ventas)) = cx.tx.global(factura).await? else { return Ok(None) };
    let related = cx.tx.related(factura).await?;
    // Until a substitute is stamped, its sales are those of the invoice that it replaces.
    let replaced = related.iter().find(|other| other.relacion == TipoRelacion::Sustitucion).map(|other| other.factura);
    let which = GlobalSales { ventas: Some(&ventas), max: i64::MAX, ..GlobalSales::default() };
    let mut sales = cx.tx.lock_global_sales(&which).await?;
    let inside = |sale: &GlobalSale| sale.factura.is_some_and(|of| of == factura || Some(of) == replaced);
    sales.retain(|sale| !sale.cancelada && inside(sale) && !sale.is_returned());
    Ok(Some((period, sales)))
}

/// Removes the sales from a global invoice in `error` that it can no longer take: those that were
/// cancelled, came back or have another invoice, and those of customers who have an RFC by now. A
/// substitute keeps the latter: they are in the invoice that it replaces.
pub(crate) async fn release_unfit(cx: &mut Cx<'_>, invoice: &RegisteredInvoice) -> Result<(), Error> {
    let factura = invoice.clave;
    let Some((_, listed)) = cx.tx.global(factura).await? else { return Ok(()) };
    let mut fit = remaining(cx, factura).await?.map(|(_, sales)| sales).unwrap_or_default();
    fit.retain(|sale| invoice.sustituye.is_some() || sale.is_public());
    if fit.is_empty() {
        let text = "no le queda ninguna venta; se descarta con document.discard";
        return Err(Error::field(Code::EstadoInvalido, "factura", text));
    }
    let unfit: Vec<i64> = listed.into_iter().filter(|venta| !fit.iter().any(|sale| sale.venta == *venta)).collect();
    Ok(cx.tx.release_from_global(factura, &unfit, cx.now).await?)
}

/// Whether a sale of a global invoice is no longer in it.
pub(crate) async fn has_lost_sales(cx: &mut Cx<'_>, factura: i64) -> Result<bool, Error> {
    let Some((_, listed)) = cx.tx.global(factura).await? else { return Ok(false) };
    let remaining = remaining(cx, factura).await?.map_or(0, |(_, sales)| sales.len());
    Ok(remaining < listed.len())
}

/// The document of a queued global invoice with the sales that are still in it.
pub(crate) async fn of_record(
    cx: &mut Cx<'_>,
    factura: i64,
    encabezado: Heading,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    match remaining(cx, factura).await? {
        Some((period, sales)) => document(cx, &period, sales, encabezado).await,
        None => Ok(Err(CfdiFault::Missing("la venta que se factura"))),
    }
}

/// The document of these sales, without date, certificate and seal.
pub(crate) async fn document(
    cx: &mut Cx<'_>,
    period: &GlobalPeriod,
    sales: Vec<GlobalSale>,
    encabezado: Heading,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    let Some(first) = sales.first() else { return Ok(Err(CfdiFault::Missing("al menos un ticket"))) };
    let (moneda, tipo_cambio) = (first.moneda.clone(), first.tipo_cambio);
    let forma_pago_sat = Some(greatest_form(&sales).to_owned());
    let ventas: Vec<i64> = sales.iter().map(|sale| sale.venta).collect();
    let mut lines: HashMap<i64, Vec<Line>> = HashMap::new();
    for (venta, line) in rest::lines_left(cx, &ventas).await? {
        lines.entry(venta).or_default().push(line);
    }
    let ticket =
        |sale: GlobalSale| Ticket { folio: sale.folio, renglones: lines.remove(&sale.venta).unwrap_or_default() };
    let tickets = sales.into_iter().map(ticket).collect();
    let GlobalPeriod { periodicidad, meses, anio } = period.clone();
    let periodo = InformacionGlobal { periodicidad, meses, anio };
    let emisor = issuer(cx, None);
    let mut source = GlobalSource { emisor, encabezado, periodo, moneda, tipo_cambio, forma_pago_sat, tickets };
    if check_border_tickets(&source).is_err() {
        // Sales of one branch are invoiced from there.
        let mut places = cx.tx.places_of_sales(&ventas).await?;
        let one = places.pop().filter(|_| places.is_empty());
        let Some(cp) = one else { return Ok(Err(CfdiFault::BorderTickets)) };
        source.emisor.cp = cp.or(source.emisor.cp);
    }
    Ok(check_border_tickets(&source).and_then(|()| build_global(&source)))
}

fn check_border_tickets(source: &GlobalSource) -> Result<(), CfdiFault> {
    source.emisor.check_border_rate(source.tickets.iter().flat_map(|ticket| &ticket.renglones))
}

/// The document of a credit note that takes a ticket out of the global invoice `global`: its line
/// there.
pub(crate) async fn of_leaving(
    cx: &mut Cx<'_>,
    note: &CreditNote,
    global: Option<i64>,
    folio: &str,
    encabezado: Heading,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    let Some(SaleToStamp { sale, .. }) = cx.tx.sale_to_stamp(note.venta).await? else {
        return Ok(Err(CfdiFault::Missing("la venta de la nota de crédito")));
    };
    let lines = cx.tx.lines_to_stamp(&[note.venta]).await?;
    let of_line = |credit: &CreditLine| {
        let line = lines.iter().map(|(_, line)| line).find(|line| line.renglon == credit.renglon)?;
        Some(credit.of_document(line.clone(), TipoRelacion::Devolucion))
    };
    let renglones: Vec<Line> = note.lines.iter().filter_map(of_line).collect();
    let mut emisor = issuer(cx, None);
    if emisor.check_border_rate(&renglones).is_err() {
        emisor.cp = place_of_issue(cx, global).await?.or(emisor.cp);
    }
    let ticket = TicketNoteSource {
        emisor,
        encabezado,
        moneda: sale.moneda,
        tipo_cambio: sale.tipo_cambio,
        forma_pago_sat: note.forma_pago_sat.clone(),
        ticket: Ticket { folio: folio.to_owned(), renglones },
    };
    Ok(build_ticket_note(&ticket))
}

/// The payment form of the largest part of these sales (`c_FormaPago`); cash if no sale has one.
fn greatest_form(sales: &[GlobalSale]) -> &str {
    let mut sums: BTreeMap<&str, Decimal> = BTreeMap::new();
    for sale in sales {
        let form = sat::known_payment_form(sale.forma_pago_sat.as_deref()).unwrap_or(CASH);
        *sums.entry(form).or_default() += sale.total.get();
    }
    // Of equal sums, the first in the catalogue.
    sums.into_iter().rev().max_by_key(|(_, sum)| *sum).map_or(CASH, |(form, _)| form)
}
