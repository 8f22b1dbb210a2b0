//! The currency of a document, and sums within its bounds.

use rust_decimal::Decimal;

use super::{Amount, CfdiFault};
use crate::domain::money::Money;
use crate::domain::sat;

/// The currency of a document, in which all its amounts have the same decimals (`c_Moneda`).
pub(super) struct Currency<'a> {
    pub(super) key: &'a str,
    pub(super) decimals: u32,
}

impl<'a> Currency<'a> {
    pub(super) fn of(key: &'a str) -> Result<Self, CfdiFault> {
        let decimals = sat::currency(key).filter(|_| key != "XXX");
        let decimals = decimals.ok_or_else(|| CfdiFault::Currency(key.to_owned()))?;
        Ok(Self { key, decimals: decimals.into() })
    }

    /// Writes an amount with the currency's decimals; refuses one that has more.
    pub(super) fn amount(&self, value: Decimal) -> Result<Amount, CfdiFault> {
        Amount::exact(value, self.decimals).ok_or_else(|| CfdiFault::Decimals(self.key.to_owned()))
    }

    /// A discount; `None` if zero.
    pub(super) fn discount(&self, value: Money) -> Result<Option<Amount>, CfdiFault> {
        (!value.get().is_zero()).then(|| self.amount(value.get())).transpose()
    }
}

/// `a + b`; fails on overflow.
pub(super) fn plus(a: Decimal, b: Decimal) -> Result<Decimal, CfdiFault> {
    a.checked_add(b).ok_or(CfdiFault::TooLarge)
}

/// `a × b`; fails on overflow.
pub(super) fn times(a: Decimal, b: Decimal) -> Result<Decimal, CfdiFault> {
    a.checked_mul(b).ok_or(CfdiFault::TooLarge)
}
