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
    pub importe: Money,
    /// The part of the receivable paid before this payment.
    pub pagado: Money,
    /// Whether this payment leaves nothing owed.
    pub liquida: bool,
    /// What credit notes have paid of the receivable, this one included if it is what pays.
    pub acreditado: CreditedPart,
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

/// What credit notes and returns take off a receivable, in its currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CreditedPart {
    /// The amount, which contains the taxes.
    pub importe: Money,
    /// The IVA within `importe`.
    pub iva: Money,
    /// The IEPS within `importe`.
    pub ieps: Money,
}

impl CreditedPart {
    /// The sum of both parts; `None` adds nothing.
    pub(crate) fn with(self, other: Option<Self>) -> Self {
        let other = other.unwrap_or_default();
        let sum = |one: Money, other: Money| Money::new(one.get() + other.get());
        Self {
            importe: sum(self.importe, other.importe),
            iva: sum(self.iva, other.iva),
            ieps: sum(self.ieps, other.ieps),
        }
    }
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
/// 17 and 22). The difference is an exchange gain or loss. A payment of zero only corrects the
/// taxes collected so far, after another payment was cancelled.
pub(crate) fn payment_entry(
    concepto: impl Into<String>,
    fecha: NaiveDate,
    payment: &PaymentAmounts,
) -> Result<Option<LedgerEntry>, EntryError> {
    let pesos = |amount| line::pesos(amount, payment.tipo_cambio).ok_or(EntryError::TooLarge);
    let Collected { adeudo, iva, ieps, .. } = payment.contabilizado;
    let owed = pesos(payment.importe)?.get();
    // The last payment takes the remainder, so that a paid receivable leaves no balance.
    let rest = payment.is_foreign() && payment.liquida && (adeudo - owed).abs() <= ROUNDED;
    let mut lines = payment.recibido.clone();
    lines.push(EntryLine::of(Account::Clientes, if rest { -adeudo } else { -owed }));
    let notes = payment.acreditado;
    for (whole, booked, credited, pending, paid) in [
        (pesos(payment.iva)?, iva, pesos(notes.iva)?, Account::IvaNoCobrado, Account::IvaCobrado),
        (pesos(payment.ieps)?, ieps, pesos(notes.ieps)?, Account::IepsNoCobrado, Account::IepsCobrado),
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

/// The tax that this payment collects: the tax due after it, less what is posted, so that
/// instalments add up to the whole tax even if some were cancelled in between. Due is all the tax
/// that credit notes took off, because their entries take it back, and the paid part of the rest.
/// Payments that were never posted count as having collected theirs elsewhere.
fn collected(payment: &PaymentAmounts, whole: Money, booked: Decimal, credited: Money) -> Decimal {
    let less = |one: Money, other: Money| Money::new((one.get() - other.get()).max(Decimal::ZERO));
    let notes = payment.acreditado.importe;
    let credited = credited.min(whole);
    let before = payment.pagado.get();
    let paid = less(Money::new(before + payment.importe.get()), notes);
    let of_rest = line::share(less(whole, credited), paid, less(payment.total, notes)).get();
    let unposted = Money::new((before - payment.contabilizado.importe).max(Decimal::ZERO));
    credited.get() + of_rest - line::share(whole, unposted, payment.total).get() - booked
}
