//! The entries of payments of receivables, and what the exchange rate makes of them.

use chrono::NaiveDate;
use rust_decimal::{Decimal, RoundingStrategy};

use super::{Account, Entry, EntryError, EntryLine};
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::quantity::Rate;

/// The amounts of a payment that are posted; in the receivable's currency.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PaymentAmounts {
    /// Where it came from, or to, in pesos.
    pub recibido: [(Account, Money); 2],
    /// The amount.
    pub importe: Money,
    /// What had been paid of the receivable before.
    pub pagado: Money,
    /// Whether nothing is owed any more.
    pub liquida: bool,
    /// What the books have of the receivable.
    pub contabilizado: Collected,
    /// The sale's total.
    pub total: Money,
    /// The sale's IVA.
    pub iva: Money,
    /// The sale's IEPS.
    pub ieps: Money,
    /// Pesos for one unit of the currency, of the receivable.
    pub tipo_cambio: Rate,
    /// The same on the day of the payment.
    pub tipo_cambio_pago: Rate,
}

/// What the books have of a receivable and its posted payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Collected {
    /// What is owed of it, in pesos; of an imported one nothing that could be relied upon.
    pub adeudo: Decimal,
    /// What the payments amount to, in the receivable's currency.
    pub importe: Decimal,
    /// The pending IVA that they took, in pesos.
    pub iva: Decimal,
    /// The pending IEPS that they took, in pesos.
    pub ieps: Decimal,
}

/// How far, in pesos, what is left of a receivable may be from what its last payment is worth: the cents that instalments in another
/// currency were rounded by.
pub(super) const ROUNDED: Decimal = Decimal::ONE;

/// The entry of a payment: the customer owes less, at the receivable's exchange rate; the sale's taxes are collected in proportion, at
/// the payment's, since they are due as they are collected (LIVA 1-B, 17 and 22); what that leaves is gained or lost by the exchange rate.
pub(crate) fn payment_entry(
    concepto: impl Into<String>,
    fecha: NaiveDate,
    payment: &PaymentAmounts,
) -> Result<Option<Entry>, EntryError> {
    let pesos = |amount| line::pesos(amount, payment.tipo_cambio).ok_or(EntryError::TooLarge);
    let Collected { adeudo, iva, ieps, .. } = payment.contabilizado;
    let owed = pesos(payment.importe)?.get();
    // The last one takes what is left, so that nothing of a paid receivable stays in the books.
    let rest = payment.is_foreign() && payment.liquida && (adeudo - owed).abs() <= ROUNDED;
    let mut lines: Vec<EntryLine> =
        payment.recibido.map(|(cuenta, importe)| EntryLine::cargo(cuenta, importe)).to_vec();
    lines.push(EntryLine::of(Account::Clientes, if rest { -adeudo } else { -owed }));
    for (whole, booked, pending, paid) in [
        (pesos(payment.iva)?, iva, Account::IvaNoCobrado, Account::IvaCobrado),
        (pesos(payment.ieps)?, ieps, Account::IepsNoCobrado, Account::IepsCobrado),
    ] {
        let due = collected(payment, whole) - booked;
        let of_day = revalued(due, payment.tipo_cambio, payment.tipo_cambio_pago)?;
        lines.extend([EntryLine::of(pending, due), EntryLine::of(paid, -of_day)]);
    }
    if payment.is_foreign() {
        lines.push(exchange_difference(&lines));
    }
    Entry::new(concepto, fecha, lines)
}

impl PaymentAmounts {
    fn is_foreign(&self) -> bool {
        self.tipo_cambio != Rate::ONE || self.tipo_cambio_pago != Rate::ONE
    }
}

/// `pesos` that were reckoned at one exchange rate, at another, in cents.
pub(super) fn revalued(pesos: Decimal, from: Rate, to: Rate) -> Result<Decimal, EntryError> {
    if from == to {
        return Ok(pesos);
    }
    let exact = pesos.checked_div(from.get()).and_then(|amount| amount.checked_mul(to.get()));
    let exact = exact.ok_or(EntryError::TooLarge)?;
    Ok(exact.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero))
}

/// The line that balances these: the exchange gain or loss.
pub(super) fn exchange_difference(lines: &[EntryLine]) -> EntryLine {
    let gained: Decimal = lines.iter().map(EntryLine::signed).sum();
    let account = if gained.is_sign_negative() { Account::PerdidaCambiaria } else { Account::UtilidadCambiaria };
    EntryLine::of(account, -gained)
}

/// What of a tax ought to be posted as collected after this payment: less the tax posted so far it is the payment's part, so instalments
/// add up to the whole tax, whichever of them were cancelled between. Payments that were never posted collected their part elsewhere.
fn collected(payment: &PaymentAmounts, whole: Money) -> Decimal {
    let of = |paid: Decimal| line::share(whole, Money::new(paid), payment.total).get();
    let before = payment.pagado.get();
    let elsewhere = of((before - payment.contabilizado.importe).max(Decimal::ZERO));
    of(before + payment.importe.get()) - elsewhere
}
