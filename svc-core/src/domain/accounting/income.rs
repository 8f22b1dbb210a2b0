//! Income by the rate of its IVA, each kind on accounts of its own.

use rust_decimal::Decimal;

use super::{Account, EntryError};
use crate::domain::line::{self, VatRate};
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::rfc::GENERIC_FOREIGN;
use crate::domain::tax::Amounts;

/// The kinds of income that the SAT's list tells apart by their rate; what is exported is at 0 %.
/// The rate of the border regions is the general one with a stimulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IncomeKind {
    /// Taxed at the general rate or that of the border regions.
    General,
    Zero,
    /// Exempt, or not subject to IVA.
    Exempt,
}

impl IncomeKind {
    pub(crate) fn of(iva_tasa: Option<VatRate>) -> Self {
        match iva_tasa {
            Some(VatRate::Rate(rate)) if rate.is_zero() => Self::Zero,
            Some(VatRate::Rate(_)) => Self::General,
            Some(VatRate::Exempt) | None => Self::Exempt,
        }
    }
}

/// Subtotal and discount of one kind of income, in the document's currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IncomePart {
    /// Quantity × price, before the discount.
    pub subtotal: Money,
    /// The discount on `subtotal`.
    pub descuento: Money,
}

/// The income of a document that is not taxed at the general rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IncomeByRate {
    /// Income at 0 %, exports included.
    pub cero: IncomePart,
    /// Exempt, or not subject to IVA.
    pub exento: IncomePart,
    /// Whether what is taxed at 0 % is exported: its customer is a foreigner.
    pub exportacion: bool,
}

impl IncomeByRate {
    pub(crate) fn of_lines<'l>(lines: impl IntoIterator<Item = (IncomeKind, &'l Amounts)>) -> Self {
        let mut income = Self::default();
        for (kind, amounts) in lines {
            let part = match kind {
                IncomeKind::General => continue,
                IncomeKind::Zero => &mut income.cero,
                IncomeKind::Exempt => &mut income.exento,
            };
            part.subtotal = Money::new(part.subtotal.get() + amounts.subtotal.get());
            part.descuento = Money::new(part.descuento.get() + amounts.descuento.get());
        }
        income
    }

    /// The income from a customer of this RFC.
    #[must_use]
    pub(crate) fn sold_to(self, rfc: Option<&str>) -> Self {
        Self { exportacion: rfc == Some(GENERIC_FOREIGN), ..self }
    }

    /// The income of `subtotal` in pesos by its accounts, which add up to the whole in pesos.
    pub(super) fn sales(&self, subtotal: Money, rate: Rate) -> Result<[(Account, Money); 3], EntryError> {
        let [general, cero, exento] = split(subtotal, [self.cero.subtotal, self.exento.subtotal], rate)?;
        let at_zero = if self.exportacion { Account::Exportaciones } else { Account::VentasCero };
        Ok([(Account::Ventas, general), (at_zero, cero), (Account::VentasExentas, exento)])
    }

    /// Discounts in pesos by their accounts, as [`Self::sales`].
    pub(super) fn discounts(&self, descuento: Money, rate: Rate) -> Result<[(Account, Money); 3], EntryError> {
        Ok(by_discount_account(split(descuento, [self.cero.descuento, self.exento.descuento], rate)?))
    }

    /// What a credit note takes back before taxes, in pesos, by the accounts of discounts.
    pub(super) fn credited(&self, base: Money, rate: Rate) -> Result<[(Account, Money); 3], EntryError> {
        let net = |part: IncomePart| Money::new(part.subtotal.get() - part.descuento.get());
        Ok(by_discount_account(split(base, [net(self.cero), net(self.exento)], rate)?))
    }
}

fn by_discount_account([general, cero, exento]: [Money; 3]) -> [(Account, Money); 3] {
    [(Account::Descuentos, general), (Account::DescuentosCero, cero), (Account::DescuentosExentos, exento)]
}

/// `total` without its two parts, and the parts, in pesos; they add up to `total` in pesos.
fn split(total: Money, [first, second]: [Money; 2], rate: Rate) -> Result<[Money; 3], EntryError> {
    let pesos = |amount: Decimal| Ok(line::pesos(Money::new(amount), rate).ok_or(EntryError::TooLarge)?.get());
    let whole = pesos(total.get())?;
    let upto_first = pesos(first.get())?;
    let upto_second = pesos(first.get() + second.get())?;
    Ok([whole - upto_second, upto_first, upto_second - upto_first].map(Money::new))
}

/// Which lines of a stored sale are not taxed at the general rate, and their income.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SaleIncome {
    /// The income of these lines.
    pub by_rate: IncomeByRate,
    /// The numbers of the lines at 0 %.
    pub cero: Vec<i64>,
    /// The numbers of the exempt lines.
    pub exentos: Vec<i64>,
}

impl SaleIncome {
    pub(crate) fn kind(&self, renglon: i64) -> IncomeKind {
        match renglon {
            renglon if self.cero.contains(&renglon) => IncomeKind::Zero,
            renglon if self.exentos.contains(&renglon) => IncomeKind::Exempt,
            _ => IncomeKind::General,
        }
    }
}
