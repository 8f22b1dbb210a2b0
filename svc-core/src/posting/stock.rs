//! Every change of stock and reservations is posted here.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use rust_decimal::Decimal;

use crate::domain::accounting::{About, moved_entry};
use crate::domain::event::Event;
use crate::domain::invoice::LockedSale;
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::stock::{Holding, StockChange, cost_of};
use crate::domain::words::MovementKind;
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{ActiveWarehouse, MovementContext, NewMovement, SaleGoods};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Posted {
    /// The claves of the stock records, in the order of their products.
    pub(crate) existencias: Vec<i64>,
    /// The first line in the ledger; `None` if only reservations changed.
    pub(crate) movimiento: Option<i64>,
    /// The increase of the stock's value, in pesos; `None` above 18 digits.
    pub(crate) valor: Option<Decimal>,
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

/// The warehouse that a sale's goods are reserved in or return to, active or not.
pub(crate) async fn any_warehouse_of_sale(cx: &mut Cx<'_>, sale: &LockedSale) -> Result<ActiveWarehouse, Error> {
    let found = match sale.almacen {
        Some(clave) => cx.tx.any_warehouse(clave).await?,
        None => cx.tx.main_warehouse(sale.sucursal).await?,
    };
    Ok(found.ok_or(Code::AlmacenInvalido)?)
}

/// What an order has reserved itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnReservation<'a> {
    /// The order's clave, which says what was reserved before it.
    pub(crate) venta: i64,
    pub(crate) goods: &'a [SaleGoods],
}

/// What can leave of a product.
struct Free {
    producto: i64,
    cantidad: Decimal,
}

/// Refuses goods that are not available beyond the reservations of others, unless the company sells
/// below its stock. Orders made before an order come before it, later ones do not; whoever has
/// reserved nothing (`own` is `None`) comes after all orders. The stock stays locked.
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
    let goods = SaleGoods { renglon: 0, producto, sku: None, cantidad, costo: Money::default() };
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

/// What can leave of each product: its stock less what others have reserved who come first. Manual
/// reservations always do.
async fn free(
    cx: &mut Cx<'_>,
    almacen: &ActiveWarehouse,
    goods: &[SaleGoods],
    own: Option<OwnReservation<'_>>,
) -> Result<Vec<Free>, Error> {
    let products: BTreeSet<i64> = goods.iter().map(|line| line.producto).collect();
    let products = Vec::from_iter(products);
    if products.is_empty() {
        return Ok(Vec::new());
    }
    let there = cx.tx.lock_stock(almacen.clave, &products, cx.now).await?;
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

/// How much of what others have reserved comes first: what earlier orders and nobody's order
/// reserved. Imported orders may have reserved nothing, so that the orders add up to more than
/// `others`; then the earlier ones count as far as `others` goes.
fn first_of(others: Decimal, antes: Decimal, despues: Decimal) -> Decimal {
    antes.max(others - despues).min(others)
}

/// Changes the stock of a warehouse. Locks the records in ascending order of product, whatever the
/// order of `changes`, writes them and their movements, and emits `inventario.existencia_cambiada`
/// once per changed record.
pub(crate) async fn post(
    cx: &mut Cx<'_>,
    almacen: &ActiveWarehouse,
    changes: &[StockChange],
    context: &MovementContext<'_>,
) -> Result<Posted, Error> {
    let mut products: Vec<i64> = changes.iter().map(|change| change.producto).collect();
    products.sort_unstable();
    products.dedup();
    if products.is_empty() {
        return Ok(Posted { existencias: Vec::new(), movimiento: None, valor: Some(Decimal::ZERO) });
    }
    let mut held = cx.tx.lock_stock(almacen.clave, &products, cx.now).await?;
    let before = held.clone();
    let ledger = apply(&mut held, changes)?;
    let altered: Vec<Holding> =
        held.iter().zip(&before).filter(|(now, then)| now != then).map(|(now, _)| now.clone()).collect();
    let movimiento = cx.tx.save_stock(almacen.clave, &altered, &ledger, context, cx.now).await?;
    let event = |row: &Holding| Event::ExistenciaCambiada {
        existencia: row.clave,
        producto: row.producto,
        almacen: almacen.codigo.clone(),
    };
    cx.emit_all(&altered.iter().map(event).collect::<Vec<_>>()).await?;
    let valor = ledger.iter().map(NewMovement::worth).sum();
    Ok(Posted { existencias: held.iter().map(|row| row.clave).collect(), movimiento, valor })
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
    let too_much = || Error::field(Code::DatoInvalido, "costo_unitario", "lo que cuesta pasa de 18 dígitos");
    let entry = moved_entry(tipo, cx.day_at(almacen.sucursal), posted.valor.ok_or_else(too_much)?)?;
    if let Some(entry) = entry {
        let about = About { movimiento: posted.movimiento, ..About::default() };
        cx.tx.insert_entry(&entry.of(about), cx.now).await?;
    }
    Ok(posted)
}

/// Applies the changes in order. Returns the lines of the ledger.
fn apply<'c>(held: &mut [Holding], changes: &'c [StockChange]) -> Result<Vec<NewMovement<'c>>, Error> {
    let position: HashMap<i64, usize> = held.iter().enumerate().map(|(at, row)| (row.producto, at)).collect();
    let mut ledger = Vec::with_capacity(changes.len());
    for change in changes {
        let row = position.get(&change.producto).and_then(|at| held.get_mut(*at));
        let row = row.ok_or_else(|| Error::internal("a stock record was not locked"))?;
        let too_much = || Error::field(Code::DatoInvalido, "cantidad", "el almacén no puede llevar tanta existencia");
        let before = row.change(change).ok_or_else(too_much)?;
        if let Some(movement) = change.movement {
            ledger.push(NewMovement {
                tipo: movement.tipo,
                producto: change.producto,
                sku: change.sku.as_deref(),
                cantidad: movement.cantidad,
                existencia_anterior: before,
                existencia_actual: row.existencia,
                costo_unitario: movement.costo_unitario,
                importe: cost_of(movement.cantidad, movement.costo_unitario),
            });
        }
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
