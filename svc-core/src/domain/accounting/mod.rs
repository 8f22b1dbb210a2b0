//! Accounting entries, in pesos; an entry always balances.

mod account;
pub(crate) mod electronic;
mod income;
mod manual;
mod opening;
mod payment;
mod purchase;
mod revaluation;
mod stock;

use std::fmt;

use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::line;
use super::money::Money;
use super::quantity::Rate;
use super::sale::Amounts;
use crate::error::{Code, Error};

pub use account::{Account, Nature, bank_subaccount};
pub(crate) use account::{grouping_name, is_postable};
pub use electronic::{LedgerDocument, RequestKind, Submission};
pub(crate) use income::IncomeKind;
pub use income::{IncomeByRate, IncomePart, SaleIncome};
pub(crate) use manual::is_kept_by_lists;
pub use manual::{EntryOrigin, FreeEntry, FreeLine};
pub use opening::{OpenedDebt, OpenedPayable, OpeningBalance};
pub(crate) use opening::{balance_in_pesos, opened_debt, opening_entry, prepaid_entry};
pub use payment::{Collected, CreditedPart};
pub(crate) use payment::{PaymentAmounts, exchange_difference, payment_entry};
pub(crate) use purchase::{Bill, PayablePayment, Purchased, expense_entry, payable_payment_entry, purchase_entry};
pub use revaluation::ForeignBalance;
pub(crate) use revaluation::{Revalued, revaluation_lines};
pub(crate) use stock::{cost_entry, handover_entry, moved_entry};

/// The side of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The debit side.
    Cargo,
    /// The credit side.
    Abono,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Cargo => Self::Abono,
            Self::Abono => Self::Cargo,
        }
    }
}

/// One line of a [`LedgerEntry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryLine {
    /// The account; the store writes the company's own number of it.
    pub cuenta: Account,
    /// The side of the account.
    pub lado: Side,
    /// The amount, in pesos; never negative.
    pub importe: Money,
}

impl EntryLine {
    /// A debit of `importe` pesos; [`LedgerEntry::new`] refuses a negative one.
    pub fn cargo(cuenta: Account, importe: Money) -> Self {
        Self { cuenta, lado: Side::Cargo, importe }
    }

    /// A credit of `importe` pesos; [`LedgerEntry::new`] refuses a negative one.
    pub fn abono(cuenta: Account, importe: Money) -> Self {
        Self { cuenta, lado: Side::Abono, importe }
    }

    /// A debit of `importe`, or a credit of its absolute value if it is negative.
    pub(crate) fn of(cuenta: Account, importe: Decimal) -> Self {
        let lado = if importe.is_sign_negative() { Side::Abono } else { Side::Cargo };
        Self { cuenta, lado, importe: Money::new(importe.abs()) }
    }

    /// The line on the other side.
    fn swapped(&self) -> Self {
        Self { lado: self.lado.other(), ..*self }
    }

    /// The signed effect on the account: negative on the credit side.
    pub(crate) fn signed(&self) -> Decimal {
        match self.lado {
            Side::Cargo => self.importe.get(),
            Side::Abono => -self.importe.get(),
        }
    }
}

/// Why lines do not make an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryError {
    /// Debits and credits differ.
    Unbalanced,
    /// An amount is negative, or has more than 18 digits in pesos.
    TooLarge,
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unbalanced => "the entry does not balance",
            Self::TooLarge => "the amount has too many digits in pesos",
        })
    }
}

impl std::error::Error for EntryError {}

impl From<EntryError> for Error {
    fn from(error: EntryError) -> Self {
        match error {
            EntryError::Unbalanced => Self::internal(error),
            EntryError::TooLarge => {
                Self::field(Code::DatoInvalido, "importe", "tiene demasiados dígitos en pesos para contabilizarse")
            }
        }
    }
}

/// An accounting entry (póliza): balanced, of at least two lines, none of them zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    concepto: String,
    fecha: NaiveDate,
    lines: Vec<EntryLine>,
    /// The entry's clave, once it is stored.
    clave: Option<i64>,
    about: About,
}

/// The claves of the documents that an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct About {
    /// The document in `ventas`: a sale, an order, an advance.
    pub venta: Option<i64>,
    /// The record in the registry of invoices.
    pub factura: Option<i64>,
    /// The payment of a receivable.
    pub pago: Option<i64>,
    /// The payment of an account payable.
    pub cxp_pago: Option<i64>,
    /// The purchase order, in `compras`.
    pub compra: Option<i64>,
    /// The account payable, in `cxp`.
    pub cxp: Option<i64>,
    /// The deposit in a bank account, in `depositos`.
    pub deposito: Option<i64>,
    /// The refund to a customer.
    pub reembolso: Option<i64>,
    /// The first stock movement.
    pub movimiento: Option<i64>,
    /// The entry that this one reverses; the reversal uses that entry's account numbers.
    pub revierte: Option<i64>,
    /// The bank account of its lines on [`Account::Bancos`], which are written on the bank
    /// account's own subaccount. It is not stored: the line's number says it.
    pub cuenta_bancaria: Option<i64>,
}

impl LedgerEntry {
    /// Makes an entry, without the lines that are zero; `None` if all of them are.
    pub fn new(
        concepto: impl Into<String>,
        fecha: NaiveDate,
        lines: impl IntoIterator<Item = EntryLine>,
    ) -> Result<Option<Self>, EntryError> {
        let lines: Vec<_> = lines.into_iter().filter(|line| line.importe != Money::default()).collect();
        let mut balance = Decimal::ZERO;
        for line in &lines {
            line::amount(line.importe.get()).ok_or(EntryError::TooLarge)?;
            balance += line.signed();
        }
        if !balance.is_zero() {
            return Err(EntryError::Unbalanced);
        }
        let entry = Self { concepto: concepto.into(), fecha, lines, clave: None, about: About::default() };
        Ok((!entry.lines.is_empty()).then_some(entry))
    }

    /// Adds the sales document.
    #[must_use]
    pub fn of_sale(self, venta: Option<i64>) -> Self {
        Self { about: About { venta, ..self.about }, ..self }
    }

    /// Adds the record in the registry of invoices.
    #[must_use]
    pub fn of_invoice(self, factura: Option<i64>) -> Self {
        Self { about: About { factura, ..self.about }, ..self }
    }

    /// Adds the payment of a receivable.
    #[must_use]
    pub fn of_payment(self, pago: Option<i64>) -> Self {
        Self { about: About { pago, ..self.about }, ..self }
    }

    /// Replaces the documents it is about.
    #[must_use]
    pub fn of(self, about: About) -> Self {
        Self { about, ..self }
    }

    /// Adds the clave under which it is stored.
    #[must_use]
    pub fn stored(self, clave: i64) -> Self {
        Self { clave: Some(clave), ..self }
    }

    /// The reversal of this entry on `fecha`: every line on the other side.
    #[must_use]
    pub(crate) fn reversed(&self, fecha: NaiveDate) -> Self {
        let lines = self.lines.iter().map(EntryLine::swapped).collect();
        let about = About { revierte: self.clave, ..self.about };
        let fecha = self.reversal_day(fecha);
        Self { concepto: format!("Cancelación: {}", self.concepto), fecha, lines, clave: None, about }
    }

    /// The day of a reversal made on `today`: never before the entry's own, which may be that of a
    /// place to the east.
    pub(crate) fn reversal_day(&self, today: NaiveDate) -> NaiveDate {
        today.max(self.fecha)
    }

    /// Replaces the lines; the new ones must balance too.
    pub(crate) fn with_lines(self, lines: impl IntoIterator<Item = EntryLine>) -> Result<Option<Self>, EntryError> {
        let Self { concepto, fecha, clave, about, .. } = self;
        Ok(Self::new(concepto, fecha, lines)?.map(|entry| Self { clave, about, ..entry }))
    }

    /// The description in Spanish, such as `Apertura: bancos`.
    pub fn concepto(&self) -> &str {
        &self.concepto
    }

    /// The day it is posted on, in the time zone of its document's place (contract §12).
    pub fn fecha(&self) -> NaiveDate {
        self.fecha
    }

    /// The lines: none is zero, and debits equal credits.
    pub fn lines(&self) -> &[EntryLine] {
        &self.lines
    }

    /// The documents that the entry is about.
    pub fn about(&self) -> About {
        self.about
    }
}

/// The posted amounts of a sale, in the document's currency; its cost is in pesos.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SaleAmounts {
    /// The income account: [`Account::Ventas`], or [`Account::Anticipos`] for an advance.
    pub ingreso: Account,
    pub amounts: Amounts,
    /// The part of them that is not taxed at the general rate.
    pub por_tasa: IncomeByRate,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// The cost of the goods that left, in pesos; zero when none left.
    pub costo: Money,
    /// The part of `costo` that was delivered and posted before the sale was owed.
    pub entregado: Money,
}

/// The entry of a sale. The customer owes it, its taxes are not collected yet (local ones are due
/// at once), withheld taxes are a claim on the authority, and the goods that left are a cost. The
/// receivable is the sum of the other lines, so that rounding to pesos cannot unbalance the entry.
pub(crate) fn sale_entry(
    concepto: impl Into<String>,
    fecha: NaiveDate,
    sale: &SaleAmounts,
) -> Result<Option<LedgerEntry>, EntryError> {
    let pesos = |amount| line::pesos(amount, sale.tipo_cambio).ok_or(EntryError::TooLarge);
    let (subtotal, descuento) = (pesos(sale.amounts.subtotal)?, pesos(sale.amounts.descuento)?);
    let (iva, ieps) = (pesos(sale.amounts.iva)?, pesos(sale.amounts.ieps)?);
    let (isr_retenido, iva_retenido) = (pesos(sale.amounts.isr_retenido)?, pesos(sale.amounts.iva_retenido())?);
    let local = (pesos(sale.amounts.locales_trasladados)?, pesos(sale.amounts.locales_retenidos)?);
    let charged = subtotal.get() - descuento.get() + iva.get() + ieps.get() + local.0.get();
    let withheld = isr_retenido.get() + iva_retenido.get() + local.1.get();
    let owed = line::amount(charged - withheld).ok_or(EntryError::TooLarge)?;
    let cost = line::pesos(sale.costo, Rate::ONE).ok_or(EntryError::TooLarge)?;
    let handed = sale.entregado.min(cost);
    // An advance is no income that a discount could reduce.
    let (income, discounts) = if sale.ingreso == Account::Anticipos {
        let whole = Money::new(subtotal.get() - descuento.get());
        (vec![EntryLine::abono(Account::Anticipos, whole)], Vec::new())
    } else {
        let income = sale.por_tasa.sales(sale.amounts.subtotal, sale.tipo_cambio)?;
        let discounts = sale.por_tasa.discounts(sale.amounts.descuento, sale.tipo_cambio)?;
        (
            income.map(|(account, amount)| EntryLine::of(account, -amount.get())).to_vec(),
            discounts.map(|(account, amount)| EntryLine::of(account, amount.get())).to_vec(),
        )
    };
    let mut lines = vec![EntryLine::cargo(Account::Clientes, owed)];
    lines.extend(discounts);
    lines.extend(income);
    lines.extend([
        EntryLine::cargo(Account::IsrRetenido, isr_retenido),
        EntryLine::cargo(Account::IvaRetenido, iva_retenido),
        EntryLine::cargo(Account::LocalesRetenidos, local.1),
        EntryLine::abono(Account::IvaNoCobrado, iva),
        EntryLine::abono(Account::IepsNoCobrado, ieps),
        EntryLine::abono(Account::LocalesTrasladados, local.0),
        EntryLine::cargo(Account::CostoDeVenta, cost),
        EntryLine::abono(Account::Entregado, handed),
        EntryLine::abono(Account::Inventario, Money::new(cost.get() - handed.get())),
    ]);
    LedgerEntry::new(concepto, fecha, lines)
}

/// What a credit note takes back: sales, uncollected taxes and withheld taxes.
fn credited_lines(note: &SaleAmounts) -> Result<Vec<EntryLine>, EntryError> {
    let pesos = |amount| line::pesos(amount, note.tipo_cambio).ok_or(EntryError::TooLarge);
    let Amounts { subtotal, descuento, iva, ieps, isr_retenido, locales_trasladados, locales_retenidos, .. } =
        note.amounts;
    let net = Money::new(subtotal.get() - descuento.get());
    let mut lines = match note.ingreso {
        Account::Descuentos => {
            let parts = note.por_tasa.credited(net, note.tipo_cambio)?;
            parts.map(|(account, amount)| EntryLine::of(account, amount.get())).to_vec()
        }
        account => vec![EntryLine::cargo(account, pesos(net)?)],
    };
    lines.extend([
        EntryLine::cargo(Account::IvaCobrado, pesos(iva)?),
        EntryLine::cargo(Account::IepsCobrado, pesos(ieps)?),
        EntryLine::cargo(Account::LocalesTrasladados, pesos(locales_trasladados)?),
        EntryLine::abono(Account::IsrRetenido, pesos(isr_retenido)?),
        EntryLine::abono(Account::IvaRetenido, pesos(note.amounts.iva_retenido())?),
        EntryLine::abono(Account::LocalesRetenidos, pesos(locales_retenidos)?),
    ]);
    Ok(lines)
}

/// What a credit note leaves in the customer's favour ([`Account::Anticipos`]), in pesos. It is the
/// sum of the other amounts, so that rounding to pesos cannot unbalance the entry.
pub(crate) fn credited(note: &SaleAmounts) -> Result<Money, EntryError> {
    let taken = credited_lines(note)?.iter().map(EntryLine::signed).sum();
    line::amount(taken).ok_or(EntryError::TooLarge)
}

/// The entry of a credit note. It takes back its amounts, returns goods to stock at their cost, and
/// owes the whole to the customer until it is applied ([`Account::Anticipos`]).
pub(crate) fn credit_entry(
    concepto: impl Into<String>,
    fecha: NaiveDate,
    note: &SaleAmounts,
) -> Result<Option<LedgerEntry>, EntryError> {
    let cost = line::pesos(note.costo, Rate::ONE).ok_or(EntryError::TooLarge)?;
    let mut lines = credited_lines(note)?;
    lines.extend([
        EntryLine::abono(Account::Anticipos, credited(note)?),
        EntryLine::cargo(Account::Inventario, cost),
        EntryLine::abono(Account::CostoDeVenta, cost),
    ]);
    LedgerEntry::new(concepto, fecha, lines)
}

#[cfg(test)]
mod tests;
