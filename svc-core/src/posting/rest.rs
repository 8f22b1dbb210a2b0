//! What is left of sales after what came back of them.

use std::collections::HashMap;

use crate::domain::cfdi::{InvoiceSource, Line, TipoRelacion};
use crate::domain::credit_note::{CreditFault, CreditLine, CreditReason, Credited, TakenBack, credit};
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::sale::Amounts;
use crate::error::{Code, Error};
use crate::operation::Cx;

/// What is left of a sale's lines after what came back of them, as the lines of a note that credits
/// all of it.
pub(super) async fn remaining_lines(cx: &mut Cx<'_>, venta: i64) -> Result<Vec<CreditLine>, Error> {
    let credited: HashMap<i64, Credited> = cx.tx.credited(venta).await?.into_iter().collect();
    let mut left = Vec::new();
    for (_, line) in cx.tx.lines_to_stamp(&[venta]).await? {
        let before = credited.get(&line.renglon).copied().unwrap_or_default();
        left.extend(rest_of(&line, &before)?);
    }
    Ok(left)
}

/// The lines of sales as their documents have them: without what came back before.
pub(crate) async fn lines_left(cx: &mut Cx<'_>, ventas: &[i64]) -> Result<Vec<(i64, Line)>, Error> {
    let lines = cx.tx.lines_to_stamp(ventas).await?;
    without_returned(cx, ventas, lines).await
}

/// Leaves the source of a ticket's invoice with the rest of the ticket.
pub(crate) async fn leave_rest(cx: &mut Cx<'_>, venta: i64, source: &mut InvoiceSource) -> Result<(), Error> {
    let lines = std::mem::take(&mut source.renglones).into_iter().map(|line| (venta, line)).collect();
    source.renglones = without_returned(cx, &[venta], lines).await?.into_iter().map(|(_, line)| line).collect();
    let left = Amounts::of_document(source.renglones.iter().map(|line| &line.amounts)).map_err(|_| too_large())?;
    let sale = &mut source.venta;
    (sale.subtotal, sale.descuento) = (left.subtotal, left.descuento);
    (sale.impuestos, sale.total) = (left.impuestos(), left.total);
    Ok(())
}

/// The total of a sale's invoice: `total`, without what came back before.
pub(crate) async fn invoiced_total(cx: &mut Cx<'_>, venta: i64, total: Money) -> Result<Money, Error> {
    if cx.tx.returned(&[venta]).await?.is_empty() {
        return Ok(total);
    }
    let left = lines_left(cx, &[venta]).await?;
    let left = Amounts::of_document(left.iter().map(|(_, line)| &line.amounts)).map_err(|_| too_large())?;
    Ok(left.total)
}

async fn without_returned(cx: &mut Cx<'_>, ventas: &[i64], lines: Vec<(i64, Line)>) -> Result<Vec<(i64, Line)>, Error> {
    let returned: HashMap<(i64, i64), Credited> =
        cx.tx.returned(ventas).await?.into_iter().map(|(venta, renglon, before)| ((venta, renglon), before)).collect();
    if returned.is_empty() {
        return Ok(lines);
    }
    let mut left = Vec::with_capacity(lines.len());
    for (venta, line) in lines {
        match returned.get(&(venta, line.renglon)) {
            None => left.push((venta, line)),
            Some(before) => left.extend(rest_of(&line, before)?.map(|rest| {
                let line = rest.of_document(line, TipoRelacion::Devolucion);
                (venta, line)
            })),
        }
    }
    Ok(left)
}

/// What is left of a line; `None` if nothing is, or if it was free.
fn rest_of(line: &Line, before: &Credited) -> Result<Option<CreditLine>, Error> {
    let units = Quantity::new(line.cantidad.get() - before.cantidad.get());
    if units <= Quantity::default() {
        return Ok(None);
    }
    match credit(line, before, TakenBack::Units(units), CreditReason::Return) {
        Ok(credit) => Ok(Some(credit)),
        Err(CreditFault::Nothing) => Ok(None),
        Err(_) => Err(too_large()),
    }
}

pub(super) fn too_large() -> Error {
    Error::field(Code::DatoInvalido, "venta", "el importe pasa de 18 dígitos")
}
