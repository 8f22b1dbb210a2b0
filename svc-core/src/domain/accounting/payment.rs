//! The entries of payments of receivables, with their exchange differences.

use chrono::NaiveDate;
use rust_decimal::{Decimal, RoundingStrategy};

use super::{Account, EntryError, EntryLine, LedgerEntry};
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::quantity::Rate;

/// The posted amounts of a payment, in the receivable's currency.
#[derive(Debug, Clone)]
pub(crate) struct PaymentAmounts {
    /// Where the money came from, in pesos.
    pub recibido: Vec<EntryLine>,
    /// The amount.
    pub importe: Money,
    /// The part of the receivable paid before this payment.
    pub pagado: Money,
    /// What the receivable owes before this payment.
    pub saldo: Money,
    /// What a credit note takes back, if it is what pays.
    pub acreditado: Option<CreditedAmounts>,
    /// Whether credit notes have paid a part of the receivable.
    pub con_notas: bool,
    /// What is already posted of the receivable.
    pub contabilizado: Collected,
    /// The sale's total.
    pub total: Money,
    /// The sale's IVA.
    pub iva: Money,
    /// The sale's IEPS.
    pub ieps: Money,
    /// Pesos for one unit of the currency on the receivable.
    pub tipo_cambio: Rate,
    /// Pesos for one unit of the currency on the day of the payment.
    pub tipo_cambio_pago: Rate,
    /// Whether the bank account has another currency.
    pub cambio: bool,
}

/// What a credit note takes back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CreditedAmounts {
    /// Its total, which contains the taxes.
    pub total: Money,
    /// What it leaves in the customer's favour, in pesos.
    pub pesos: Money,
    /// Its IVA.
    pub iva: Money,
    /// Its IEPS.
    pub ieps: Money,
}

/// What is posted of a receivable and its payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Collected {
    /// What is still owed according to its opening and the entries, in pesos.
    pub adeudo: Decimal,
    /// The sum of the posted payments, in the receivable's currency.
    pub importe: Decimal,
    /// The IVA that the payments collected, in pesos.
    pub iva: Decimal,
    /// The IEPS that the payments collected, in pesos.
    pub ieps: Decimal,
}

/// The largest difference, in pesos, between a receivable's remainder and the value of its last
/// payment that counts as rounding of instalments in another currency.
pub(super) const ROUNDED: Decimal = Decimal::ONE;

/// The entry of a payment. The customer owes less, at the receivable's exchange rate; taxes are
/// collected in proportion, at the payment's rate, because they fall due when collected (LIVA 1-B,
/// 17 and 22). The difference is an exchange gain or loss. What a credit note pays collects the
/// note's own taxes, which its entry takes back.
pub(crate) fn payment_entry(
    concepto: impl Into<String>,
    fecha: NaiveDate,
    payment: &PaymentAmounts,
) -> Result<Option<LedgerEntry>, EntryError> {
    let pesos = |amount| line::pesos(amount, payment.tipo_cambio).ok_or(EntryError::TooLarge);
    let Collected { adeudo, iva, ieps, .. } = payment.contabilizado;
    let owed = pesos(payment.importe)?.get();
    // The last payment takes the remainder, so that a paid receivable leaves no balance.
    let rest = payment.is_foreign() && payment.is_last() && (adeudo - owed).abs() <= ROUNDED;
    let mut lines = payment.recibido.clone();
    lines.push(EntryLine::of(Account::Clientes, if rest { -adeudo } else { -owed }));
    let credited = |tax: fn(&CreditedAmounts) -> Money| {
        let share = |note: &CreditedAmounts| Ok(line::share(pesos(tax(note))?, payment.importe, note.total));
        payment.acreditado.as_ref().map(share).transpose()
    };
    for (whole, booked, credited, pending, paid) in [
        (pesos(payment.iva)?, iva, credited(|note| note.iva)?, Account::IvaNoCobrado, Account::IvaCobrado),
        (pesos(payment.ieps)?, ieps, credited(|note| note.ieps)?, Account::IepsNoCobrado, Account::IepsCobrado),
    ] {
        let due = collected(payment, whole, booked, credited);
        let of_day = revalued(due, payment.tipo_cambio, payment.tipo_cambio_pago)?;
        lines.extend([EntryLine::of(pending, due), EntryLine::of(paid, -of_day)]);
    }
    if payment.is_foreign() || payment.cambio {
        lines.push(exchange_difference(&lines));
    }
    LedgerEntry::new(concepto, fecha, lines)
}

impl PaymentAmounts {
    /// Whether it leaves nothing owed.
    fn is_last(&self) -> bool {
        self.importe >= self.saldo
    }

    fn is_foreign(&self) -> bool {
        self.tipo_cambio != Rate::ONE || self.tipo_cambio_pago != Rate::ONE
    }
}

/// Converts `pesos` from one exchange rate to another, in cents.
pub(super) fn revalued(pesos: Decimal, from: Rate, to: Rate) -> Result<Decimal, EntryError> {
    if from == to {
        return Ok(pesos);
    }
    let exact = pesos.checked_div(from.get()).and_then(|amount| amount.checked_mul(to.get()));
    let exact = exact.ok_or(EntryError::TooLarge)?;
    Ok(exact.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero))
}

/// The line that balances `lines`: the exchange gain or loss.
pub(crate) fn exchange_difference(lines: &[EntryLine]) -> EntryLine {
    let gained: Decimal = lines.iter().map(EntryLine::signed).sum();
    let account = if gained.is_sign_negative() { Account::PerdidaCambiaria } else { Account::UtilidadCambiaria };
    EntryLine::of(account, -gained)
}

/// The tax that this payment collects: what should be collected after it, in proportion to the sale,
/// less what is posted, so that instalments add up to the whole tax even if some were cancelled in
/// between. Payments that were never posted count as having collected theirs elsewhere. A credit
/// note collects its own tax, `credited`, but no more than is left, and payments after one collect
/// their part of what is left.
fn collected(payment: &PaymentAmounts, whole: Money, booked: Decimal, credited: Option<Money>) -> Decimal {
    let of = |paid: Decimal| line::share(whole, Money::new(paid), payment.total).get();
    let before = payment.pagado.get();
    let elsewhere = of((before - payment.contabilizado.importe).max(Decimal::ZERO));
    let after = |paid: Money| of(before + paid.get()) - elsewhere - booked;
    let left = after(payment.saldo);
    match credited {
        _ if payment.is_last() => left,
        Some(credited) => credited.get().min(left),
        None if payment.con_notas => {
            line::share(Money::new(left.max(Decimal::ZERO)), payment.importe, payment.saldo).get()
        }
        None => after(payment.importe),
    }
}
