//! Accounting entries of sales and payments, in pesos; an entry always balances.

use std::fmt;

use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::line;
use super::money::Money;
use super::quantity::Rate;
use super::sale::Amounts;
use super::words::words;
use crate::error::{Code, Error};

words! {
    /// An account, by its number in the SAT's "código agrupador de cuentas" (RMF, Anexo 24, apartado A).
    pub enum Account {
        /// Caja y efectivo: cash that was not taken to a bank.
        Caja = "101.01",
        /// Bancos nacionales: what lies in the bank accounts.
        Bancos = "102.01",
        /// Clientes nacionales: what customers owe.
        Clientes = "105.01",
        /// IVA a favor: what customers withheld of it, which the authority has.
        IvaRetenido = "113.01",
        /// ISR a favor: what customers withheld of it.
        IsrRetenido = "113.02",
        /// Inventario: goods, at cost.
        Inventario = "115.01",
        /// Proveedores nacionales: what is owed to suppliers.
        Proveedores = "201.01",
        /// Anticipo de cliente nacional: what customers paid before anything was owed.
        Anticipos = "206.01",
        /// IVA trasladado cobrado: charged and paid, so due to the authority.
        IvaCobrado = "208.01",
        /// IEPS trasladado cobrado: charged and paid, so due to the authority.
        IepsCobrado = "208.02",
        /// IVA trasladado no cobrado: charged, and not paid yet.
        IvaNoCobrado = "209.01",
        /// IEPS trasladado no cobrado: charged, and not paid yet.
        IepsNoCobrado = "209.02",
        /// Ventas y/o servicios gravados a la tasa general.
        Ventas = "401.01",
        /// Descuentos, devoluciones o bonificaciones sobre ventas a la tasa general.
        Descuentos = "402.01",
        /// Costo de venta.
        CostoDeVenta = "501.01",
    }
}

/// The side of an account that a line is written on.
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

/// One line of an [`Entry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryLine {
    /// The account.
    pub cuenta: Account,
    /// On which side.
    pub lado: Side,
    /// How much, in pesos.
    pub importe: Money,
}

impl EntryLine {
    /// A debit.
    pub fn cargo(cuenta: Account, importe: Money) -> Self {
        Self { cuenta, lado: Side::Cargo, importe }
    }

    /// A credit.
    pub fn abono(cuenta: Account, importe: Money) -> Self {
        Self { cuenta, lado: Side::Abono, importe }
    }
}

/// Why no entry can be made of lines.
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
pub struct Entry {
    concepto: String,
    fecha: NaiveDate,
    lines: Vec<EntryLine>,
    venta: Option<i64>,
    factura: Option<i64>,
    pago: Option<i64>,
    cxp_pago: Option<i64>,
}

impl Entry {
    /// The entry of these lines; lines of zero are left out, and nothing but zeros is no entry.
    pub fn new(
        concepto: impl Into<String>,
        fecha: NaiveDate,
        lines: impl IntoIterator<Item = EntryLine>,
    ) -> Result<Option<Self>, EntryError> {
        let lines: Vec<_> = lines.into_iter().filter(|line| line.importe != Money::default()).collect();
        let mut balance = Decimal::ZERO;
        for line in &lines {
            let importe = line::amount(line.importe.get()).ok_or(EntryError::TooLarge)?.get();
            balance += match line.lado {
                Side::Cargo => importe,
                Side::Abono => -importe,
            };
        }
        if !balance.is_zero() {
            return Err(EntryError::Unbalanced);
        }
        let entry =
            Self { concepto: concepto.into(), fecha, lines, venta: None, factura: None, pago: None, cxp_pago: None };
        Ok((!entry.lines.is_empty()).then_some(entry))
    }

    /// The same, about a sales document.
    #[must_use]
    pub fn of_sale(self, venta: Option<i64>) -> Self {
        Self { venta, ..self }
    }

    /// The same, about a record of the registry of invoices.
    #[must_use]
    pub fn of_invoice(self, factura: Option<i64>) -> Self {
        Self { factura, ..self }
    }

    /// The same, about a payment of a receivable.
    #[must_use]
    pub fn of_payment(self, pago: Option<i64>) -> Self {
        Self { pago, ..self }
    }

    /// The same, about a payment of an account payable.
    #[must_use]
    pub fn of_payable_payment(self, cxp_pago: Option<i64>) -> Self {
        Self { cxp_pago, ..self }
    }

    /// The entry of `fecha` that undoes this one: every line on the other side.
    #[must_use]
    pub(crate) fn reversed(&self, fecha: NaiveDate) -> Self {
        let lines = self.lines.iter().map(|line| EntryLine { lado: line.lado.other(), ..*line }).collect();
        Self { concepto: format!("Cancelación: {}", self.concepto), fecha, lines, ..self.clone() }
    }

    /// What it is about, in words.
    pub fn concepto(&self) -> &str {
        &self.concepto
    }

    /// Its day, in Mexico.
    pub fn fecha(&self) -> NaiveDate {
        self.fecha
    }

    /// Its lines.
    pub fn lines(&self) -> &[EntryLine] {
        &self.lines
    }

    /// The sales document it is about.
    pub fn venta(&self) -> Option<i64> {
        self.venta
    }

    /// The record of the registry of invoices it is about.
    pub fn factura(&self) -> Option<i64> {
        self.factura
    }

    /// The payment of an account payable it is about.
    pub fn cxp_pago(&self) -> Option<i64> {
        self.cxp_pago
    }

    /// The payment it is about.
    pub fn pago(&self) -> Option<i64> {
        self.pago
    }
}

/// The amounts of a sale that are posted; in the document's currency, the cost in pesos.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SaleAmounts {
    /// The account of its income: [`Account::Ventas`], or [`Account::Anticipos`] for an advance.
    pub ingreso: Account,
    /// The document's.
    pub amounts: Amounts,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// What the goods that left had cost, in pesos; zero when none left.
    pub costo: Money,
}

/// The entry of a sale: the customer owes it, its taxes are not collected yet, what is withheld is the company's with the authority, and
/// the goods that left are a cost.
/// What the customer owes is the sum of the rest, so that rounding to pesos cannot unbalance it.
pub(crate) fn sale_entry(
    concepto: impl Into<String>,
    fecha: NaiveDate,
    sale: &SaleAmounts,
) -> Result<Option<Entry>, EntryError> {
    let pesos = |amount| line::pesos(amount, sale.tipo_cambio).ok_or(EntryError::TooLarge);
    let (subtotal, descuento) = (pesos(sale.amounts.subtotal)?, pesos(sale.amounts.descuento)?);
    let (iva, ieps) = (pesos(sale.amounts.iva())?, pesos(sale.amounts.ieps)?);
    let (isr_retenido, iva_retenido) = (pesos(sale.amounts.isr_retenido)?, pesos(sale.amounts.iva_retenido())?);
    let charged = subtotal.get() - descuento.get() + iva.get() + ieps.get();
    let owed = line::amount(charged - isr_retenido.get() - iva_retenido.get()).ok_or(EntryError::TooLarge)?;
    let cost = line::pesos(sale.costo, Rate::ONE).ok_or(EntryError::TooLarge)?;
    Entry::new(
        concepto,
        fecha,
        [
            EntryLine::cargo(Account::Clientes, owed),
            EntryLine::cargo(Account::Descuentos, descuento),
            EntryLine::abono(sale.ingreso, subtotal),
            EntryLine::cargo(Account::IsrRetenido, isr_retenido),
            EntryLine::cargo(Account::IvaRetenido, iva_retenido),
            EntryLine::abono(Account::IvaNoCobrado, iva),
            EntryLine::abono(Account::IepsNoCobrado, ieps),
            EntryLine::cargo(Account::CostoDeVenta, cost),
            EntryLine::abono(Account::Inventario, cost),
        ],
    )
}

/// The entry of a credit note: less is sold, its taxes are not due, what was withheld of it is not the company's, the goods that came back
/// are there again at their cost, and the whole is the customer's, to be applied ([`Account::Anticipos`]).
pub(crate) fn credit_entry(
    concepto: impl Into<String>,
    fecha: NaiveDate,
    note: &SaleAmounts,
) -> Result<Option<Entry>, EntryError> {
    let pesos = |amount| line::pesos(amount, note.tipo_cambio).ok_or(EntryError::TooLarge);
    let base = pesos(Money::new(note.amounts.subtotal.get() - note.amounts.descuento.get()))?;
    let (iva, ieps) = (pesos(note.amounts.iva())?, pesos(note.amounts.ieps)?);
    let (isr_retenido, iva_retenido) = (pesos(note.amounts.isr_retenido)?, pesos(note.amounts.iva_retenido())?);
    let credited = base.get() + iva.get() + ieps.get() - isr_retenido.get() - iva_retenido.get();
    let credited = line::amount(credited).ok_or(EntryError::TooLarge)?;
    let cost = line::pesos(note.costo, Rate::ONE).ok_or(EntryError::TooLarge)?;
    Entry::new(
        concepto,
        fecha,
        [
            EntryLine::cargo(note.ingreso, base),
            EntryLine::cargo(Account::IvaCobrado, iva),
            EntryLine::cargo(Account::IepsCobrado, ieps),
            EntryLine::abono(Account::IsrRetenido, isr_retenido),
            EntryLine::abono(Account::IvaRetenido, iva_retenido),
            EntryLine::abono(Account::Anticipos, credited),
            EntryLine::cargo(Account::Inventario, cost),
            EntryLine::abono(Account::CostoDeVenta, cost),
        ],
    )
}

/// The entry beside the payment that applies an advance: the payment takes the whole of it from [`Account::Anticipos`], which only has
/// what it came to without IVA, and collects that IVA, which the advance had collected.
pub(crate) fn applied_entry(
    concepto: impl Into<String>,
    fecha: NaiveDate,
    applied: &Amounts,
    tipo_cambio: Rate,
) -> Result<Option<Entry>, EntryError> {
    let iva = line::pesos(applied.iva(), tipo_cambio).ok_or(EntryError::TooLarge)?;
    Entry::new(concepto, fecha, [EntryLine::cargo(Account::IvaCobrado, iva), EntryLine::abono(Account::Anticipos, iva)])
}

/// The amounts of a payment that are posted; in the receivable's currency.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PaymentAmounts {
    /// Where it came from, or to.
    pub source: Account,
    /// The amount.
    pub importe: Money,
    /// What had been paid of the receivable before.
    pub pagado: Money,
    /// The part of that which was posted, with its IVA in pesos.
    pub contabilizado: Collected,
    /// The sale's total.
    pub total: Money,
    /// The sale's IVA.
    pub iva: Money,
    /// The sale's IEPS.
    pub ieps: Money,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
}

/// The posted payments of a receivable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Collected {
    /// What they amount to, in the receivable's currency.
    pub importe: Decimal,
    /// The IVA that was collected with them, in pesos.
    pub iva: Decimal,
    /// The IEPS that was collected with them, in pesos.
    pub ieps: Decimal,
}

/// The entry of a payment: the customer owes less, and the sale's taxes are collected in proportion.
pub(crate) fn payment_entry(
    concepto: impl Into<String>,
    fecha: NaiveDate,
    payment: &PaymentAmounts,
) -> Result<Option<Entry>, EntryError> {
    let pesos = |amount| line::pesos(amount, payment.tipo_cambio).ok_or(EntryError::TooLarge);
    let importe = pesos(payment.importe)?;
    let (iva, ieps) = (&payment.contabilizado.iva, &payment.contabilizado.ieps);
    let taxes = [
        (pesos(payment.iva)?, iva, Account::IvaNoCobrado, Account::IvaCobrado),
        (pesos(payment.ieps)?, ieps, Account::IepsNoCobrado, Account::IepsCobrado),
    ];
    let taxes = taxes.into_iter().flat_map(|(whole, booked, from, to)| {
        let due = collected(payment, whole) - *booked;
        let (from, to) = if due.is_sign_negative() { (to, from) } else { (from, to) };
        [EntryLine::cargo(from, Money::new(due.abs())), EntryLine::abono(to, Money::new(due.abs()))]
    });
    let paid = [EntryLine::cargo(payment.source, importe), EntryLine::abono(Account::Clientes, importe)];
    Entry::new(concepto, fecha, paid.into_iter().chain(taxes))
}

/// What of a tax ought to be posted as collected after this payment: less the tax posted so far it is the payment's part, so instalments
/// add up to the whole tax, whichever of them were cancelled between. Payments that were never posted collected their part elsewhere.
fn collected(payment: &PaymentAmounts, whole: Money) -> Decimal {
    let of = |paid: Decimal| line::share(whole, Money::new(paid), payment.total).get();
    let before = payment.pagado.get();
    let elsewhere = of((before - payment.contabilizado.importe).max(Decimal::ZERO));
    of(before + payment.importe.get()) - elsewhere
}

#[cfg(test)]
mod tests;
