//! The entries of imported balances, against the opening account.

use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::{Account, EntryError, EntryLine, LedgerEntry};
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Rate};

/// Imported balances of one kind, in pesos.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpeningBalance {
    /// Goods in the warehouses.
    Stock(Decimal),
    /// What customers owe, at the exchange rates of their receivables.
    Receivables(OpenedDebt),
    /// What is owed to suppliers.
    Payables(OpenedPayable),
    /// What a bank account holds.
    Bank(Decimal),
}

/// What customers owe, with the taxes within it that are due when it is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenedDebt {
    /// What is owed in pesos, taxes included.
    pub saldo: Decimal,
    /// The IVA within it.
    pub iva: Decimal,
    /// The IEPS within it.
    pub ieps: Decimal,
}

/// What is owed to suppliers, in pesos, with the taxes that are due when it is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenedPayable {
    /// What is owed, IVA included and withholdings excluded.
    pub saldo: Decimal,
    /// The IVA within it, which is not creditable yet.
    pub iva: Decimal,
    /// The ISR that is still to be withheld.
    pub retencion_isr: Decimal,
    /// The IVA that is still to be withheld.
    pub retencion_iva: Decimal,
}

impl OpeningBalance {
    /// The sum of two balances of one kind; if their kinds differ, the second.
    #[must_use]
    pub(crate) fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Stock(a), Self::Stock(b)) => Self::Stock(a + b),
            (Self::Payables(a), Self::Payables(b)) => Self::Payables(a.plus(b)),
            (Self::Bank(a), Self::Bank(b)) => Self::Bank(a + b),
            (Self::Receivables(a), Self::Receivables(b)) => Self::Receivables(a.plus(b)),
            (_, other) => other,
        }
    }
}

impl OpenedDebt {
    #[must_use]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { saldo: self.saldo + other.saldo, iva: self.iva + other.iva, ieps: self.ieps + other.ieps }
    }

    /// The lines of the debt, without that of the opening account.
    fn lines(self) -> Vec<EntryLine> {
        vec![
            EntryLine::of(Account::Clientes, self.saldo),
            EntryLine::of(Account::IvaNoCobrado, -self.iva),
            EntryLine::of(Account::IepsNoCobrado, -self.ieps),
        ]
    }

    /// The debt with the other sign, which takes it back.
    #[must_use]
    pub(crate) fn negated(self) -> Self {
        Self { saldo: -self.saldo, iva: -self.iva, ieps: -self.ieps }
    }
}

impl OpenedPayable {
    #[must_use]
    fn plus(self, other: Self) -> Self {
        Self {
            saldo: self.saldo + other.saldo,
            iva: self.iva + other.iva,
            retencion_isr: self.retencion_isr + other.retencion_isr,
            retencion_iva: self.retencion_iva + other.retencion_iva,
        }
    }

    /// The debt with the other sign, which takes it back.
    #[must_use]
    pub(crate) fn negated(self) -> Self {
        let Self { saldo, iva, retencion_isr, retencion_iva } = self;
        Self { saldo: -saldo, iva: -iva, retencion_isr: -retencion_isr, retencion_iva: -retencion_iva }
    }

    /// What is still to be withheld.
    pub(crate) fn por_retener(&self) -> Decimal {
        self.retencion_isr + self.retencion_iva
    }

    /// The lines of the debt, without that of the opening account.
    fn lines(self) -> Vec<EntryLine> {
        vec![
            EntryLine::of(Account::Proveedores, -self.saldo),
            EntryLine::of(Account::IvaPorAcreditar, self.iva),
            EntryLine::of(Account::PorRetener, -self.por_retener()),
        ]
    }
}

/// The entry of imported balances; negative ones take back what was posted.
pub(crate) fn opening_entry(fecha: NaiveDate, opening: OpeningBalance) -> Result<Option<LedgerEntry>, EntryError> {
    let (name, lines) = match opening {
        OpeningBalance::Stock(valor) => ("inventario", vec![EntryLine::of(Account::Inventario, valor)]),
        OpeningBalance::Payables(payable) => ("cuentas por pagar", payable.lines()),
        OpeningBalance::Bank(saldo) => ("bancos", vec![EntryLine::of(Account::Bancos, saldo)]),
        OpeningBalance::Receivables(debt) => ("cuentas por cobrar", debt.lines()),
    };
    LedgerEntry::new(format!("Apertura: {name}"), fecha, against_opening(lines))
}

/// The entry of a sale whose part `prepaid` was paid before the books began: the customer does not
/// owe it, and its taxes were collected elsewhere.
pub(crate) fn prepaid_entry(sale: LedgerEntry, prepaid: OpenedDebt) -> Result<Option<LedgerEntry>, EntryError> {
    let lines: Vec<EntryLine> =
        sale.lines().iter().copied().chain(against_opening(prepaid.negated().lines())).collect();
    sale.with_lines(lines)
}

/// These lines with the one of the opening account that balances them.
fn against_opening(lines: Vec<EntryLine>) -> impl Iterator<Item = EntryLine> {
    let sum: Decimal = lines.iter().map(EntryLine::signed).sum();
    lines.into_iter().chain([EntryLine::of(Account::Apertura, -sum)])
}

/// A balance in pesos; `None` when it exceeds 18 digits.
pub(crate) fn balance_in_pesos(saldo: Balance, tipo_cambio: Rate) -> Option<Balance> {
    let pesos = line::pesos(Money::new(saldo.get().abs()), tipo_cambio)?.get();
    Some(Balance::new(if saldo.get().is_sign_negative() { -pesos } else { pesos }))
}

/// What an imported receivable owes in pesos, with the taxes of its sale (IVA, IEPS and the total
/// that contains them) that its payments will collect. `None` when it exceeds 18 digits.
pub(crate) fn opened_debt(pagado: Money, saldo: Money, taxes: [Money; 3], tipo_cambio: Rate) -> Option<OpenedDebt> {
    let [iva, ieps, total] = taxes;
    let pending = |tax: Money| {
        let whole = line::pesos(tax, tipo_cambio)?;
        let of = |paid: Decimal| line::share(whole, Money::new(paid), total).get();
        Some(of(pagado.get() + saldo.get()) - of(pagado.get()))
    };
    Some(OpenedDebt { saldo: line::pesos(saldo, tipo_cambio)?.get(), iva: pending(iva)?, ieps: pending(ieps)? })
}
