//! What every sale that is owed writes: the goods that leave, the receivable, the accounting entry.

use chrono::NaiveDate;

use super::stock;
use crate::domain::accounting::{Account, SaleAmounts, sale_entry};
use crate::domain::clock::mexico_date;
use crate::domain::money::Money;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::sale::Amounts;
use crate::domain::stock::{Movement, StockChange, cost_of};
use crate::domain::words::{MovementKind, PaymentMethod, SaleKind};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{ActiveWarehouse, GoodsGone, MovementContext, NewReceivable, SaleGoods};

/// A sale that becomes owed.
#[derive(Debug)]
pub(crate) struct Owed<'a> {
    pub(crate) venta: i64,
    pub(crate) tipo: SaleKind,
    pub(crate) factura: Option<i64>,
    /// Series and number, as people write them.
    pub(crate) folio: &'a str,
    pub(crate) cliente: Option<i64>,
    pub(crate) sucursal: i64,
    pub(crate) moneda: &'a str,
    pub(crate) tipo_cambio: Rate,
    pub(crate) metodo_pago_sat: Option<PaymentMethod>,
    pub(crate) fecha: NaiveDate,
    pub(crate) vencimiento: NaiveDate,
    pub(crate) amounts: Amounts,
}

/// Takes the goods out of the warehouse, and what an order had reserved of them; gives what they cost.
pub(crate) async fn goods_leave(
    cx: &mut Cx<'_>,
    almacen: &ActiveWarehouse,
    goods: &[SaleGoods],
    reserved: bool,
    venta: i64,
    folio: &str,
) -> Result<Money, Error> {
    let leave = |line: &SaleGoods| StockChange {
        producto: line.producto,
        sku: line.sku.clone(),
        movement: Some(Movement { tipo: MovementKind::Venta, cantidad: line.cantidad, costo_unitario: line.costo }),
        apartado: if reserved { Quantity::new(-line.cantidad.get()) } else { Quantity::default() },
    };
    let changes: Vec<StockChange> = goods.iter().map(leave).collect();
    let context = MovementContext { venta: Some(venta), referencia: Some(folio), ..MovementContext::default() };
    stock::post(cx, almacen, &changes, &context).await?;
    let costs = goods.iter().map(|line| cost_of(line.cantidad, line.costo).map(Money::get));
    costs.sum::<Option<_>>().map(Money::new).ok_or_else(too_costly)
}

/// What the goods cost that a sale has taken so far.
pub(crate) async fn cost_of_goods_gone(cx: &mut Cx<'_>, venta: i64) -> Result<Money, Error> {
    let gone = cx.tx.goods_gone(venta).await?;
    let costs = gone.iter().map(|gone| cost_of(gone.cantidad, gone.costo_unitario).map(Money::get));
    costs.sum::<Option<_>>().map(Money::new).ok_or_else(too_costly)
}

pub(super) fn too_costly() -> Error {
    Error::field(Code::DatoInvalido, "renglones", "el costo de lo vendido pasa de 18 dígitos")
}

/// Why a document with payments is not cancelled.
pub(crate) fn has_payments() -> Error {
    Error::field(Code::EstadoInvalido, "venta", "su cuenta por cobrar tiene pagos aplicados")
}

/// Why a document with credit notes is not cancelled.
pub(super) fn has_notes() -> Error {
    Error::field(Code::EstadoInvalido, "venta", "tiene notas de crédito; primero se cancelan")
}

/// Undoes what [`goods_leave`] and [`becomes_owed`] wrote of a sale: the goods come back as they went, the receivable is
/// cancelled, the entry reversed; `held` is what it still reserves. A receivable with payments stays, and so does all else.
pub(crate) async fn undo(
    cx: &mut Cx<'_>,
    venta: i64,
    folio: Option<&str>,
    held: Vec<(ActiveWarehouse, StockChange)>,
) -> Result<(), Error> {
    if cx.tx.lock_receivables(venta).await? {
        return Err(has_payments());
    }
    cx.tx.cancel_receivables(venta, cx.now).await?;
    let gone = cx.tx.goods_gone(venta).await?;
    let changes = held.into_iter().chain(gone.into_iter().map(back)).collect();
    let context = MovementContext { venta: Some(venta), referencia: folio, ..MovementContext::default() };
    post_by_warehouse(cx, changes, &context).await?;
    if let Some(entry) = cx.tx.entry_of_sale(venta).await? {
        cx.tx.insert_entry(&entry.reversed(mexico_date(cx.now.get())), cx.now).await?;
    }
    Ok(())
}

/// Changes the stock of several warehouses, one after the other in one order, as every change of stock.
pub(super) async fn post_by_warehouse(
    cx: &mut Cx<'_>,
    mut changes: Vec<(ActiveWarehouse, StockChange)>,
    context: &MovementContext<'_>,
) -> Result<(), Error> {
    changes.sort_by_key(|(almacen, _)| almacen.clave);
    for there in changes.chunk_by(|(a, _), (b, _)| a.clave == b.clave) {
        let Some((almacen, _)) = there.first() else { continue };
        let changes: Vec<StockChange> = there.iter().map(|(_, change)| change.clone()).collect();
        stock::post(cx, almacen, &changes, context).await?;
    }
    Ok(())
}

/// Goods that come back, to where they lay.
fn back(gone: GoodsGone) -> (ActiveWarehouse, StockChange) {
    let GoodsGone { almacen, producto, sku, cantidad, costo_unitario } = gone;
    let movement = Some(Movement { tipo: MovementKind::CancelacionVenta, cantidad, costo_unitario });
    (almacen, StockChange { producto, sku, movement, apartado: Quantity::default() })
}

/// Makes the receivable and the accounting entry; gives the receivable's clave.
pub(crate) async fn becomes_owed(cx: &mut Cx<'_>, sale: &Owed<'_>, costo: Money) -> Result<i64, Error> {
    let row = NewReceivable {
        folio: sale.folio,
        cliente: sale.cliente,
        venta: sale.venta,
        tipo_venta: sale.tipo,
        factura: sale.factura,
        metodo_pago_sat: sale.metodo_pago_sat,
        fecha: sale.fecha,
        vencimiento: sale.vencimiento,
        moneda: sale.moneda,
        tipo_cambio: sale.tipo_cambio,
        total: sale.amounts.total,
        sucursal: sale.sucursal,
        modificado: cx.now,
    };
    let cxc = cx.tx.insert_receivable(&row).await?;
    // An advance is owed like a sale, but nothing is sold yet.
    let ingreso = if sale.tipo == SaleKind::Anticipo { Account::Anticipos } else { Account::Ventas };
    let amounts = SaleAmounts { ingreso, amounts: sale.amounts, tipo_cambio: sale.tipo_cambio, costo };
    if let Some(entry) = sale_entry(format!("{} {}", sale.tipo.word(), sale.folio), sale.fecha, &amounts)? {
        let entry = entry.of_sale(Some(sale.venta)).of_invoice(sale.factura);
        cx.tx.insert_entry(&entry, cx.now).await?;
    }
    Ok(cxc)
}
