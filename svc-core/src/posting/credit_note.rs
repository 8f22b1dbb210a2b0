//! Credit notes: amounts credited on a valid invoice, and their effects.

use rust_decimal::Decimal;

use super::books::too_costly;
use super::payment_data::{NotePart, PaymentData};
use super::{document, payment, payment_undone, queued, stock, ticket};
use crate::domain::accounting::{Account, CreditedPart, IncomeByRate, SaleAmounts, credit_entry, credited};
use crate::domain::cfdi::{Heading, TipoRelacion};
use crate::domain::credit_note::{CreditLine, credit_series};
use crate::domain::deposit::PaidAccount;
use crate::domain::invoice::LockedSale;
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::sale::Amounts;
use crate::domain::stock::StockChange;
use crate::domain::words::{InvoiceKind, MovementKind, PaymentOrigin};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{ActiveWarehouse, CreditNote, GoodsMovement, MovementContext, NewCreditBalance, RegisteredInvoice};

/// A credit note to create.
#[derive(Debug)]
pub(crate) struct NewNote<'a> {
    /// The record of the related invoice.
    pub(crate) factura: i64,
    /// The sale, locked after its receivables.
    pub(crate) sale: &'a LockedSale,
    /// How it relates to the invoice.
    pub(crate) relacion: TipoRelacion,
    /// A key of `c_FormaPago`.
    pub(crate) forma_pago_sat: &'a str,
    /// The advance that it applies.
    pub(crate) anticipo: Option<i64>,
    /// The bank account from which the customer is paid back.
    pub(crate) cuenta: Option<i64>,
    pub(crate) lines: Vec<CreditLine>,
    /// The sums of the lines.
    pub(crate) amounts: Amounts,
}

impl NewNote<'_> {
    /// What it takes back by the rate of IVA.
    pub(crate) fn income(&self) -> IncomeByRate {
        let rated = |line: &'_ CreditLine| self.sale.ingresos.kind(line.renglon);
        IncomeByRate::of_lines(self.lines.iter().map(|line| (rated(line), &line.amounts)))
    }

    /// What it takes back, with the cost of the goods, in pesos.
    pub(super) fn booked(&self, costo: Money) -> SaleAmounts {
        SaleAmounts {
            ingreso: Account::Descuentos,
            amounts: self.amounts,
            por_tasa: self.income(),
            tipo_cambio: self.sale.tipo_cambio,
            costo,
            entregado: Money::default(),
        }
    }

    /// The part of it that pays `importe`.
    fn part(&self, importe: Money) -> Result<NotePart, Error> {
        let share = |whole| line::share(whole, importe, self.amounts.total);
        let parte = CreditedPart { importe, iva: share(self.amounts.iva), ieps: share(self.amounts.ieps) };
        Ok(NotePart { parte, pesos: share(self.pesos()?) })
    }

    /// What it leaves in the customer's favour, in pesos.
    pub(super) fn pesos(&self) -> Result<Money, Error> {
        Ok(credited(&self.booked(Money::default()))?)
    }
}

/// A credit note that was created.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CreatedNote {
    /// The clave of its record in the registry.
    pub(crate) factura: i64,
    /// The payment that reduces the receivable.
    pub(crate) pago: Option<i64>,
}

/// Creates a credit note: a balance in the customer's favour, the returned goods, the entry, and
/// the document, queued for stamping. If `aplicar`, as much of the balance as the sale owes reduces
/// its receivable.
pub(crate) async fn make(cx: &mut Cx<'_>, note: NewNote<'_>, aplicar: bool) -> Result<CreatedNote, Error> {
    lock_customer(cx, note.sale).await?;
    let (factura, heading) = register(cx, &note).await?;
    let folio = heading.number();
    let back = match note.relacion {
        TipoRelacion::Devolucion => lock_goods_coming_back(cx, &note, MovementKind::DevolucionNotaCredito).await?,
        _ => Vec::new(),
    };
    lock_account(cx, &note).await?;
    let total = note.amounts.total;
    let fecha = cx.day_at(note.sale.sucursal);
    if total > Money::default() {
        let cliente = note.sale.cliente.ok_or_else(|| {
            Error::field(Code::EstadoInvalido, "factura", "no tiene cliente, a cuyo favor quedaría un saldo")
        })?;
        let (factura, pesos) = (Some(factura), Some(note.pesos()?));
        let moneda = &note.sale.moneda;
        let balance = NewCreditBalance { cliente, moneda, fecha, importe: total, pesos, factura, deposito: None };
        cx.tx.insert_credit_balance(balance, cx.now).await?;
    }
    let pago = if aplicar { lower_debt(cx, &note).await? } else { None };
    let costo = goods_come_back(cx, &note, &folio, back).await?;
    let entry = credit_entry(format!("Nota de crédito {folio}"), fecha, &note.booked(costo))?;
    if let Some(entry) = entry {
        cx.tx.insert_entry(&entry.of_sale(Some(note.sale.clave)).of_invoice(Some(factura)), cx.now).await?;
    }
    keep(cx, note, factura, heading, pago).await?;
    Ok(CreatedNote { factura, pago })
}

/// Pays a receivable with an advance: the document says so (07), and the advance's taxes, which
/// were due when it was paid, are not due again. Returns the payment.
pub(crate) async fn apply_advance(
    cx: &mut Cx<'_>,
    note: NewNote<'_>,
    cxc: i64,
    terms: &PaymentData<'_>,
) -> Result<i64, Error> {
    let (factura, heading) = register(cx, &note).await?;
    let applied = payment::apply(cx, terms, &[(cxc, note.amounts.total)]).await?;
    let pago = applied.payments.first().map(|part| part.pago);
    let pago = pago.ok_or_else(|| Error::internal("an advance was applied by no payment"))?;
    keep(cx, note, factura, heading, Some(pago)).await?;
    Ok(pago)
}

/// Creates the note of an advance that is given back; the money and its entry are the caller's.
/// Returns its record in the registry.
pub(crate) async fn of_refund(cx: &mut Cx<'_>, note: NewNote<'_>) -> Result<i64, Error> {
    let (factura, heading) = register(cx, &note).await?;
    keep(cx, note, factura, heading, None).await?;
    Ok(factura)
}

/// Opens the record in the registry, queued for stamping. Returns it with its heading.
async fn register(cx: &mut Cx<'_>, note: &NewNote<'_>) -> Result<(i64, Heading), Error> {
    let serie = credit_series(note.sale.sucursal);
    let (venta, cliente, origen) = (Some(note.sale.clave), note.sale.cliente, cx.actor.invoice_origin());
    let (factura, heading) = queued::open(cx, InvoiceKind::NotaCredito, serie, venta, cliente, origen).await?;
    cx.tx.relate(factura, note.relacion, note.factura).await?;
    Ok((factura, heading))
}

/// Reduces the sale's receivable by the note's total, or by what is owed if that is less. Returns
/// the payment; `None` if nothing is owed.
pub(super) async fn lower_debt(cx: &mut Cx<'_>, note: &NewNote<'_>) -> Result<Option<i64>, Error> {
    let Some((cxc, saldo)) = cx.tx.owed_of_sale(note.sale.clave).await? else { return Ok(None) };
    let importe = note.amounts.total.min(saldo);
    if importe == Money::default() {
        return Ok(None);
    }
    let terms = PaymentData {
        origen: PaymentOrigin::SaldoAFavor,
        cuenta_bancaria: None,
        forma_pago_sat: note.forma_pago_sat,
        fecha: cx.day_at(note.sale.sucursal),
        referencia: None,
        deposito: None,
        by_note: true,
        acreditado: Some(note.part(importe)?),
        anticipo: None,
        tipo_cambio: Some(note.sale.tipo_cambio),
    };
    let applied = payment::apply(cx, &terms, &[(cxc, importe)]).await?;
    Ok(applied.payments.first().map(|part| part.pago))
}

/// Stores the note and its validated document.
async fn keep(
    cx: &mut Cx<'_>,
    note: NewNote<'_>,
    factura: i64,
    heading: Heading,
    pago: Option<i64>,
) -> Result<(), Error> {
    let stored = CreditNote {
        venta: note.sale.clave,
        relacion: note.relacion,
        forma_pago_sat: note.forma_pago_sat.to_owned(),
        amounts: note.amounts,
        pago,
        anticipo: note.anticipo,
        ticket: None,
        lines: note.lines,
    };
    cx.tx.insert_credit_note(factura, &stored).await?;
    let document = document::of_note(cx, &stored, Some(note.factura), note.sale.cliente, heading).await?;
    queued::keep_fit(cx, factura, document).await
}

/// Locks the customer of a locked sale, before folios and goods ([`stock::lock`]).
pub(super) async fn lock_customer(cx: &mut Cx<'_>, sale: &LockedSale) -> Result<(), Error> {
    if let Some(cliente) = sale.cliente {
        cx.tx.lock_buyer(cliente).await?;
    }
    Ok(())
}

/// Locks the bank account from which the customer is paid back, before any entry is written.
pub(super) async fn lock_account(cx: &mut Cx<'_>, note: &NewNote<'_>) -> Result<(), Error> {
    let Some(cuenta) = note.cuenta else { return Ok(()) };
    let account = cx.tx.lock_bank_account(cuenta).await?;
    PaidAccount::validate(account.as_ref())?.validate_currency(&note.sale.moneda)
}

/// The goods of the lines, to be returned to their warehouses at the cost at which they left, or at
/// the average if an import did not give it. They are locked ([`stock::lock`]).
pub(super) async fn lock_goods_coming_back(
    cx: &mut Cx<'_>,
    note: &NewNote<'_>,
    tipo: MovementKind,
) -> Result<Vec<(ActiveWarehouse, StockChange)>, Error> {
    let stocked = cx.tx.sale_goods(note.sale.clave).await?;
    let mut gone = cx.tx.goods_not_returned(note.sale.clave).await?;
    let mut changes: Vec<(ActiveWarehouse, StockChange)> = Vec::new();
    for line in &note.lines {
        let Some(goods) = stocked.iter().find(|goods| goods.renglon == line.renglon) else { continue };
        let mut back = take(&mut gone, goods.producto, line.acreditada);
        let missing = line.acreditada.get() - back.iter().map(|part| part.cantidad.get()).sum::<Decimal>();
        if missing > Decimal::ZERO {
            back.push(GoodsMovement {
                almacen: stock::warehouse_of_sale(cx, note.sale).await?,
                producto: goods.producto,
                sku: goods.sku.clone(),
                cantidad: Quantity::new(missing),
                importe: None,
                importado: true,
            });
        }
        changes.extend(back.into_iter().map(|part| part.into_change(tipo)));
    }
    stock::lock(cx, changes.iter().map(|(almacen, change)| (almacen, change.producto))).await?;
    Ok(changes)
}

/// Returns goods to their warehouses. Returns their total cost.
pub(super) async fn goods_come_back(
    cx: &mut Cx<'_>,
    note: &NewNote<'_>,
    folio: &str,
    changes: Vec<(ActiveWarehouse, StockChange)>,
) -> Result<Money, Error> {
    let context = MovementContext {
        venta: Some(note.sale.clave),
        referencia: Some(folio),
        dia: Some(cx.day_at(note.sale.sucursal)),
        ..MovementContext::default()
    };
    let costs = stock::post_by_warehouse(cx, changes, &context).await?;
    line::amount(costs).ok_or_else(too_costly)
}

/// Takes `cantidad` of a product from the goods that left, with its part of their cost.
fn take(gone: &mut [GoodsMovement], producto: i64, cantidad: Quantity) -> Vec<GoodsMovement> {
    let mut left = cantidad.get();
    let mut taken = Vec::new();
    for part in gone.iter_mut().filter(|part| part.producto == producto) {
        let units = left.min(part.cantidad.get());
        if units > Decimal::ZERO {
            let share = |all| line::share(all, Money::new(units), Money::new(part.cantidad.get()));
            let importe = part.importe.map(share);
            part.importe = part.importe.zip(importe).map(|(all, taken)| Money::new(all.get() - taken.get()));
            taken.push(GoodsMovement { cantidad: Quantity::new(units), importe, ..part.clone() });
            part.cantidad = Quantity::new(part.cantidad.get() - units);
            left -= units;
        }
    }
    taken
}

/// Locks what the credit note of `record` changed. Refuses its cancellation if its balance in the
/// customer's favour was applied elsewhere, or if the ticket that it credits has left the global
/// invoice or is being left out of its substitute, which is about the rest.
pub(crate) async fn validate_undo(cx: &mut Cx<'_>, record: &RegisteredInvoice, note: &CreditNote) -> Result<(), Error> {
    let refused = |text: &str| Err(Error::field(Code::EstadoInvalido, "factura", text));
    if note.ticket.is_some() {
        return refused("saca una venta de la factura global en que estaba, para que tenga la suya");
    }
    cx.tx.lock_receivables(note.venta).await?;
    let sale = cx.tx.lock_sale(note.venta).await?;
    let Some((sale, cliente)) = sale.and_then(|sale| Some((sale.clone(), sale.cliente?))) else { return Ok(()) };
    if note.anticipo.is_some() {
        return Ok(());
    }
    if let Some(global) = ticket::global_credited(cx, record.clave).await? {
        if sale.factura.as_ref().is_none_or(|own| own.clave != global) {
            return refused("su venta ya no está en la factura global que acredita, y la que tiene es por el resto");
        }
        if !cx.tx.substitutions(global).await?.is_empty() {
            return refused("la factura global que acredita se está sustituyendo por una del resto");
        }
    }
    cx.tx.lock_buyer(cliente).await?;
    let applied = match note.pago {
        Some(pago) => cx.tx.lock_payment(pago).await?.filter(|payment| !payment.cancelado),
        None => None,
    };
    let applied = applied.map_or(Decimal::ZERO, |payment| payment.importe.get());
    let refunded = cx.tx.refunded_by(record.clave).await?;
    let unused = (note.amounts.total.get() - applied - refunded).max(Decimal::ZERO);
    let left = cx.tx.funds(cliente, &sale.moneda, PaymentOrigin::SaldoAFavor).await?;
    // Its own balance left the funds when its cancellation was requested.
    let needed = if record.cancelacion_solicitada { Decimal::ZERO } else { unused };
    if left < needed {
        return refused("su saldo a favor ya se aplicó");
    }
    Ok(())
}

/// Reverses a credit note after its final cancellation: the receivable rises again, the balance in
/// the customer's favour is removed, returned goods leave again, a refund is in the bank again, and
/// the entry is reversed.
pub(crate) async fn undo(cx: &mut Cx<'_>, record: &RegisteredInvoice, note: &CreditNote) -> Result<(), Error> {
    let mut back = Vec::new();
    if let (TipoRelacion::Devolucion, Some(folio)) = (note.relacion, &record.folio) {
        back = cx.tx.goods_returned(note.venta, folio).await?;
        stock::lock(cx, back.iter().map(|part| (&part.almacen, part.producto))).await?;
    }
    cx.tx.cancel_refund(record.clave).await?;
    if let Some(pago) = note.pago
        && let Some(applied) = cx.tx.lock_payment(pago).await?.filter(|applied| !applied.cancelado)
    {
        payment_undone::undo(cx, pago, &applied).await?;
    }
    cx.tx.cancel_credit_balance(record.clave).await?;
    let entries = cx.tx.entries_of_note(note.venta, record.clave).await?;
    let dia = entries.iter().fold(cx.today(), |dia, entry| entry.reversal_day(dia));
    if !back.is_empty() {
        let came_at: Decimal = back.iter().filter_map(|part| part.importe).map(Money::get).sum();
        let changes = back.into_iter().map(|part| part.into_change(MovementKind::CancelacionNotaCredito)).collect();
        let context = MovementContext {
            venta: Some(note.venta),
            referencia: record.folio.as_deref(),
            dia: Some(dia),
            ..MovementContext::default()
        };
        let valor = stock::post_by_warehouse(cx, changes, &context).await?;
        // The reversed entry takes out what they came at, but they leave at the average.
        stock::correct_cost(cx, dia, came_at + valor, None).await?;
    }
    for entry in entries {
        cx.tx.insert_entry(&entry.reversed(dia), cx.now).await?;
    }
    Ok(())
}
