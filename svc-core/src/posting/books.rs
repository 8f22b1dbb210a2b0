//! The effects of every owed sale: goods leave stock, a receivable and a ledger entry.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::stock;
use crate::domain::accounting::{
    About, Account, EntryError, EntryLine, IncomeByRate, LedgerEntry, OpenedDebt, OpeningBalance, SaleAmounts,
    handover_entry, moved_entry, opened_debt, opening_entry, prepaid_entry, sale_entry,
};
use crate::domain::invoice::{LockedSale, due_date};
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::sale::Amounts;
use crate::domain::stock::IncomingCost;
use crate::domain::stock::{StockChange, StockMovement};
use crate::domain::words::{MovementKind, PaymentMethod, PaymentTerm, SaleKind};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{
    ActiveWarehouse, BookedDocument, Charged, GoodsMovement, HowPaid, MovementContext, NewCreditBalance, NewReceivable,
    NewSaleLine, SaleGoods,
};

/// A sale at the moment it becomes owed.
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
    pub(crate) por_tasa: IncomeByRate,
}

/// The cost of a sale's goods, in pesos.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    total: Money,
    /// The part that was posted when goods were delivered.
    entregado: Money,
}

impl From<Money> for Cost {
    fn from(total: Money) -> Self {
        Self { total, ..Self::default() }
    }
}

/// Takes the goods and their reservation out of the warehouse. `dia` is the day of the entry that
/// moves their value. Returns their cost.
pub(crate) async fn goods_leave(
    cx: &mut Cx<'_>,
    almacen: &ActiveWarehouse,
    goods: &[SaleGoods],
    reserved: bool,
    venta: i64,
    folio: &str,
    dia: NaiveDate,
) -> Result<Money, Error> {
    Ok(take(cx, almacen, goods, reserved, venta, folio, dia).await?.0)
}

/// Delivers goods of an order: they leave the warehouse and stay an asset until the order is owed.
pub(crate) async fn hand_over(
    cx: &mut Cx<'_>,
    almacen: &ActiveWarehouse,
    goods: &[SaleGoods],
    venta: i64,
) -> Result<(), Error> {
    let dia = cx.day_at(almacen.sucursal);
    let (costo, movimiento) = take(cx, almacen, goods, true, venta, &format!("pedido {venta}"), dia).await?;
    if let Some(entry) = handover_entry(venta, dia, costo)? {
        let about = About { venta: Some(venta), movimiento, ..About::default() };
        cx.tx.insert_entry(&entry.of(about), cx.now).await?;
    }
    Ok(())
}

/// Returns the goods' cost, and their first movement.
async fn take(
    cx: &mut Cx<'_>,
    almacen: &ActiveWarehouse,
    goods: &[SaleGoods],
    reserved: bool,
    venta: i64,
    folio: &str,
    dia: NaiveDate,
) -> Result<(Money, Option<i64>), Error> {
    let leave = |line: &SaleGoods| StockChange {
        producto: line.producto,
        sku: line.sku.clone(),
        movement: Some(StockMovement {
            tipo: MovementKind::Venta,
            cantidad: line.cantidad,
            costo: IncomingCost::default(),
        }),
        apartado: if reserved { Quantity::new(-line.cantidad.get()) } else { Quantity::default() },
    };
    let changes: Vec<StockChange> = goods.iter().map(leave).collect();
    let context =
        MovementContext { venta: Some(venta), referencia: Some(folio), dia: Some(dia), ..MovementContext::default() };
    let posted = stock::post(cx, almacen, &changes, &context).await?;
    Ok((line::amount(-posted.valor).ok_or_else(too_costly)?, posted.movimiento))
}

/// The cost of the goods that a sale has taken so far. What it took before the books began costs
/// nothing in them.
pub(crate) async fn cost_of_goods_gone(cx: &mut Cx<'_>, venta: i64) -> Result<Cost, Error> {
    let gone = cx.tx.goods_sold(venta).await?;
    let costs = gone.iter().filter(|gone| !gone.importado).map(|gone| gone.importe.unwrap_or_default().get());
    let total = line::amount(costs.sum()).ok_or_else(too_costly)?;
    let entregado = cx.tx.booked(BookedDocument::Sale(venta), &[Account::Entregado]).await?.max(Decimal::ZERO);
    Ok(Cost { total, entregado: Money::new(entregado) })
}

pub(crate) fn too_costly() -> Error {
    Error::field(Code::DatoInvalido, "renglones", "el costo de lo vendido pasa de 18 dígitos")
}

fn has_payments() -> Error {
    Error::field(Code::EstadoInvalido, "venta", "su cuenta por cobrar tiene pagos aplicados")
}

/// Reverses [`goods_leave`] and [`becomes_owed`]: the goods return, the receivable is cancelled and
/// the entry reversed. `held` is what the sale still reserves. What was paid before the books began
/// becomes a balance in the customer's favour. Fails without effect if the receivable has payments.
pub(crate) async fn undo(
    cx: &mut Cx<'_>,
    venta: i64,
    folio: Option<&str>,
    held: Vec<(ActiveWarehouse, StockChange)>,
) -> Result<(), Error> {
    let antes = match cx.tx.lock_receivables(venta).await? {
        HowPaid::ByPayments => return Err(has_payments()),
        HowPaid::BeforeTheBooks => Some(cx.tx.charged(venta).await?.antes),
        HowPaid::Not => None,
    };
    // The goods are locked before the balance's entry is written.
    reverse(cx, venta, folio, held).await?;
    match antes {
        Some(antes) => into_favour(cx, venta, antes).await,
        None => Ok(()),
    }
}

/// Turns what was paid of a sale before the books began into a balance in its customer's favour.
async fn into_favour(cx: &mut Cx<'_>, venta: i64, antes: Money) -> Result<(), Error> {
    let Some(sale) = cx.tx.lock_sale(venta).await? else { return Ok(()) };
    let unnamed = || {
        let text = "se pagó antes de usar este servicio y no tiene cliente, a cuyo favor quedaría un saldo";
        Error::field(Code::EstadoInvalido, "venta", text)
    };
    let cliente = sale.cliente.ok_or_else(unnamed)?;
    let pesos = line::pesos(antes, sale.tipo_cambio).ok_or(EntryError::TooLarge)?;
    let (moneda, fecha, importe) = (sale.moneda.as_str(), cx.today(), antes);
    let balance =
        NewCreditBalance { cliente, moneda, fecha, importe, pesos: Some(pesos), factura: None, deposito: None };
    cx.tx.insert_credit_balance(balance, cx.now).await?;
    let pesos = pesos.get();
    let lines = [EntryLine::of(Account::Apertura, pesos), EntryLine::of(Account::Anticipos, -pesos)];
    if let Some(entry) = LedgerEntry::new(format!("Saldo a favor de la venta {venta}"), fecha, lines)? {
        cx.tx.insert_entry(&entry, cx.now).await?;
    }
    Ok(())
}

/// Reverses a sale that stays open. Unlike [`undo`], it leaves what was paid before the books began
/// as paid.
pub(crate) async fn reverse(
    cx: &mut Cx<'_>,
    venta: i64,
    folio: Option<&str>,
    held: Vec<(ActiveWarehouse, StockChange)>,
) -> Result<(), Error> {
    cx.tx.cancel_receivables(venta, cx.now).await?;
    let gone = cx.tx.goods_sold(venta).await?;
    let handovers = cx.tx.entries_of_handovers(venta).await?;
    let entries: Vec<LedgerEntry> = cx.tx.entry_of_sale(venta).await?.into_iter().chain(handovers).collect();
    let dia = entries.iter().fold(cx.today(), |dia, entry| entry.reversal_day(dia));
    let context =
        MovementContext { venta: Some(venta), referencia: folio, dia: Some(dia), ..MovementContext::default() };
    goods_return(cx, gone, held, &context).await?;
    close_opening(cx, venta).await?;
    for entry in entries {
        cx.tx.insert_entry(&entry.reversed(dia), cx.now).await?;
    }
    Ok(())
}

/// Takes imported receivables of a sale out of the books. The entry is about no document, like that
/// of their import.
async fn close_opening(cx: &mut Cx<'_>, venta: i64) -> Result<(), Error> {
    let opened = cx.tx.take_opening(venta).await?;
    post_opening(cx, opened.negated()).await
}

/// Posts what is owed of imported receivables against the opening account.
async fn post_opening(cx: &mut Cx<'_>, opened: OpenedDebt) -> Result<(), Error> {
    if let Some(entry) = opening_entry(cx.today(), OpeningBalance::Receivables(opened))? {
        cx.tx.insert_entry(&entry, cx.now).await?;
    }
    Ok(())
}

/// Opens imported receivables of a sale again, at its present exchange rate.
async fn reopen(cx: &mut Cx<'_>, sale: &LockedSale) -> Result<(), Error> {
    let Some((cxc, _)) = cx.tx.owed_of_sale(sale.clave).await? else { return Ok(()) };
    let Charged { total, antes, en_otra_moneda } = cx.tx.charged(sale.clave).await?;
    if en_otra_moneda {
        let text = "una cuenta por cobrar importada de la venta está en otra moneda";
        return Err(Error::field(Code::EstadoInvalido, "tipo_cambio", text));
    }
    let before = cx.tx.take_opening(sale.clave).await?;
    if before == OpenedDebt::default() {
        return Ok(());
    }
    let taxes = [sale.amounts.iva, sale.amounts.ieps, sale.amounts.total];
    let owed = Money::new(total.get() - antes.get());
    let opened = opened_debt(antes, owed, taxes, sale.tipo_cambio).ok_or(EntryError::TooLarge)?;
    for change in [before.negated(), opened] {
        post_opening(cx, change).await?;
    }
    Ok(cx.tx.add_opening(cxc, opened).await?)
}

/// Returns goods of a sale to their warehouses at the cost they left at, with what the sale still
/// reserves. Those that left before the books began come from the opening account, as no entry took
/// them out.
pub(super) async fn goods_return(
    cx: &mut Cx<'_>,
    gone: Vec<GoodsMovement>,
    held: Vec<(ActiveWarehouse, StockChange)>,
    context: &MovementContext<'_>,
) -> Result<(), Error> {
    let (imported, own): (Vec<_>, Vec<_>) = gone.into_iter().partition(|gone| gone.importado);
    if !imported.is_empty() {
        let held = held.iter().map(|(almacen, change)| (almacen, change.producto));
        let gone = own.iter().chain(&imported).map(|gone| (&gone.almacen, gone.producto));
        stock::lock(cx, held.chain(gone)).await?;
    }
    let back = |gone: Vec<GoodsMovement>| gone.into_iter().map(|gone| gone.into_change(MovementKind::CancelacionVenta));
    stock::post_by_warehouse(cx, held.into_iter().chain(back(own)).collect(), context).await?;
    let valor = stock::post_by_warehouse(cx, back(imported).collect(), context).await?;
    if let Some(entry) = moved_entry(MovementKind::Registro, context.dia.unwrap_or_else(|| cx.today()), valor)? {
        cx.tx.insert_entry(&entry, cx.now).await?;
    }
    Ok(())
}

/// Creates the receivable and the ledger entry of a new sale. Returns the receivable's clave.
pub(crate) async fn becomes_owed(cx: &mut Cx<'_>, sale: &Owed<'_>, costo: impl Into<Cost>) -> Result<i64, Error> {
    let total = sale.amounts.total;
    let cxc = charge(cx, sale, total, total).await?;
    write_entry(cx, sale, costo.into(), Money::default()).await?;
    Ok(cxc)
}

/// Creates the receivable and the ledger entry of an order or a quote. What was paid before the
/// books began is not owed. An imported receivable stays: what the import posted of it moves from
/// the opening account into the entry.
pub(crate) async fn order_becomes_owed(
    cx: &mut Cx<'_>,
    order: &LockedSale,
    sale: &Owed<'_>,
    costo: impl Into<Cost>,
) -> Result<(), Error> {
    let total = sale.amounts.total;
    let antes = if order.con_cuenta {
        close_opening(cx, sale.venta).await?;
        let charged = cx.tx.charged(sale.venta).await?;
        if charged.en_otra_moneda || charged.total != total {
            let text = "su cuenta por cobrar importada es por otro importe, o en otra moneda";
            return Err(Error::field(Code::EstadoInvalido, "venta", text));
        }
        charged.antes
    } else {
        let saldo = order.saldo.min(total);
        charge(cx, sale, total, saldo).await?;
        Money::new(total.get() - saldo.get())
    };
    write_entry(cx, sale, costo.into(), antes).await
}

/// Creates a receivable of a sale with `saldo` still to be paid. Returns its clave.
async fn charge(cx: &mut Cx<'_>, sale: &Owed<'_>, total: Money, saldo: Money) -> Result<i64, Error> {
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
        total,
        saldo,
        sucursal: sale.sucursal,
        modificado: cx.now,
    };
    Ok(cx.tx.insert_receivable(&row).await?)
}

/// Writes the entry of a sale with `prepaid`, the part that was paid before the books began.
async fn write_entry(cx: &mut Cx<'_>, sale: &Owed<'_>, costo: Cost, prepaid: Money) -> Result<(), Error> {
    // An advance is owed like a sale, but is no income yet.
    let ingreso = if sale.tipo == SaleKind::Anticipo { Account::Anticipos } else { Account::Ventas };
    let Cost { total: costo, entregado } = costo;
    let &Owed { amounts, por_tasa, tipo_cambio, .. } = sale;
    let amounts = SaleAmounts { ingreso, amounts, por_tasa, tipo_cambio, costo, entregado };
    let mut entry = sale_entry(format!("{} {}", sale.tipo.word(), sale.folio), sale.fecha, &amounts)?;
    if prepaid > Money::default()
        && let Some(whole) = entry
    {
        let taxes = [sale.amounts.iva, sale.amounts.ieps, sale.amounts.total];
        let paid = opened_debt(Money::default(), prepaid, taxes, tipo_cambio).ok_or(EntryError::TooLarge)?;
        entry = prepaid_entry(whole, paid)?;
    }
    if let Some(entry) = entry {
        let entry = entry.of_sale(Some(sale.venta)).of_invoice(sale.factura);
        cx.tx.insert_entry(&entry, cx.now).await?;
    }
    Ok(())
}

/// Replaces the entry of a sale by that of its corrected amounts. `costo` is the cost of the goods
/// that left instead of all earlier ones; `None` if the goods are the same.
pub(crate) async fn rewrite_entry(cx: &mut Cx<'_>, sale: &Owed<'_>, costo: Option<Money>) -> Result<(), Error> {
    let mut earlier: Vec<LedgerEntry> = cx.tx.entry_of_sale(sale.venta).await?.into_iter().collect();
    if costo.is_some() {
        earlier.extend(cx.tx.entries_of_handovers(sale.venta).await?);
    }
    if earlier.is_empty() {
        close_opening(cx, sale.venta).await?;
    }
    for entry in earlier {
        cx.tx.insert_entry(&entry.reversed(sale.fecha), cx.now).await?;
    }
    let costo = match costo {
        Some(costo) => costo.into(),
        None => cost_of_goods_gone(cx, sale.venta).await?,
    };
    let charged = cx.tx.charged(sale.venta).await?;
    let total = sale.amounts.total;
    if charged.total == Money::default() && charged.antes < total {
        // The sale was imported without a receivable, and is owed from now on.
        charge(cx, sale, total, Money::new(total.get() - charged.antes.get())).await?;
    }
    write_entry(cx, sale, costo, charged.antes).await
}

/// How much of each product these goods are.
pub(crate) fn quantities(goods: &[SaleGoods]) -> BTreeMap<i64, Decimal> {
    let mut sums = BTreeMap::new();
    for line in goods {
        *sums.entry(line.producto).or_default() += line.cantidad.get();
    }
    sums
}

/// The lines whose products have stock.
pub(crate) fn goods(lines: &[NewSaleLine]) -> Vec<SaleGoods> {
    let goods = |(renglon, line): (i64, &NewSaleLine)| SaleGoods {
        renglon,
        producto: line.product.clave,
        sku: line.product.sku.clone(),
        cantidad: line.cantidad,
    };
    (1..).zip(lines).filter(|(_, line)| line.product.has_stock()).map(goods).collect()
}

/// Updates the exchange rate of a document before it is invoiced. If it is already owed, its entry
/// is reversed and written again, or else what its import opened.
pub(crate) async fn revalue(cx: &mut Cx<'_>, sale: &mut LockedSale, tipo_cambio: Rate) -> Result<(), Error> {
    sale.tipo_cambio = tipo_cambio;
    cx.tx.set_exchange_rate(sale.clave, tipo_cambio, cx.now).await?;
    let Some(entry) = cx.tx.entry_of_sale(sale.clave).await? else { return reopen(cx, sale).await };
    let fecha = cx.day_at(sale.sucursal);
    cx.tx.insert_entry(&entry.reversed(fecha), cx.now).await?;
    let costo = cost_of_goods_gone(cx, sale.clave).await?;
    let folio = sale.folio.unwrap_or(sale.clave).to_string();
    let owed = Owed::of_order(sale, &folio, fecha);
    let antes = cx.tx.charged(sale.clave).await?.antes;
    write_entry(cx, &owed, costo, antes).await
}

impl<'a> Owed<'a> {
    /// An order that becomes owed on `fecha`; `folio` is its number as people write it.
    pub(crate) fn of_order(sale: &'a LockedSale, folio: &'a str, fecha: NaiveDate) -> Self {
        Self {
            venta: sale.clave,
            tipo: sale.tipo,
            factura: None,
            folio,
            cliente: sale.cliente,
            sucursal: sale.sucursal,
            moneda: &sale.moneda,
            tipo_cambio: sale.tipo_cambio,
            metodo_pago_sat: sale.metodo_pago_sat.as_deref().and_then(PaymentMethod::of),
            fecha,
            vencimiento: due_date(fecha, sale.condicion_pago.unwrap_or(PaymentTerm::Contado), sale.dias_credito),
            amounts: sale.amounts,
            por_tasa: sale.income(),
        }
    }
}
