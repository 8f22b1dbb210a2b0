//! Decimals in the standard's notation.

use std::borrow::Cow;
use std::fmt;

use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The most decimals of any attribute (`t_Importe`).
const MAX_DECIMALS: u32 = 6;

/// A decimal that is written with exactly the decimals it was made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(Decimal);

impl Amount {
    /// Zero, written `0`.
    pub const ZERO: Self = Self(Decimal::ZERO);

    /// One, written `1`.
    pub const ONE: Self = Self(Decimal::ONE);

    /// `value` with `decimals` decimals; `None` when it has more.
    pub fn exact(value: Decimal, decimals: u32) -> Option<Self> {
        let amount = Self::rounded(value, decimals);
        (amount.0 == value).then_some(amount)
    }

    /// `value` rounded half-up to `decimals` decimals.
    pub fn rounded(value: Decimal, decimals: u32) -> Self {
        let mut value = value.round_dp_with_strategy(decimals, RoundingStrategy::MidpointAwayFromZero);
        value.rescale(decimals);
        // The standard allows no `-0.00`.
        if value.is_zero() {
            value.set_sign_positive(true);
        }
        Self(value)
    }

    /// `value` with as few decimals as it needs, at least `fewest` and at most six.
    pub fn shortest(value: Decimal, fewest: u32) -> Self {
        let decimals = value.normalize().scale().clamp(fewest, MAX_DECIMALS);
        Self::rounded(value, decimals)
    }

    /// The exact value, with the decimals that it is written with, zeros included.
    pub fn get(self) -> Decimal {
        self.0
    }

    /// The number of decimals that it is written with.
    pub fn decimals(self) -> u32 {
        self.0.scale()
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Decimal::from_str_exact(&text).map(Self).map_err(|_| de::Error::custom("an amount of another form"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_those_it_was_made_with() {
        let decimal = |text: &str| text.parse::<Decimal>().unwrap();
        for (made, shown) in [
            (Amount::rounded(decimal("2.675"), 2), "2.68"),
            (Amount::rounded(decimal("1160"), 2), "1160.00"),
            (Amount::rounded(decimal("0.16"), 6), "0.160000"),
            (Amount::shortest(decimal("10.500000"), 2), "10.50"),
            (Amount::shortest(decimal("10.123456"), 2), "10.123456"),
            (Amount::shortest(decimal("3.000000"), 0), "3"),
            (Amount::ZERO, "0"),
            (Amount::rounded(decimal("-0"), 2), "0.00"),
        ] {
            assert_eq!(made.to_string(), shown);
        }
        assert_eq!(Amount::exact(decimal("1.230"), 2).unwrap().to_string(), "1.23");
        assert_eq!(Amount::exact(decimal("1.231"), 2), None);
        assert_eq!(Amount::exact(decimal("1.5"), 0), None);
    }
}
