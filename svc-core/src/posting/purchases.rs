//! What purchases write to the books: received goods, bills and their payments.

use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::stock;
use crate::domain::accounting::{
    About, Account, Bill, EntryError, EntryLine, LedgerEntry, OpenedPayable, OpeningBalance, Purchased, expense_entry,
    opening_entry, purchase_entry,
};
use crate::domain::money::Money;
use crate::domain::purchase::Arrival;
use crate::domain::quantity::Quantity;
use crate::domain::stock::IncomingCost;
use crate::domain::stock::{StockChange, StockMovement, cost_of};
use crate::domain::words::{MovementKind, PurchaseStatus};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{BookedDocument, MovementContext, OrderBill, PurchaseOrder, StoredPayable};

/// What was received of a purchase order, in pesos.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Came {
    mercancias: Decimal,
    gastos: Decimal,
    /// The first movement of its goods.
    movimiento: Option<i64>,
}

/// Adds received goods to stock at their cost in pesos; anything that no warehouse holds is an
/// expense.
pub(crate) async fn receive(
    cx: &mut Cx<'_>,
    compra: i64,
    order: &PurchaseOrder,
    arrivals: &[Arrival],
) -> Result<Came, Error> {
    let too_large = || Error::field(Code::DatoInvalido, "compra", "el costo en pesos pasa de 18 dígitos");
    let mut changes = Vec::with_capacity(arrivals.len());
    let mut came = Came::default();
    for arrival in arrivals {
        let costo_unitario = arrival.unit_cost(order.tipo_cambio).ok_or_else(too_large)?;
        let Some((producto, sku)) = arrival.line.producto.clone() else {
            came.gastos += cost_of(arrival.cantidad, costo_unitario).ok_or_else(too_large)?.get();
            continue;
        };
        let costo = IncomingCost::Each(costo_unitario);
        let movement = StockMovement { tipo: MovementKind::Compra, cantidad: arrival.cantidad, costo };
        changes.push(StockChange { producto, sku, movement: Some(movement), apartado: Quantity::default() });
    }
    if changes.is_empty() {
        return Ok(came);
    }
    let almacen = stock::warehouse(cx, order.almacen.as_deref(), order.sucursal).await?;
    let context =
        MovementContext { compra: Some(compra), dia: Some(cx.day_at(order.sucursal)), ..MovementContext::default() };
    let posted = stock::post(cx, &almacen, &changes, &context).await?;
    Ok(Came { mercancias: posted.valor, movimiento: posted.movimiento, ..came })
}

/// Writes the entry of received goods, with the bill that is created now (`factura`, of the payable
/// `cxp`) or the one that the order had. It is complete once it has a bill or needs none.
pub(crate) async fn received(
    cx: &mut Cx<'_>,
    compra: i64,
    came: &Came,
    estatus: PurchaseStatus,
    factura: Option<(i64, Bill)>,
    had: Option<OrderBill>,
    order: &PurchaseOrder,
) -> Result<(), Error> {
    let billed = factura.is_some() || had.is_some() || order.total == Money::default();
    let purchase = Purchased {
        mercancias: came.mercancias,
        gastos: came.gastos,
        factura: factura.map(|(_, bill)| bill),
        pendiente: waiting(cx, compra).await?,
        completa: billed && estatus == PurchaseStatus::Recibida,
        abierta: had.is_some_and(|bill| !bill.capturada),
        ..Purchased::default()
    };
    let fecha = cx.day_at(order.sucursal);
    if let Some(entry) = purchase_entry(format!("Recepción de la compra {compra}"), fecha, &purchase)? {
        let cxp = factura.map(|(cxp, _)| cxp);
        let about = About { compra: Some(compra), cxp, movimiento: came.movimiento, ..About::default() };
        cx.tx.insert_entry(&entry.of(about), cx.now).await?;
    }
    Ok(())
}

/// What was billed and not received, in pesos; negative if more was received than billed.
async fn waiting(cx: &mut Cx<'_>, compra: i64) -> Result<Decimal, Error> {
    Ok(cx.tx.booked(BookedDocument::Purchase(compra), &[Account::EnTransito, Account::PorFacturar]).await?)
}

/// The bill of an account payable.
pub(crate) fn bill_of(payable: &StoredPayable) -> Bill {
    let &StoredPayable { total, impuestos, pagado, tipo_cambio, .. } = payable;
    Bill { total, impuestos, pagado, tipo_cambio }
}

/// Writes the entry of an account payable as it is captured or edited, of an order or an expense.
pub(crate) async fn billed(
    cx: &mut Cx<'_>,
    cxp: i64,
    payable: &StoredPayable,
    order: Option<&PurchaseOrder>,
) -> Result<(), Error> {
    let bill = bill_of(payable);
    let concepto = format!("Cuenta por pagar {cxp}");
    let entry = match (payable.compra, order) {
        (Some(compra), Some(order)) => {
            let pendiente = waiting(cx, compra).await?;
            let completa = order.estatus == PurchaseStatus::Recibida;
            let purchase = Purchased { factura: Some(bill), pendiente, completa, ..Purchased::default() };
            purchase_entry(concepto, payable.fecha, &purchase)?
        }
        _ => expense_entry(concepto, payable.fecha, &bill)?,
    };
    insert(cx, cxp, payable.compra, entry).await
}

/// Posts an edited account payable anew. A captured one's old bill leaves on its own day and the
/// new one is posted on the new day; an imported one's opening is taken back and posted today,
/// because it was posted on the day of the import.
pub(crate) async fn reposted(
    cx: &mut Cx<'_>,
    cxp: i64,
    before: &StoredPayable,
    payable: &StoredPayable,
    order: Option<&PurchaseOrder>,
) -> Result<(), Error> {
    let Some(opened) = before.apertura else {
        unbilled(cx, cxp, before, before.fecha).await?;
        return billed(cx, cxp, payable, order).await;
    };
    let too_much = || Error::field(Code::DatoInvalido, "total", "pasa de 18 dígitos en pesos");
    let apertura = bill_of(payable).opened().map_err(|_: EntryError| too_much())?;
    let today = cx.day_at(payable.sucursal);
    open(cx, cxp, opened.negated(), OpenedPayable::default(), today).await?;
    open(cx, cxp, apertura, apertura, today).await
}

/// Posts `change` of an imported account payable, whose part `apertura` is then posted. The entry
/// is about no document, like that of the import.
async fn open(
    cx: &mut Cx<'_>,
    cxp: i64,
    change: OpenedPayable,
    apertura: OpenedPayable,
    fecha: NaiveDate,
) -> Result<(), Error> {
    if let Some(entry) = opening_entry(fecha, OpeningBalance::Payables(change))? {
        cx.tx.insert_entry(&entry, cx.now).await?;
    }
    Ok(cx.tx.set_payable_opening(cxp, apertura).await?)
}

/// Takes an account payable out of the books, dated `fecha`: an expense's entries are reversed; an
/// order's bill leaves with the difference that it made, and what was received for it waits for
/// another; an imported balance goes back to the opening account.
pub(crate) async fn unbilled(
    cx: &mut Cx<'_>,
    cxp: i64,
    payable: &StoredPayable,
    fecha: NaiveDate,
) -> Result<(), Error> {
    if let Some(opened) = payable.apertura {
        return open(cx, cxp, opened.negated(), OpenedPayable::default(), fecha).await;
    }
    let Some(compra) = payable.compra else {
        for entry in &cx.tx.entries_of_payable(cxp, None).await? {
            cx.tx.insert_entry(&entry.reversed(fecha), cx.now).await?;
        }
        return Ok(());
    };
    let bill = bill_of(payable).negated();
    let pendiente = waiting(cx, compra).await?;
    let order = BookedDocument::Purchase(compra);
    let purchase = Purchased {
        factura: Some(bill),
        pendiente,
        ajustes: cx.tx.booked(order, &[Account::AjustesDeInventario]).await?,
        compras: cx.tx.booked(order, &[Account::Compras]).await?,
        ..Purchased::default()
    };
    let fecha = fecha.max(payable.fecha);
    let entry = purchase_entry(format!("Cancelación: Cuenta por pagar {cxp}"), fecha, &purchase)?;
    insert(cx, cxp, Some(compra), entry).await
}

/// Lets the goods of an order whose imported payable was cancelled wait for another bill: they came
/// against the opening account.
pub(crate) async fn unopened(cx: &mut Cx<'_>, compra: i64, cxp: i64, fecha: NaiveDate) -> Result<(), Error> {
    let opened = cx.tx.booked(BookedDocument::Purchase(compra), &[Account::Apertura]).await?;
    let lines = [EntryLine::of(Account::Apertura, -opened), EntryLine::of(Account::PorFacturar, opened)];
    let entry = LedgerEntry::new(format!("Cancelación: Cuenta por pagar {cxp}"), fecha, lines)?;
    insert(cx, cxp, Some(compra), entry).await
}

async fn insert(cx: &mut Cx<'_>, cxp: i64, compra: Option<i64>, entry: Option<LedgerEntry>) -> Result<(), Error> {
    if let Some(entry) = entry {
        let about = About { compra, cxp: Some(cxp), ..About::default() };
        cx.tx.insert_entry(&entry.of(about), cx.now).await?;
    }
    Ok(())
}
