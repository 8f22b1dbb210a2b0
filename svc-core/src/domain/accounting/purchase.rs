//! The entries of what is bought: goods that come, bills, and their payments.

use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::payment::{ROUNDED, exchange_difference, revalued};
use super::{Account, Entry, EntryError, EntryLine};
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Rate};

/// A bill, in its own currency.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bill {
    /// What it comes to; negative where the supplier owes it.
    pub total: Balance,
    /// The IVA in that, as far as it is known.
    pub iva: Balance,
    /// What was paid of it before it was captured: in cash.
    pub pagado: Balance,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
}

/// What comes of a purchase order, or is billed of it, at once.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Purchased {
    /// What the goods cost that came, in pesos.
    pub mercancias: Decimal,
    /// What else came that no warehouse holds.
    pub gastos: Decimal,
    /// Its bill, if it is made now.
    pub factura: Option<Bill>,
    /// What was billed of the order before and has not come; negative: what came and was not billed. In pesos.
    pub pendiente: Decimal,
    /// Whether nothing more comes, and nothing more is billed.
    pub completa: bool,
}

/// `amount` of a currency in pesos and cents, with its sign.
fn pesos(amount: Decimal, rate: Rate) -> Result<Decimal, EntryError> {
    let pesos = line::pesos(Money::new(amount.abs()), rate).ok_or(EntryError::TooLarge)?.get();
    Ok(if amount.is_sign_negative() { -pesos } else { pesos })
}

impl Bill {
    /// The lines of what is owed and of its IVA, and what else it was for, in pesos. The IVA of what is paid may be credited.
    fn lines(&self) -> Result<(Vec<EntryLine>, Decimal), EntryError> {
        let [total, iva, pagado] =
            [self.total, self.iva, self.pagado].map(|amount| pesos(amount.get(), self.tipo_cambio));
        let (total, iva, pagado) = (total?, iva?, pagado?);
        let part = line::share(Money::new(iva.abs()), Money::new(pagado.abs()), Money::new(total.abs())).get();
        let paid_iva = match total.is_sign_negative() == pagado.is_sign_negative() {
            true if total.is_sign_negative() => -part,
            true => part,
            false => Decimal::ZERO,
        };
        let lines = vec![
            EntryLine::of(Account::IvaAcreditable, paid_iva),
            EntryLine::of(Account::IvaPorAcreditar, iva - paid_iva),
            EntryLine::of(Account::Proveedores, pagado - total),
            EntryLine::of(Account::Caja, -pagado),
        ];
        Ok((lines, total - iva))
    }
}

/// The entry of an expense: its bill, and nothing that came of an order.
pub(crate) fn expense_entry(concepto: String, fecha: NaiveDate, bill: &Bill) -> Result<Option<Entry>, EntryError> {
    let (mut lines, net) = bill.lines()?;
    lines.push(EntryLine::of(Account::Gastos, net));
    Entry::new(concepto, fecha, lines)
}

/// The entry of a purchase order of which something comes, or is billed. Between the two what came waits to be billed
/// ([`Account::PorFacturar`]), or what was billed to come ([`Account::EnTransito`]). When the order is complete what they differ by
/// (rounding, another price or exchange rate) is an adjustment; what came before it could be posted, a purchase.
pub(crate) fn purchase_entry(
    concepto: String,
    fecha: NaiveDate,
    purchase: &Purchased,
) -> Result<Option<Entry>, EntryError> {
    let came = purchase.mercancias + purchase.gastos;
    let (mut lines, billed) = match &purchase.factura {
        Some(bill) => bill.lines()?,
        None => (Vec::new(), Decimal::ZERO),
    };
    lines.push(EntryLine::of(Account::Inventario, purchase.mercancias));
    lines.push(EntryLine::of(Account::Gastos, purchase.gastos));
    let mut pending = purchase.pendiente + billed - came;
    if purchase.completa {
        let never_came = purchase.pendiente.is_zero() && came.is_zero();
        let account = if never_came { Account::Compras } else { Account::AjustesDeInventario };
        lines.push(EntryLine::of(account, pending));
        pending = Decimal::ZERO;
    }
    // Each side of what waits on its own account.
    let zero = Decimal::ZERO;
    lines.push(EntryLine::of(Account::EnTransito, pending.max(zero) - purchase.pendiente.max(zero)));
    lines.push(EntryLine::of(Account::PorFacturar, pending.min(zero) - purchase.pendiente.min(zero)));
    Entry::new(concepto, fecha, lines)
}

/// A payment of an account payable.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PayablePayment {
    /// What it is paid from.
    pub fuente: Account,
    /// The amount, in the payable's currency.
    pub importe: Money,
    /// What was to be paid before.
    pub saldo: Money,
    /// What the books say is owed of it, in pesos; of an imported one nothing.
    pub adeudo: Decimal,
    /// What they say of its IVA that may not be credited yet, in pesos.
    pub iva: Decimal,
    /// Pesos for one unit of the currency, of the payable.
    pub tipo_cambio: Rate,
    /// The same on the day of the payment.
    pub tipo_cambio_pago: Rate,
}

/// The entry of a payment of a payable: less is owed, at the payable's exchange rate; its part of the IVA may be credited, at the
/// payment's; what that leaves is gained or lost by the exchange rate.
pub(crate) fn payable_payment_entry(
    concepto: String,
    fecha: NaiveDate,
    payment: &PayablePayment,
) -> Result<Option<Entry>, EntryError> {
    let PayablePayment { importe, saldo, adeudo, tipo_cambio, tipo_cambio_pago, .. } = *payment;
    let foreign = tipo_cambio != Rate::ONE || tipo_cambio_pago != Rate::ONE;
    let by_rate = pesos(importe.get(), tipo_cambio)?;
    let rest = foreign && importe == saldo && (adeudo - by_rate).abs() <= ROUNDED;
    let iva = line::share(Money::new(payment.iva.max(Decimal::ZERO)), importe, saldo).get();
    let mut lines = vec![
        EntryLine::of(Account::Proveedores, if rest { adeudo } else { by_rate }),
        EntryLine::of(payment.fuente, -pesos(importe.get(), tipo_cambio_pago)?),
        EntryLine::of(Account::IvaPorAcreditar, -iva),
        EntryLine::of(Account::IvaAcreditable, revalued(iva, tipo_cambio, tipo_cambio_pago)?),
    ];
    if foreign {
        lines.push(exchange_difference(&lines));
    }
    Entry::new(concepto, fecha, lines)
}
