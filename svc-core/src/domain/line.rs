//! The arithmetic of a document's lines (contract §4, "POST /ventas"): exact, half-up to two
//! decimals.

use std::fmt;

use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::money::Money;
use super::quantity::{Quantity, Rate};
use super::sat::{self, Vat};
use crate::schema::field_schema;

/// The decimals of quantities, prices and rates.
const SCALE: u32 = 6;

/// The limit of an amount, in cents: 18 digits before the decimal point (contract §1).
const MAX_CENTS: i128 = 10_i128.pow(18 + 2);

/// The IVA of the border regions: a fiscal stimulus.
const BORDER_RATE: Decimal = Decimal::from_parts(80_000, 0, 0, false, 6);

/// The rate of a line's IVA: a string of six decimals ("0.160000") or `exento`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VatRate {
    /// Exempt: no tax is charged and no rate written.
    Exempt,
    /// A fraction of the amount, less than 1.
    Rate(Decimal),
}

impl VatRate {
    /// The rate of an IVA key of the API (16, 8, 0, EX).
    pub(crate) fn of_key(key: &str) -> Option<Self> {
        Some(match sat::vat(key)? {
            Vat::Rate { millionths } => Self::Rate(Decimal::new(millionths.into(), 6)),
            Vat::Exempt => Self::Exempt,
        })
    }

    /// Whether it is the rate of the border regions.
    pub(crate) fn is_border(self) -> bool {
        self == Self::Rate(BORDER_RATE)
    }

    /// Reads `exento` or `0(\.\d{1,6})?`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "exento" {
            return Some(Self::Exempt);
        }
        let fraction = text.strip_prefix('0')?;
        let digits = match fraction.strip_prefix('.') {
            Some(digits) => (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()),
            None => fraction.is_empty(),
        };
        digits.then(|| text.parse().ok().map(Self::Rate)).flatten()
    }
}

field_schema!(VatRate, "VatRate", { "type": "string", "pattern": r"^(exento|0(\.\d{1,6})?)$" });

impl fmt::Display for VatRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exempt => f.write_str("exento"),
            Self::Rate(rate) => write!(f, "{rate:.6}"),
        }
    }
}

impl Serialize for VatRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for VatRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(text.trim()).ok_or_else(|| de::Error::custom("debe ser una tasa como \"0.160000\", o exento"))
    }
}

/// How a line's IEPS is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IepsRate {
    /// A fraction of the amount; more than 1 for some goods.
    Tasa(Decimal),
    /// The amount per unit sold, in the document's currency.
    Cuota(Decimal),
}

/// `quantity × price`; `None` when it has more than 18 digits, or the quantity is negative.
pub(crate) fn subtotal(quantity: Quantity, price: Money) -> Option<Money> {
    product(quantity.get(), price.get())
}

/// The IVA of `base`; zero without a rate. `None` if the base is negative.
pub(crate) fn vat(base: Decimal, rate: Option<VatRate>) -> Option<Money> {
    match rate {
        Some(VatRate::Rate(rate)) => product(base, rate),
        Some(VatRate::Exempt) | None => Some(Money::default()),
    }
}

/// The IEPS of `quantity` units that cost `base`; zero without a rate. `None` if it is negative or
/// has more than 18 digits.
pub(crate) fn ieps(base: Decimal, quantity: Quantity, rate: Option<IepsRate>) -> Option<Money> {
    match rate {
        Some(IepsRate::Tasa(rate)) => product(base, rate),
        Some(IepsRate::Cuota(pesos)) => product(quantity.get(), pesos),
        None => Some(Money::default()),
    }
}

/// The withheld part of `base`; zero without a rate. `None` if it is negative or has more than 18
/// digits.
pub(crate) fn withheld(base: Decimal, rate: Option<Decimal>) -> Option<Money> {
    rate.map_or(Some(Money::default()), |rate| product(base, rate))
}

/// Whether `amount` is `a × b` to the cent, rounded up or down, which the tax authority accepts
/// (Anexo 20, limits of an amount). Parts that add up to a whole may be rounded down where each
/// alone would be rounded up.
pub(crate) fn fits(amount: Money, a: Decimal, b: Decimal) -> bool {
    is_product(amount, a, b, 0)
}

/// Whether `amount` is a tax of `base` at `rate`, which the tax authority accepts if the base,
/// which is itself rounded to the cent, may be half a cent more or less (Anexo 20, limits of an
/// amount).
pub(crate) fn is_charge(amount: Money, base: Decimal, rate: Decimal) -> bool {
    const HALF_CENT: i128 = 10_i128.pow(SCALE) / 200;
    units(rate).checked_mul(HALF_CENT).is_some_and(|margin| is_product(amount, base, rate, margin))
}

/// Whether `amount` differs from `a × b` by less than a cent and `margin`, which is in units of the
/// product.
fn is_product(amount: Money, a: Decimal, b: Decimal, margin: i128) -> bool {
    let cent = 10_i128.pow(2 * SCALE - 2);
    let exact = units(a).checked_mul(units(b));
    let difference = exact.zip(units(amount.get()).checked_mul(10_i128.pow(SCALE))).map(|(exact, found)| exact - found);
    difference.is_some_and(|difference| difference.abs() < cent + margin)
}

/// `amount` at an exchange rate, in pesos and cents; `None` when it is negative or has more than 18
/// digits.
pub(crate) fn pesos(amount: Money, rate: Rate) -> Option<Money> {
    product(amount.get(), rate.get())
}

/// `whole` × `part` ÷ `total`, in cents; never more than `whole`.
pub(crate) fn share(whole: Money, part: Money, total: Money) -> Money {
    proportion(whole, part.min(total), total).unwrap_or(whole)
}

/// `whole` × `part` ÷ `total`, in cents, also of a `part` above the total. `None` when it has more
/// than 18 digits.
pub(crate) fn proportion(whole: Money, part: Money, total: Money) -> Option<Money> {
    let (whole_units, mut part_units, mut total) = (units(whole.get()), units(part.get()), units(total.get()));
    if part_units <= 0 || whole_units <= 0 || total <= 0 {
        return Some(Money::default());
    }
    let cents = 10_i128.pow(SCALE - 2);
    // Only absurdly large amounts lose their last digits.
    while total > 0 {
        let doubled = whole_units.checked_mul(part_units).and_then(|product| product.checked_mul(2));
        let half_up = doubled.and_then(|product| product.checked_add(total.checked_mul(cents)?));
        if let Some((dividend, divisor)) = half_up.zip(total.checked_mul(2 * cents)) {
            let rounded = dividend / divisor;
            return (rounded < MAX_CENTS).then(|| Money::new(Decimal::from_i128_with_scale(rounded, 2)));
        }
        (part_units, total) = (part_units / 10, total / 10);
    }
    None
}

/// A computed amount; `None` when it is negative or has more than 18 digits.
pub(crate) fn amount(value: Decimal) -> Option<Money> {
    (Decimal::ZERO..Decimal::from_i128_with_scale(MAX_CENTS, 2)).contains(&value).then(|| Money::new(value))
}

/// The product in cents. It is computed in integers, because the product of two 24-digit decimals
/// does not fit a [`Decimal`] and must not be rounded twice.
fn product(a: Decimal, b: Decimal) -> Option<Money> {
    let product = units(a).checked_mul(units(b)).filter(|product| *product >= 0)?;
    let cents = 10_i128.pow(2 * SCALE - 2);
    let rounded = product.checked_add(cents / 2)? / cents;
    (rounded < MAX_CENTS).then(|| Money::new(Decimal::from_i128_with_scale(rounded, 2)))
}

/// A decimal of at most 18 digits before the point, in millionths.
fn units(mut value: Decimal) -> i128 {
    value.rescale(SCALE);
    value.mantissa()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn halves_go_up() {
        for (quantity, price, expected) in [
            ("3", "10", Some("30.00")),
            ("0.5", "0.01", Some("0.01")),
            ("0.499999", "0.01", Some("0.00")),
            ("1", "0.005", Some("0.01")),
            ("1", "0.004999", Some("0.00")),
            ("1", "2.675", Some("2.68")),
            ("0", "9", Some("0.00")),
            ("1", "999999999999999999.99", Some("999999999999999999.99")),
            ("1", "999999999999999999.995", None),
            ("999999999999999.999999", "999999999999999999.999999", None),
            ("-1", "1", None),
        ] {
            let found = subtotal(Quantity::new(decimal(quantity)), Money::new(decimal(price)));
            assert_eq!(found.map(|money| money.to_string()).as_deref(), expected, "{quantity} × {price}");
        }
    }

    #[test]
    fn the_iva_is_a_part_or_nothing() {
        let tax = |base, rate: &str| vat(decimal(base), VatRate::parse(rate)).map(|money| money.to_string());
        assert_eq!(tax("100.03", "0.16").as_deref(), Some("16.00"));
        assert_eq!(tax("0.03125", "0.160000").as_deref(), Some("0.01"));
        assert_eq!(tax("100", "exento").as_deref(), Some("0.00"));
        assert_eq!(tax("-1", "0.16"), None);
        assert_eq!(vat(decimal("100"), None), Some(Money::default()));
    }

    #[test]
    fn a_rate_is_less_than_one_and_has_six_decimals() {
        for (text, shown) in [("0", "0.000000"), ("0.16", "0.160000"), ("0.080000", "0.080000"), ("exento", "exento")] {
            assert_eq!(VatRate::parse(text).unwrap().to_string(), shown);
        }
        for text in ["", "1", "16", ".16", "0.", "0.1600000", "-0.16", "0,16", "Exento", "0.1e1", "00.1"] {
            assert_eq!(VatRate::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_share_is_in_proportion() {
        for (whole, part, total, expected) in [
            ("160", "580", "1160", "80.00"),
            ("160", "386.67", "1160", "53.33"),
            ("160", "773.34", "1160", "106.67"),
            ("0.01", "1", "2", "0.01"),
            ("0.01", "0.999999", "2", "0.00"),
            ("160", "2000", "1160", "160.00"),
            ("160", "0", "1160", "0.00"),
            ("160", "1160", "0", "0.00"),
            ("999999999999999999.99", "1", "3", "333333333333333333.33"),
            (
                "999999999999999999.99",
                "999999999999999999.999999",
                "999999999999999999.999999",
                "999999999999999999.99",
            ),
        ] {
            let money = |text| Money::parse(text).unwrap();
            assert_eq!(
                share(money(whole), money(part), money(total)).to_string(),
                expected,
                "{whole} × {part} / {total}"
            );
        }
    }

    #[test]
    fn a_proportion_of_more_than_the_total_is_more_than_the_whole() {
        let money = |text| Money::parse(text).unwrap();
        for (whole, part, total, expected) in [
            ("160", "1276", "1160", Some("176.00")),
            ("160", "20300", "1160", Some("2800.00")),
            ("160", "0", "1160", Some("0.00")),
            ("160", "1276", "0", Some("0.00")),
            ("160", "999999999999999999.99", "1160", Some("137931034482758620.69")),
            ("1160", "999999999999999999.99", "160", None),
            ("999999999999999999.99", "999999999999999999.99", "0.01", None),
        ] {
            let found = proportion(money(whole), money(part), money(total)).map(|money| money.to_string());
            assert_eq!(found.as_deref(), expected, "{whole} × {part} / {total}");
        }
    }

    proptest! {
        #[test]
        fn it_agrees_with_decimal_where_that_is_exact(a in 0_i64..1_000_000_000_000, b in 0_i64..1_000_000_000_000) {
            use rust_decimal::RoundingStrategy::MidpointAwayFromZero;
            let (a, b) = (Decimal::new(a, SCALE), Decimal::new(b, SCALE));
            prop_assert_eq!(product(a, b), Some(Money::new((a * b).round_dp_with_strategy(2, MidpointAwayFromZero))));
        }
    }
}
