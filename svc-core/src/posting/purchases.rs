//! What purchases write to the books: received goods, bills and their payments.

use rust_decimal::Decimal;

use super::stock;
use crate::domain::accounting::{About, Account, Bill, Purchased, expense_entry, purchase_entry};
use crate::domain::clock::mexico_date;
use crate::domain::purchase::Arrival;
use crate::domain::quantity::{Balance, Quantity};
use crate::domain::stock::{StockChange, StockMovement, cost_of};
use crate::domain::words::{MovementKind, PurchaseStatus};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{BookedDocument, MovementContext, NewPayable, PurchaseOrder};

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
        let movement = StockMovement { tipo: MovementKind::Compra, cantidad: arrival.cantidad, costo_unitario };
        changes.push(StockChange { producto, sku, movement: Some(movement), apartado: Quantity::default() });
    }
    if changes.is_empty() {
        return Ok(came);
    }
    let almacen = stock::warehouse(cx, order.almacen.as_deref(), order.sucursal).await?;
    let context = MovementContext { compra: Some(compra), ..MovementContext::default() };
    let posted = stock::post(cx, &almacen, &changes, &context).await?;
    Ok(Came { mercancias: posted.valor.ok_or_else(too_large)?, movimiento: posted.movimiento, ..came })
}

/// Writes the entry of received goods, with the bill that is created now (`factura`, of the payable
/// `cxp`). `billed` says whether the order has a bill or needs none.
pub(crate) async fn received(
    cx: &mut Cx<'_>,
    compra: i64,
    came: &Came,
    estatus: PurchaseStatus,
    factura: Option<(i64, Bill)>,
    billed: bool,
) -> Result<(), Error> {
    let purchase = Purchased {
        mercancias: came.mercancias,
        gastos: came.gastos,
        factura: factura.map(|(_, bill)| bill),
        pendiente: waiting(cx, compra).await?,
        completa: billed && estatus == PurchaseStatus::Recibida,
    };
    let fecha = mexico_date(cx.now.get());
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

/// Writes the entry of a captured account payable, of an order or an expense. `iva` is the known
/// IVA within its total.
pub(crate) async fn billed(
    cx: &mut Cx<'_>,
    cxp: i64,
    payable: &NewPayable<'_>,
    iva: Balance,
    order: Option<&PurchaseOrder>,
) -> Result<(), Error> {
    let bill = Bill { total: payable.total, iva, pagado: payable.pagado, tipo_cambio: payable.tipo_cambio };
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
    if let Some(entry) = entry {
        let about = About { compra: payable.compra, cxp: Some(cxp), ..About::default() };
        cx.tx.insert_entry(&entry.of(about), cx.now).await?;
    }
    Ok(())
}
