//! Every change of stock and reservations is posted here.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use chrono::NaiveDate;
use rust_decimal::Decimal;

use crate::domain::accounting::{About, cost_entry, moved_entry};
use crate::domain::cost::ProductValue;
use crate::domain::event::Event;
use crate::domain::invoice::LockedSale;
use crate::domain::line;
use crate::domain::quantity::Quantity;
use crate::domain::stock::IncomingCost;
use crate::domain::stock::{Holding, StockChange, StockMovement};
use crate::domain::words::MovementKind;
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{ActiveWarehouse, MovementContext, NewMovement, SaleGoods, StockPlace, StockUpdate};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Posted {
    /// The claves of the stock records, in the order of their products.
    pub(crate) existencias: Vec<i64>,
    /// The first line in the ledger; `None` if only reservations changed.
    pub(crate) movimiento: Option<i64>,
    /// The increase of the stock's value, in pesos, that the caller's entry moves.
    pub(crate) valor: Decimal,
}

/// The active warehouse with that code; without a code, the branch's main one.
pub(crate) async fn warehouse(cx: &mut Cx<'_>, code: Option<&str>, sucursal: i64) -> Result<ActiveWarehouse, Error> {
    let found = match code {
        Some(code) => cx.tx.warehouse(code).await?,
        None => cx.tx.main_warehouse(sucursal).await?,
    };
    Ok(found.ok_or(Code::AlmacenInvalido)?)
}

/// The active warehouse that a sale's goods leave: its own, or the main one of its branch.
pub(crate) async fn warehouse_of_sale(cx: &mut Cx<'_>, sale: &LockedSale) -> Result<ActiveWarehouse, Error> {
    let found = match sale.almacen {
        Some(clave) => cx.tx.warehouse_of_clave(clave).await?,
        None => cx.tx.main_warehouse(sale.sucursal).await?,
    };
    Ok(found.ok_or(Code::AlmacenInvalido)?)
}

/// The warehouse that a sale's goods are reserved in or return to, active or not; the main one of
/// its branch if that was deleted.
pub(crate) async fn any_warehouse_of_sale(cx: &mut Cx<'_>, sale: &LockedSale) -> Result<ActiveWarehouse, Error> {
    let own = match sale.almacen {
        Some(clave) => cx.tx.any_warehouse(clave).await?,
        None => None,
    };
    let found = match own {
        Some(own) => Some(own),
        None => cx.tx.main_warehouse(sale.sucursal).await?,
    };
    Ok(found.ok_or(Code::AlmacenInvalido)?)
}

/// What an order has reserved itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnReservation<'a> {
    /// Clave of the order. Orders with a smaller clave come first.
    pub(crate) venta: i64,
    pub(crate) goods: &'a [SaleGoods],
}

/// What can leave of a product.
struct Free {
    producto: i64,
    cantidad: Decimal,
}

/// Refuses goods that are not available beyond the reservations of others, unless the company sells
/// below its stock. An order is served before later orders, and all orders before what has
/// reserved nothing (`own` is `None`). The stock stays locked.
pub(crate) async fn validate_there(
    cx: &mut Cx<'_>,
    almacen: &ActiveWarehouse,
    goods: &[SaleGoods],
    own: Option<OwnReservation<'_>>,
) -> Result<(), Error> {
    if cx.company.vender_sin_existencia {
        return Ok(());
    }
    for Free { producto, cantidad: free } in free(cx, almacen, goods, own).await? {
        if total(goods, producto) > free {
            let sku = goods.iter().find(|line| line.producto == producto).and_then(|line| line.sku.as_deref());
            let name = sku.map_or_else(|| producto.to_string(), str::to_owned);
            return Err(short("renglones", format_args!("del producto {name} "), free, almacen));
        }
    }
    Ok(())
}

/// Refuses to take more of a product out of a warehouse than is there beyond reservations, unless
/// the company sells below its stock. The stock stays locked.
pub(crate) async fn validate_exit(
    cx: &mut Cx<'_>,
    almacen: &ActiveWarehouse,
    producto: i64,
    cantidad: Quantity,
) -> Result<(), Error> {
    if cx.company.vender_sin_existencia {
        return Ok(());
    }
    let goods = SaleGoods { renglon: 0, producto, sku: None, cantidad };
    match free(cx, almacen, &[goods], None).await?.first() {
        Some(Free { cantidad: free, .. }) if cantidad.get() > *free => {
            Err(short("cantidad", format_args!(""), *free, almacen))
        }
        _ => Ok(()),
    }
}

fn short(field: &str, of: fmt::Arguments<'_>, free: Decimal, almacen: &ActiveWarehouse) -> Error {
    let (free, codigo) = (free.max(Decimal::ZERO).normalize(), &almacen.codigo);
    Error::field(
        Code::ExistenciaInsuficiente,
        field,
        format_args!("{of}hay {free} sin apartar en el almacén {codigo}, y la empresa no vende sin existencia"),
    )
}

fn total(goods: &[SaleGoods], producto: i64) -> Decimal {
    goods.iter().filter(|line| line.producto == producto).map(|line| line.cantidad.get()).sum()
}

/// What can leave of each product: its stock less the reservations of others that come first.
/// Manual reservations always come first.
async fn free(
    cx: &mut Cx<'_>,
    almacen: &ActiveWarehouse,
    goods: &[SaleGoods],
    own: Option<OwnReservation<'_>>,
) -> Result<Vec<Free>, Error> {
    let products = products_of(goods.iter().map(|line| line.producto));
    if products.is_empty() {
        return Ok(Vec::new());
    }
    let (there, _) = lock_goods(cx, almacen, &products).await?;
    let orders = match own {
        Some(own) => cx.tx.reserved_by_others(almacen.clave, &products, own.venta).await?,
        None => Vec::new(),
    };
    let free = |row: &Holding| {
        let held = own.map_or(Decimal::ZERO, |own| total(own.goods, row.producto));
        let others = (row.apartado.get() - held).max(Decimal::ZERO);
        let orders = orders.iter().find(|orders| orders.producto == row.producto);
        let first = orders.map_or(others, |orders| first_of(others, orders.antes.get(), orders.despues.get()));
        Free { producto: row.producto, cantidad: row.existencia.get() - first }
    };
    Ok(there.iter().map(free).collect())
}

/// How much of the reservations of others comes first: those of earlier orders and of no order.
/// Imported orders may have reserved nothing, so that the orders add up to more than `others`; then
/// the earlier ones count as far as `others` goes.
fn first_of(others: Decimal, antes: Decimal, despues: Decimal) -> Decimal {
    antes.max(others - despues).min(others)
}

/// Changes the stock of a warehouse and its value. Locks the records in ascending order of product,
/// whatever the order of `changes`, writes them and their movements, and emits
/// `inventario.existencia_cambiada` once per changed record. The caller's entry moves `valor`; what
/// goods that were sold below zero cost more or less than they left at gets an entry here.
pub(crate) async fn post(
    cx: &mut Cx<'_>,
    almacen: &ActiveWarehouse,
    changes: &[StockChange],
    context: &MovementContext<'_>,
) -> Result<Posted, Error> {
    let products = products_of(changes.iter().map(|change| change.producto));
    if products.is_empty() {
        return Ok(Posted::default());
    }
    let (mut held, mut values) = if changes.iter().any(|change| change.movement.is_some()) {
        lock_goods(cx, almacen, &products).await?
    } else {
        (cx.tx.lock_stock(almacen.clave, &products, cx.now).await?, Vec::new())
    };
    let (held_before, values_before) = (held.clone(), values.clone());
    let AppliedChanges { movements, ajuste, valor } = apply(&mut held, &mut values, changes, context)?;
    let altered = changed(&held, &held_before);
    let dia = context.dia.unwrap_or_else(|| cx.day_at(almacen.sucursal));
    let update = StockUpdate { rows: &altered, values: &changed(&values, &values_before), movements: &movements, dia };
    let movimiento = cx.tx.save_stock(almacen.clave, &update, context, cx.now).await?;
    let event = |row: &Holding| Event::ExistenciaCambiada {
        existencia: row.clave,
        producto: row.producto,
        almacen: almacen.codigo.clone(),
    };
    cx.emit_all(&altered.iter().map(event).collect::<Vec<_>>()).await?;
    correct_cost(cx, dia, ajuste, movimiento).await?;
    Ok(Posted { existencias: held.iter().map(|row| row.clave).collect(), movimiento, valor })
}

/// Changes the stock of several warehouses, all of whose records are locked before any is written,
/// so that locks never deadlock. Returns the increase of the stock's value.
pub(super) async fn post_by_warehouse(
    cx: &mut Cx<'_>,
    mut changes: Vec<(ActiveWarehouse, StockChange)>,
    context: &MovementContext<'_>,
) -> Result<Decimal, Error> {
    changes.sort_by_key(|(almacen, _)| almacen.clave);
    if changes.first().map(|(almacen, _)| almacen.clave) != changes.last().map(|(almacen, _)| almacen.clave) {
        lock(cx, changes.iter().map(|(almacen, change)| (almacen, change.producto))).await?;
    }
    let mut valor = Decimal::ZERO;
    for there in changes.chunk_by(|(a, _), (b, _)| a.clave == b.clave) {
        let Some((almacen, _)) = there.first() else { continue };
        let changes: Vec<StockChange> = there.iter().map(|(_, change)| change.clone()).collect();
        valor += post(cx, almacen, &changes, context).await?.valor;
    }
    Ok(valor)
}

/// Locks the stock of products in warehouses, before it changes in several of them, or before
/// something else is locked that comes later. What happens to a sale locks its receivable, the sale
/// and its customer, then folios, goods, the counter of movements, a bank account, and last the
/// counter of entries.
pub(crate) async fn lock<'a>(
    cx: &mut Cx<'_>,
    places: impl Iterator<Item = (&'a ActiveWarehouse, i64)>,
) -> Result<(), Error> {
    let places: BTreeSet<StockPlace> =
        places.map(|(almacen, producto)| StockPlace { almacen: almacen.clave, producto }).collect();
    if !places.is_empty() {
        cx.tx.lock_goods(&Vec::from_iter(places), cx.now).await?;
        cx.tx.lock_movements().await?;
    }
    Ok(())
}

/// Posts movements of one kind that were entered by hand, and their accounting entry.
pub(crate) async fn post_by_hand(
    cx: &mut Cx<'_>,
    almacen: &ActiveWarehouse,
    changes: &[StockChange],
    context: &MovementContext<'_>,
    tipo: MovementKind,
) -> Result<Posted, Error> {
    let posted = post(cx, almacen, changes, context).await?;
    if let Some(entry) = moved_entry(tipo, cx.day_at(almacen.sucursal), posted.valor)? {
        let about = About { movimiento: posted.movimiento, ..About::default() };
        cx.tx.insert_entry(&entry.of(about), cx.now).await?;
    }
    Ok(posted)
}

/// Corrects the cost of what was sold: `importe` goes from there into the stock. Its entry is about
/// no document, because the document's own entry may be reversed and this one may not.
pub(super) async fn correct_cost(
    cx: &mut Cx<'_>,
    dia: NaiveDate,
    importe: Decimal,
    movimiento: Option<i64>,
) -> Result<(), Error> {
    if let Some(entry) = cost_entry(dia, importe)? {
        let about = About { movimiento, ..About::default() };
        cx.tx.insert_entry(&entry.of(about), cx.now).await?;
    }
    Ok(())
}

/// Refuses goods that could not leave because their cost has too many digits.
pub(crate) async fn validate_cost(
    cx: &mut Cx<'_>,
    almacen: &ActiveWarehouse,
    goods: &[SaleGoods],
    venta: i64,
) -> Result<(), Error> {
    let products = products_of(goods.iter().map(|line| line.producto));
    if products.is_empty() {
        return Ok(());
    }
    let (mut held, mut values) = lock_goods(cx, almacen, &products).await?;
    let leave = |line: &SaleGoods| StockChange {
        producto: line.producto,
        sku: None,
        movement: Some(StockMovement {
            tipo: MovementKind::Venta,
            cantidad: line.cantidad,
            costo: IncomingCost::default(),
        }),
        apartado: Quantity::default(),
    };
    let changes: Vec<StockChange> = goods.iter().map(leave).collect();
    let context = MovementContext { venta: Some(venta), ..MovementContext::default() };
    let AppliedChanges { valor, .. } = apply(&mut held, &mut values, &changes, &context)?;
    line::amount(-valor).map(|_| ()).ok_or_else(|| too_much("renglones"))
}

fn products_of(products: impl Iterator<Item = i64>) -> Vec<i64> {
    Vec::from_iter(products.collect::<BTreeSet<i64>>())
}

async fn lock_goods(
    cx: &mut Cx<'_>,
    almacen: &ActiveWarehouse,
    products: &[i64],
) -> Result<(Vec<Holding>, Vec<ProductValue>), Error> {
    let place = |producto: &i64| StockPlace { almacen: almacen.clave, producto: *producto };
    let places: Vec<StockPlace> = products.iter().map(place).collect();
    let goods = cx.tx.lock_goods(&places, cx.now).await?;
    Ok(goods.into_iter().map(|goods| (goods.holding, goods.value)).unzip())
}

fn changed<T: Clone + PartialEq>(now: &[T], before: &[T]) -> Vec<T> {
    now.iter().zip(before).filter(|(now, before)| now != before).map(|(now, _)| now.clone()).collect()
}

/// The field of a request that says how much something costs, or how much of it there is.
fn too_costly(context: &MovementContext<'_>) -> &'static str {
    match (context.venta, context.compra) {
        (Some(_), _) => "renglones",
        (_, Some(_)) => "compra",
        _ => "costo_unitario",
    }
}

fn too_much(field: &str) -> Error {
    let of = if field == "renglones" { "el costo de lo vendido" } else { "lo que cuesta en pesos" };
    Error::field(Code::DatoInvalido, field, format_args!("{of} pasa de 18 dígitos"))
}

/// The lines of the stock's ledger, and what they change.
struct AppliedChanges<'c> {
    movements: Vec<NewMovement<'c>>,
    /// The increase of the stock's value that the caller's entry moves.
    valor: Decimal,
    /// The increase beyond `valor`.
    ajuste: Decimal,
}

/// Applies the changes in order.
fn apply<'c>(
    held: &mut [Holding],
    values: &mut [ProductValue],
    changes: &'c [StockChange],
    context: &MovementContext<'_>,
) -> Result<AppliedChanges<'c>, Error> {
    let costly = too_costly(context);
    let position: HashMap<i64, usize> = held.iter().enumerate().map(|(at, row)| (row.producto, at)).collect();
    let not_locked = || Error::internal("a stock record was not locked");
    let mut ledger =
        AppliedChanges { movements: Vec::with_capacity(changes.len()), valor: Decimal::ZERO, ajuste: Decimal::ZERO };
    for change in changes {
        let at = *position.get(&change.producto).ok_or_else(not_locked)?;
        let row = held.get_mut(at).ok_or_else(not_locked)?;
        let too_many = || Error::field(Code::DatoInvalido, "cantidad", "el almacén no puede llevar tanta existencia");
        let before = row.change(change, context.venta.is_some()).ok_or_else(too_many)?;
        let Some(movement) = change.movement else { continue };
        let more = row.existencia.get() - before.get();
        let value = values.get_mut(at).ok_or_else(not_locked)?;
        let moved = value.moved(&movement, more).ok_or_else(|| too_much(costly))?;
        let valor = if movement.tipo.is_transfer() || more.is_zero() {
            Decimal::ZERO
        } else if more.is_sign_negative() {
            -moved.importe.get()
        } else {
            moved.importe.get()
        };
        ledger.valor += valor;
        ledger.ajuste += moved.ajuste;
        ledger.movements.push(NewMovement {
            tipo: movement.tipo,
            producto: change.producto,
            sku: change.sku.as_deref(),
            cantidad: movement.cantidad,
            existencia_anterior: before,
            existencia_actual: row.existencia,
            costo_unitario: moved.costo_unitario,
            importe: moved.importe,
            valor: valor + moved.ajuste,
        });
    }
    Ok(ledger)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_orders_and_manual_reservations_come_first() {
        for (others, antes, despues, first) in [
            (0, 0, 0, 0),
            (6, 6, 0, 6),
            (6, 0, 6, 0),
            (6, 4, 2, 4),
            // Two of them nobody's order reserved.
            (8, 4, 2, 6),
            // Imported orders that reserved nothing.
            (0, 4, 2, 0),
            (3, 4, 2, 3),
            (5, 4, 2, 4),
        ] {
            let [others, antes, despues, first] = [others, antes, despues, first].map(Decimal::from);
            assert_eq!(first_of(others, antes, despues), first, "{others} others, {antes} before, {despues} after");
        }
    }
}
