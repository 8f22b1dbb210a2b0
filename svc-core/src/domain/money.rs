//! Money: exact decimals, never a float.

use std::fmt;

use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::schema::field_schema;

/// The most digits before and after the decimal point (contract §1): `^\d{1,18}(\.\d{1,6})?$`.
const WHOLE_DIGITS: usize = 18;
const DECIMALS: usize = 6;

/// The pattern of a schema for an amount in whole cents.
pub(crate) const CENTS: &str = r"^\d{1,18}(\.\d{1,2})?$";

/// The pattern of a schema for an amount in whole cents that may be negative.
pub(crate) const SIGNED_CENTS: &str = r"^-?\d{1,18}(\.\d{1,2})?$";

/// An amount, price or cost: not negative in requests, with up to six decimals.
///
/// On the wire it is a decimal string with at least two decimals ("1160.00"); requests may also use
/// a JSON number, which is read from its literal text. The currency is a field of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Money(Decimal);

impl Money {
    /// Makes an amount of `value`, which should have at most six decimals: the database's column
    /// truncates more, this does not.
    pub fn new(value: Decimal) -> Self {
        Self(value)
    }

    /// The value as it was given, neither rounded nor normalized.
    pub fn get(self) -> Decimal {
        self.0
    }

    /// Reads the string form `^\d{1,18}(\.\d{1,6})?$`.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
        let digits =
            |part: &str, max| (1..=max).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole, WHOLE_DIGITS) || !fraction.is_none_or(|part| digits(part, DECIMALS)) {
            return None;
        }
        // 24 digits at most fit Decimal's 28, so this is exact.
        text.parse().ok().map(Self)
    }
}

field_schema!(Money, "Money", {
    "type": ["string", "number"], "pattern": r"^\d{1,18}(\.\d{1,6})?$", "minimum": 0, "examples": ["1160.00"]
}, leaves as {
    "type": "string", "pattern": r"^-?\d{1,18}\.\d{2,6}$", "examples": ["1160.00"]
});

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shortest = self.0.normalize();
        write!(f, "{:.*}", shortest.scale().max(2) as usize, shortest)
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MoneyVisitor;
        impl de::Visitor<'_> for MoneyVisitor {
            type Value = Money;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("un importe no negativo de hasta 18 enteros y 6 decimales")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Money, E> {
                Money::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
            // A number arrives as its literal text: see `json::de`.
            fn visit_bytes<E: de::Error>(self, literal: &[u8]) -> Result<Money, E> {
                let text = std::str::from_utf8(literal).map_err(E::custom)?;
                self.visit_str(text)
            }
        }
        deserializer.deserialize_bytes(MoneyVisitor)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shows_two_to_six_decimals() {
        for (text, shown) in
            [("1160", "1160.00"), ("0.5", "0.50"), ("1.234500", "1.2345"), ("12.000001", "12.000001"), ("007", "7.00")]
        {
            assert_eq!(Money::parse(text).unwrap().to_string(), shown);
        }
    }

    #[test]
    fn refuses_what_the_contract_refuses() {
        for text in
            ["", ".5", "5.", "-1", "+1", "1e3", "1,000.00", "1.0000001", "1234567890123456789", "٣", " 1", "NaN"]
        {
            assert_eq!(Money::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn reads_back_what_it_shows(whole in 0u64..1_000_000_000_000_000_000, fraction in 0u32..1_000_000) {
            let money = Money::parse(&format!("{whole}.{fraction:06}")).unwrap();
            prop_assert_eq!(Money::parse(&money.to_string()).unwrap(), money);
        }

        #[test]
        fn never_panics(text in any::<String>()) {
            let _ = Money::parse(&text);
        }
    }
}
