//! Pays receivables with advances: those named for a sale, when it is invoiced, and any other
//! later.

use rust_decimal::Decimal;

use super::credit_note::{self, NewNote};
use super::issuer::validate_issuer;
use super::payment::{self, validate_one};
use super::payment_data::{AdvancePart, PaymentData};
use crate::domain::advance;
use crate::domain::cfdi::TipoRelacion;
use crate::domain::credit_note::CreditLine;
use crate::domain::invoice::LockedSale;
use crate::domain::money::Money;
use crate::domain::payment::LockedReceivable;
use crate::domain::words::PaymentOrigin;
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::Advance;

/// Why a sale is not invoiced if advances pay it by an entry alone: its invoice would charge again
/// what theirs charged. Only an advance that is applied to an invoice is documented, by a credit
/// note (07).
pub(crate) const PAID_BY_ADVANCES: &str =
    "la pagan anticipos con factura; esos pagos se cancelan antes, y se aplican después de facturar";

/// Refuses an advance whose invoice was rejected. It would pay by an entry alone, and its invoice
/// would charge the same again if it were stamped after all.
pub(crate) fn refuse_in_error(advance: &Advance) -> Result<(), Error> {
    if advance.en_error { Err(in_error()) } else { Ok(()) }
}

fn in_error() -> Error {
    let text = "su factura está en error; se corrige con invoice.restamp o se descarta con document.discard";
    Error::field(Code::EstadoInvalido, "anticipo", text)
}

/// Applies the advances that were assigned to a sale just invoiced as `factura`, as long as
/// something is owed. The invoice relates to them (07), and a credit note per advance, related to
/// the invoice, reduces the receivable.
pub(crate) async fn apply_named(cx: &mut Cx<'_>, sale: &LockedSale, factura: i64) -> Result<(), Error> {
    let Some(cliente) = sale.cliente else { return Ok(()) };
    for anticipo in cx.tx.assigned_advances(sale.clave).await? {
        // Advances that were cancelled or rejected meanwhile are skipped.
        let Some(found) = cx.tx.lock_advance(anticipo).await? else { continue };
        let Some(invoiced) = found.factura else { continue };
        let Some((cxc, owed)) = cx.tx.owed_of_sale(sale.clave).await? else { break };
        let funds = cx.tx.funds(cliente, &sale.moneda, PaymentOrigin::Anticipo).await?;
        let part = found.restante.get().min(owed.get()).min(funds);
        if part <= Decimal::ZERO {
            continue;
        }
        cx.tx.relate(factura, TipoRelacion::Anticipo, invoiced).await?;
        let terms = PaymentData {
            origen: PaymentOrigin::Anticipo,
            cuenta_bancaria: None,
            forma_pago_sat: advance::FORM,
            fecha: cx.day_at(sale.sucursal),
            referencia: None,
            deposito: None,
            by_note: true,
            acreditado: None,
            anticipo: None,
            tipo_cambio: None,
        };
        by_note(cx, &terms, sale, factura, cxc, &found, Money::new(part)).await?;
    }
    Ok(())
}

/// Pays a receivable with the advance `named`, or with the customer's oldest ones. An invoice gets
/// a credit note per advance; a receivable without a document only the ledger's entries. Returns
/// the payments.
pub(crate) async fn pay(
    cx: &mut Cx<'_>,
    terms: &PaymentData<'_>,
    cxc: i64,
    importe: Money,
    named: Option<i64>,
) -> Result<Vec<i64>, Error> {
    let debt = validate_one(cx, terms, cxc, importe).await?;
    let parts = choose(cx, &debt, importe, named).await?;
    let rate = |given| parts.iter().all(|(advance, _)| advance.tipo_cambio == given);
    if terms.tipo_cambio.is_some_and(|given| !rate(given)) {
        let text = "un anticipo vale lo que al pagarse; se omite, o es el suyo";
        return Err(Error::field(Code::DatoInvalido, "tipo_cambio", text));
    }
    let mut pagos = Vec::with_capacity(parts.len());
    for (advance, part) in &parts {
        let pago = match (documented(&debt, advance), debt.venta) {
            (Some(factura), Some(venta)) => {
                validate_issuer(cx).await?;
                let sale = cx.tx.lock_sale(venta).await?.ok_or(Code::NoEncontrado)?;
                by_note(cx, terms, &sale, factura, cxc, advance, *part).await?
            }
            _ => by_entry(cx, terms, cxc, advance, *part).await?,
        };
        pagos.push(pago);
    }
    Ok(pagos)
}

/// The invoice that a credit note for this advance relates to; `None` if invoice or advance has no
/// document in the registry.
fn documented(debt: &LockedReceivable, advance: &Advance) -> Option<i64> {
    debt.factura.filter(|_| debt.is_invoiced() && advance.factura.is_some())
}

/// Locks the advances that pay `importe`, with the part of each.
async fn choose(
    cx: &mut Cx<'_>,
    debt: &LockedReceivable,
    importe: Money,
    named: Option<i64>,
) -> Result<Vec<(Advance, Money)>, Error> {
    let candidates = match (named, debt.cliente) {
        (Some(named), _) => vec![named],
        (None, Some(cliente)) => cx.tx.open_advances(cliente, &debt.moneda).await?,
        (None, None) => Vec::new(),
    };
    let (mut parts, mut left) = (Vec::new(), importe.get());
    let (mut without_document, mut rejected) = (false, false);
    for anticipo in candidates.into_iter().filter(|clave| named.is_some() || Some(*clave) != debt.venta) {
        if left <= Decimal::ZERO {
            break;
        }
        let found = cx.tx.lock_advance(anticipo).await?;
        if named.is_some() {
            validate_named(debt, anticipo, found.as_ref())?;
        }
        let Some(found) = found else { continue };
        if found.en_error {
            rejected = true;
            continue;
        }
        if debt.needs_complement() && debt.factura.is_some() && found.factura.is_none() {
            without_document = true;
            continue;
        }
        let part = found.restante.get().min(left);
        if part > Decimal::ZERO {
            left -= part;
            parts.push((found, Money::new(part)));
        }
    }
    match left {
        left if left <= Decimal::ZERO => Ok(parts),
        _ if rejected => Err(in_error()),
        _ if without_document => {
            let text = "no tiene factura vigente, y una factura en parcialidades solo aplica anticipos facturados";
            Err(Error::field(Code::EstadoInvalido, "anticipo", text))
        }
        _ => Err(Code::SaldoInsuficiente.into()),
    }
}

/// Refuses an advance that cannot pay this receivable.
fn validate_named(debt: &LockedReceivable, anticipo: i64, found: Option<&Advance>) -> Result<(), Error> {
    let missing = || {
        let text = format_args!("el anticipo {anticipo} no existe en la empresa, o está cancelado");
        Error::field(Code::NoEncontrado, "anticipo", text)
    };
    let found = found.ok_or_else(missing)?;
    let refused = |text| Err(Error::field(Code::EstadoInvalido, "anticipo", text));
    match found {
        _ if debt.venta == Some(anticipo) => refused("no se paga a sí mismo"),
        _ if found.cliente.is_none() || found.cliente != debt.cliente => refused("es de otro cliente"),
        _ if found.moneda != debt.moneda => Err(Code::MonedaDistinta.into()),
        _ => refuse_in_error(found),
    }
}

/// Pays a receivable without a document: the ledger alone says so.
async fn by_entry(
    cx: &mut Cx<'_>,
    terms: &PaymentData<'_>,
    cxc: i64,
    advance: &Advance,
    importe: Money,
) -> Result<i64, Error> {
    let part = AdvancePart::of(advance, importe)?;
    let terms = PaymentData { anticipo: Some(&part), tipo_cambio: Some(advance.tipo_cambio), ..*terms };
    let applied = payment::apply(cx, &terms, &[(cxc, importe)]).await?;
    let pago = applied.payments.first().map(|part| part.pago);
    pago.ok_or_else(|| Error::internal("an advance was applied by no payment"))
}

/// Pays the receivable of the invoice `factura` by a credit note (07). The advance counts at its
/// own exchange rate; the difference to the invoice's is an exchange gain or loss.
async fn by_note(
    cx: &mut Cx<'_>,
    terms: &PaymentData<'_>,
    sale: &LockedSale,
    factura: i64,
    cxc: i64,
    advance: &Advance,
    importe: Money,
) -> Result<i64, Error> {
    let line = note_line(cx, advance, importe).await?;
    let note = NewNote {
        factura,
        sale,
        relacion: TipoRelacion::Anticipo,
        forma_pago_sat: advance::FORM,
        anticipo: Some(advance.venta),
        cuenta: None,
        amounts: line.amounts,
        lines: vec![line],
    };
    let part = AdvancePart::of(advance, importe)?;
    let terms = PaymentData { by_note: true, anticipo: Some(&part), tipo_cambio: Some(advance.tipo_cambio), ..*terms };
    credit_note::apply_advance(cx, note, cxc, &terms).await
}

/// The line of a credit note about `importe` of an advance.
pub(crate) async fn note_line(cx: &mut Cx<'_>, advance: &Advance, importe: Money) -> Result<CreditLine, Error> {
    let lines = cx.tx.lines_to_stamp(&[advance.venta]).await?;
    let line = lines.first().and_then(|(_, line)| advance::applied(line, advance.aplicado, importe));
    line.ok_or_else(|| Error::new(Code::DocumentoInvalido).message("el anticipo no se deja dividir así"))
}
