//! The entries of purchases: goods received, bills and their payments.

use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::payment::{ROUNDED, exchange_difference, revalued};
use super::{Account, EntryError, EntryLine, LedgerEntry, OpenedPayable};
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::payable::PayableTaxes;
use crate::domain::quantity::{Balance, Rate};

/// A bill, in its own currency.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bill {
    /// The bill's total; negative if the supplier owes it.
    pub total: Balance,
    /// The taxes within the total, as far as they are known.
    pub impuestos: PayableTaxes,
    /// The part paid in cash before the bill was captured.
    pub pagado: Balance,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
}

/// What a purchase order receives or is billed at once.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Purchased {
    /// The cost of the received goods, in pesos.
    pub mercancias: Decimal,
    /// The cost of what was received and is not stock, in pesos.
    pub gastos: Decimal,
    /// The bill, if it arrives now.
    pub factura: Option<Bill>,
    /// What was billed before and has not arrived, in pesos; negative if goods arrived before their
    /// bill.
    pub pendiente: Decimal,
    /// The difference of a complete order whose bill leaves, in pesos; it is taken back.
    pub ajustes: Decimal,
    /// What such an order holds as a purchase, in pesos; it is taken back.
    pub compras: Decimal,
    /// Whether the order expects no more goods and no more bills.
    pub completa: bool,
    /// Whether it was billed before the books began, so that the bill is in the opening account.
    pub abierta: bool,
}

/// Converts `amount` to pesos, rounded to cents, with its sign.
fn pesos(amount: Decimal, rate: Rate) -> Result<Decimal, EntryError> {
    let pesos = line::pesos(Money::new(amount.abs()), rate).ok_or(EntryError::TooLarge)?.get();
    Ok(if amount.is_sign_negative() { -pesos } else { pesos })
}

/// The part of `tax` that is due with what was paid of `total`, with its sign; nothing if what was
/// paid has the other sign.
fn due(tax: Decimal, pagado: Decimal, total: Decimal) -> Decimal {
    let part = line::share(Money::new(tax.abs()), Money::new(pagado.abs()), Money::new(total.abs())).get();
    match total.is_sign_negative() == pagado.is_sign_negative() {
        true if total.is_sign_negative() => -part,
        true => part,
        false => Decimal::ZERO,
    }
}

impl Bill {
    /// What an import opens of it: what is owed, with the taxes that its payments will credit and
    /// withhold.
    pub(crate) fn opened(&self) -> Result<OpenedPayable, EntryError> {
        let (total, pagado) = (self.total.get(), self.pagado.get());
        let pending = |tax: Balance| {
            let tax = pesos(tax.get(), self.tipo_cambio)?;
            Ok(tax - due(tax, pagado, total))
        };
        Ok(OpenedPayable {
            saldo: pesos(total - pagado, self.tipo_cambio)?,
            iva: pending(self.impuestos.iva)?,
            retencion_isr: pending(self.impuestos.retencion_isr)?,
            retencion_iva: pending(self.impuestos.retencion_iva)?,
        })
    }

    /// The bill that takes this one back.
    pub(crate) fn negated(&self) -> Self {
        let PayableTaxes { iva, ieps, retencion_isr, retencion_iva } = self.impuestos;
        let impuestos = PayableTaxes {
            iva: iva.negated(),
            ieps: ieps.negated(),
            retencion_isr: retencion_isr.negated(),
            retencion_iva: retencion_iva.negated(),
        };
        Self { total: self.total.negated(), impuestos, pagado: self.pagado.negated(), ..*self }
    }

    /// The lines of the debt and of its taxes, and the remaining amount, in pesos. IVA of the paid
    /// part is creditable, and taxes are withheld with a payment (LIVA 1-A; LISR 106 and 116); IEPS
    /// is part of the cost, because only who causes it on a sale may credit it (LIEPS, article 4).
    fn lines(&self) -> Result<(Vec<EntryLine>, Decimal), EntryError> {
        let in_pesos = |amount: Balance| pesos(amount.get(), self.tipo_cambio);
        let (total, iva, pagado) = (in_pesos(self.total)?, in_pesos(self.impuestos.iva)?, in_pesos(self.pagado)?);
        let isr_retenido = in_pesos(self.impuestos.retencion_isr)?;
        let iva_retenido = in_pesos(self.impuestos.retencion_iva)?;
        let paid = |tax: Decimal| due(tax, pagado, total);
        let (paid_iva, paid_isr_retenido, paid_iva_retenido) = (paid(iva), paid(isr_retenido), paid(iva_retenido));
        let por_retener = isr_retenido + iva_retenido - paid_isr_retenido - paid_iva_retenido;
        let lines = vec![
            EntryLine::of(Account::IvaAcreditable, paid_iva),
            EntryLine::of(Account::IvaPorAcreditar, iva - paid_iva),
            EntryLine::of(Account::Proveedores, pagado - total),
            EntryLine::of(Account::IsrRetenidoAProveedores, -paid_isr_retenido),
            EntryLine::of(Account::IvaRetenidoAProveedores, -paid_iva_retenido),
            EntryLine::of(Account::PorRetener, -por_retener),
            EntryLine::of(Account::Caja, -pagado),
        ];
        Ok((lines, total + isr_retenido + iva_retenido - iva))
    }
}

/// The entry of an expense: a bill without a purchase order.
pub(crate) fn expense_entry(
    concepto: String,
    fecha: NaiveDate,
    bill: &Bill,
) -> Result<Option<LedgerEntry>, EntryError> {
    let (mut lines, net) = bill.lines()?;
    lines.push(EntryLine::of(Account::Gastos, net));
    LedgerEntry::new(concepto, fecha, lines)
}

/// The entry of goods or a bill of a purchase order. Goods that arrive first wait in
/// [`Account::PorFacturar`] and a bill that arrives first in [`Account::EnTransito`]. When the
/// order is complete, their difference (rounding, another price or exchange rate) is an adjustment;
/// goods that arrived before entries existed are a purchase. Goods whose bill is in the opening
/// account leave that account.
pub(crate) fn purchase_entry(
    concepto: String,
    fecha: NaiveDate,
    purchase: &Purchased,
) -> Result<Option<LedgerEntry>, EntryError> {
    let came = purchase.mercancias + purchase.gastos;
    let (mut lines, billed) = match &purchase.factura {
        Some(bill) => bill.lines()?,
        None => (Vec::new(), Decimal::ZERO),
    };
    lines.push(EntryLine::of(Account::Inventario, purchase.mercancias));
    lines.push(EntryLine::of(Account::Gastos, purchase.gastos));
    lines.push(EntryLine::of(Account::AjustesDeInventario, -purchase.ajustes));
    lines.push(EntryLine::of(Account::Compras, -purchase.compras));
    let mut pending = purchase.pendiente + purchase.ajustes + purchase.compras + billed - came;
    if purchase.completa || purchase.abierta {
        let never_came = purchase.pendiente.is_zero() && came.is_zero();
        let account = match never_came {
            _ if purchase.abierta => Account::Apertura,
            true => Account::Compras,
            false => Account::AjustesDeInventario,
        };
        lines.push(EntryLine::of(account, pending));
        pending = Decimal::ZERO;
    }
    // Each direction of the pending amount has its own account.
    let zero = Decimal::ZERO;
    lines.push(EntryLine::of(Account::EnTransito, pending.max(zero) - purchase.pendiente.max(zero)));
    lines.push(EntryLine::of(Account::PorFacturar, pending.min(zero) - purchase.pendiente.min(zero)));
    LedgerEntry::new(concepto, fecha, lines)
}

/// A payment of an account payable. If the supplier owes it, all amounts are negative, and the
/// supplier pays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PayablePayment {
    /// The account that it is paid from, or to.
    pub fuente: Account,
    /// The amount, in the payable's currency.
    pub importe: Balance,
    /// What was owed before this payment.
    pub saldo: Balance,
    /// What was opened of it, if it was imported.
    pub apertura: Option<OpenedPayable>,
    /// What is owed according to its opening and the entries, in pesos.
    pub adeudo: Decimal,
    /// The IVA that is not creditable yet according to its opening and the entries, in pesos.
    pub iva: Decimal,
    /// What is still to be withheld according to its opening and the entries, in pesos.
    pub por_retener: Decimal,
    /// The ISR that was withheld before this payment according to the entries, in pesos.
    pub isr_retenido: Decimal,
    /// The ISR of what is withheld on the payable, in its currency.
    pub retencion_isr: Balance,
    /// The IVA of what is withheld on the payable, in its currency.
    pub retencion_iva: Balance,
    /// Pesos for one unit of the currency on the payable.
    pub tipo_cambio: Rate,
    /// Pesos for one unit of the currency on the day of the payment.
    pub tipo_cambio_pago: Rate,
}

impl PayablePayment {
    /// The ISR within `withheld`, by running shares of all that is withheld on the payable, so that
    /// instalments add up to its ISR. In another currency the entries hold the ISR at the rates of
    /// the payments, so that the share of what was withheld before stands for it.
    fn isr_of(&self, withheld: Decimal, foreign: bool) -> Result<Decimal, EntryError> {
        let (whole, total) = if let Some(opened) = self.apertura {
            (opened.retencion_isr, opened.por_retener())
        } else {
            let isr = pesos(self.retencion_isr.get(), self.tipo_cambio)?;
            (isr, isr + pesos(self.retencion_iva.get(), self.tipo_cambio)?)
        };
        let of = |part: Decimal| line::share(Money::new(whole), Money::new(part), Money::new(total)).get();
        let before = total - self.por_retener;
        let isr_before = if foreign { of(before) } else { self.isr_retenido };
        Ok((of(before + withheld) - isr_before).clamp(Decimal::ZERO, withheld))
    }

    fn is_foreign(&self) -> bool {
        self.tipo_cambio != Rate::ONE || self.tipo_cambio_pago != Rate::ONE
    }

    /// The payment of the same debt in the other direction.
    pub(super) fn negated(&self) -> Self {
        Self {
            importe: self.importe.negated(),
            saldo: self.saldo.negated(),
            apertura: self.apertura.map(OpenedPayable::negated),
            adeudo: -self.adeudo,
            iva: -self.iva,
            por_retener: -self.por_retener,
            isr_retenido: -self.isr_retenido,
            retencion_isr: self.retencion_isr.negated(),
            retencion_iva: self.retencion_iva.negated(),
            ..*self
        }
    }

    /// The lines of a payment to the supplier, without the exchange difference.
    fn lines(&self) -> Result<Vec<EntryLine>, EntryError> {
        let Self { adeudo, tipo_cambio, tipo_cambio_pago, .. } = *self;
        let (importe, saldo) = (Money::new(self.importe.get()), Money::new(self.saldo.get()));
        let by_rate = pesos(importe.get(), tipo_cambio)?;
        let rest = self.is_foreign() && importe == saldo && (adeudo - by_rate).abs() <= ROUNDED;
        let part = |pending: Decimal| line::share(Money::new(pending.max(Decimal::ZERO)), importe, saldo).get();
        let (iva, withheld) = (part(self.iva), part(self.por_retener));
        let isr = self.isr_of(withheld, self.is_foreign())?;
        let of_day = |pesos| revalued(pesos, tipo_cambio, tipo_cambio_pago);
        Ok(vec![
            EntryLine::of(Account::Proveedores, if rest { adeudo } else { by_rate }),
            EntryLine::of(self.fuente, -pesos(importe.get(), tipo_cambio_pago)?),
            EntryLine::of(Account::IvaPorAcreditar, -iva),
            EntryLine::of(Account::IvaAcreditable, of_day(iva)?),
            EntryLine::of(Account::PorRetener, withheld),
            EntryLine::of(Account::IsrRetenidoAProveedores, -of_day(isr)?),
            EntryLine::of(Account::IvaRetenidoAProveedores, -of_day(withheld - isr)?),
        ])
    }
}

/// The entry of a payment of a payable. The debt falls at the payable's exchange rate; its part of
/// the IVA becomes creditable, and its part of the taxes is withheld, at the payment's. The
/// difference is an exchange gain or loss. What a supplier gives back has the same lines on the
/// other sides.
pub(crate) fn payable_payment_entry(
    concepto: String,
    fecha: NaiveDate,
    payment: &PayablePayment,
) -> Result<Option<LedgerEntry>, EntryError> {
    let mut lines = if payment.saldo.get().is_sign_negative() {
        payment.negated().lines()?.iter().map(EntryLine::swapped).collect()
    } else {
        payment.lines()?
    };
    if payment.is_foreign() {
        lines.push(exchange_difference(&lines));
    }
    LedgerEntry::new(concepto, fecha, lines)
}
