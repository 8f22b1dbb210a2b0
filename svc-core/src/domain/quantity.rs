//! Quantities, balances and rates: exact decimals like money, each with its own wire form.

use std::fmt;

use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;

use super::money::Money;
use crate::schema::field_schema;

/// A quantity: a JSON number on the wire (`n` in the contract), exact, up to six decimals, never
/// through a float.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Quantity(Decimal);

impl Quantity {
    /// Takes `value` as it is, with any sign and any decimals.
    pub fn new(value: Decimal) -> Self {
        Self(value)
    }

    /// The exact value, which may be negative.
    pub fn get(self) -> Decimal {
        self.0
    }
}

field_schema!(Quantity, "Quantity", { "type": "number", "examples": [12.5] });

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.normalize())
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Only a raw value keeps serde_json from writing a float.
        RawValue::from_string(self.to_string()).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl de::Visitor<'_> for Number {
            type Value = Quantity;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("un número de hasta 15 enteros y 6 decimales")
            }

            // A number arrives as its literal text, a string as a string: see `json::de`.
            fn visit_bytes<E: de::Error>(self, literal: &[u8]) -> Result<Quantity, E> {
                let refused = || E::invalid_type(de::Unexpected::Other("number"), &self);
                let text = std::str::from_utf8(literal).map_err(E::custom)?;
                parse_signed(text, 15).map(Quantity).ok_or_else(refused)
            }
        }
        deserializer.deserialize_bytes(Number)
    }
}

/// A quantity greater than zero, in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PositiveQuantity(Quantity);

impl PositiveQuantity {
    /// The quantity `value`; `None` when it is not greater than zero.
    pub fn new(value: Quantity) -> Option<Self> {
        (value.get() > Decimal::ZERO).then_some(Self(value))
    }

    /// The quantity, which is more than zero.
    pub fn get(self) -> Quantity {
        self.0
    }
}

field_schema!(PositiveQuantity, "PositiveQuantity", { "type": "number", "exclusiveMinimum": 0, "examples": [2] });

impl<'de> Deserialize<'de> for PositiveQuantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Quantity::deserialize(deserializer)?).ok_or_else(|| de::Error::custom("debe ser mayor que cero"))
    }
}

/// An amount that may be negative: a balance in the company's favour. On the wire like
/// [`super::money::Money`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Balance(Decimal);

impl Balance {
    /// Takes `value` as it is, with any decimals.
    pub fn new(value: Decimal) -> Self {
        Self(value)
    }

    /// The exact value, which may be negative.
    pub fn get(self) -> Decimal {
        self.0
    }

    /// The amount with the other sign.
    pub(crate) fn negated(self) -> Self {
        Self(-self.0)
    }
}

field_schema!(Balance, "Balance", {
    "type": ["string", "number"], "pattern": r"^-?\d{1,18}(\.\d{1,6})?$", "examples": ["580.00"]
}, leaves as {
    "type": "string", "pattern": r"^-?\d{1,18}\.\d{2,6}$", "examples": ["580.00"]
});

impl fmt::Display for Balance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Balance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Money::new(self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Balance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        literal(deserializer, "un importe de hasta 18 enteros y 6 decimales", |text| parse_signed(text, 18).map(Self))
    }
}

/// An exchange or tax rate: a string of six decimals on the wire ("17.543200").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(Decimal);

impl Rate {
    /// The rate of the peso to itself.
    pub(crate) const ONE: Self = Self(Decimal::ONE);

    /// Takes `value` as it is; only input is checked to be more than zero.
    pub fn new(value: Decimal) -> Self {
        Self(value)
    }

    /// The exact value: for an exchange rate, pesos for one unit of the currency.
    pub fn get(self) -> Decimal {
        self.0
    }
}

field_schema!(Rate, "Rate", {
    "type": ["string", "number"], "pattern": r"^\d{1,12}(\.\d{1,6})?$", "exclusiveMinimum": 0, "not": crate::schema::zero(),
    "examples": ["1.000000"]
}, leaves as {
    "type": "string", "pattern": r"^\d{1,12}\.\d{6}$", "examples": ["1.000000"]
});

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}", self.0)
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        literal(deserializer, "un tipo positivo de hasta 12 enteros y 6 decimales", |text| {
            parse_signed(text, 12).filter(|rate| *rate > Decimal::ZERO).map(Self)
        })
    }
}

/// Reads a non-negative decimal from a number's literal or a string, with at most `whole` digits
/// before the point and six after it.
pub(super) fn unsigned<'de, D: Deserializer<'de>>(
    deserializer: D,
    expected: &'static str,
    whole: usize,
) -> Result<Decimal, D::Error> {
    let value =
        literal(deserializer, expected, |text| parse_signed(text, 12).filter(|value| !value.is_sign_negative()))?;
    if value < Decimal::from(10_u64.pow(whole.min(12) as u32)) { Ok(value) } else { Err(de::Error::custom(expected)) }
}

/// Reads a number's literal or a string through `parse`.
fn literal<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    expected: &'static str,
    parse: fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    struct NumberVisitor<T>(&'static str, fn(&str) -> Option<T>);
    impl<T> de::Visitor<'_> for NumberVisitor<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
            self.1(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
        }

        fn visit_bytes<E: de::Error>(self, literal: &[u8]) -> Result<T, E> {
            let text = std::str::from_utf8(literal).map_err(E::custom)?;
            self.visit_str(text)
        }
    }
    deserializer.deserialize_bytes(NumberVisitor(expected, parse))
}

/// Reads `-?\d{1,whole}(\.\d{1,6})?`.
fn parse_signed(text: &str, whole: usize) -> Option<Decimal> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (integer, fraction) = unsigned.split_once('.').map_or((unsigned, "0"), |parts| parts);
    let digits = |part: &str, max| (1..=max).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    (digits(integer, whole) && digits(fraction, 6)).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    #[derive(Debug, Deserialize)]
    struct Body {
        n: Option<Quantity>,
        b: Option<Balance>,
        r: Option<Rate>,
    }

    fn read(body: &str) -> Option<Body> {
        Json::parse_object(body.as_bytes()).unwrap().read().ok()
    }

    #[test]
    fn a_quantity_is_an_exact_json_number() {
        for (literal, shown) in [
            ("12.500000", "12.5"),
            ("0.000001", "0.000001"),
            ("-3", "-3"),
            ("100", "100"),
            ("1e3", "1000"),
            ("-5E-06", "-0.000005"),
            ("1.5e0", "1.5"),
            ("123456789012345.123456", "123456789012345.123456"),
        ] {
            let body = read(&format!("{{\"n\":{literal}}}")).unwrap();
            assert_eq!(serde_json::to_string(&body.n).unwrap(), shown);
        }
        for wrong in ["\"1\"", "\"1e3\"", "5e-07", "1e15", "1e999999999", "0.0000001", "1234567890123456", "true"] {
            assert!(read(&format!("{{\"n\":{wrong}}}")).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_balance_may_be_negative_and_a_rate_is_positive() {
        assert_eq!(read(r#"{"b":"-12.50"}"#).unwrap().b.unwrap().to_string(), "-12.50");
        assert_eq!(serde_json::to_string(&read(r#"{"r":17.5}"#).unwrap().r).unwrap(), "\"17.500000\"");
        for wrong in [r#"{"r":0}"#, r#"{"r":"-1"}"#, r#"{"b":"--1"}"#, r#"{"b":""x}"#] {
            assert!(
                Json::parse_object(wrong.as_bytes()).ok().and_then(|json| json.read::<Body>().ok()).is_none(),
                "{wrong}"
            );
        }
    }
}
