//! Numbers: integers within bounds, and exponent form, as some languages write small ones
//! (`5e-05`).

use std::borrow::Cow;

use serde::de::Visitor;

use super::Fault;
use super::fault::is_not;

/// The most digits of a plain form; no field takes as many.
const MAX_DIGITS: i64 = 40;

/// A number's literal without exponent: `0.00005` for `5e-05`. A literal without exponent is left
/// as it is, and so is one whose plain form would be too long for any field.
pub(super) fn plain(literal: &str) -> Cow<'_, str> {
    expanded(literal).map_or(Cow::Borrowed(literal), Cow::Owned)
}

fn expanded(literal: &str) -> Option<String> {
    let (mantissa, exponent) = literal.split_once(['e', 'E'])?;
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let leading = all.len() - all.trim_start_matches('0').len();
    let digits = all.trim_matches('0');
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    let point = i64::try_from(whole.len()).ok()?.checked_sub(i64::try_from(leading).ok()?)?;
    let point = point.checked_add(exponent.parse().ok()?)?;
    let count = i64::try_from(digits.len()).ok()?;
    if count > MAX_DIGITS || !(-MAX_DIGITS..=MAX_DIGITS).contains(&point) {
        return None;
    }
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
    let (before, after) = digits.split_at(usize::try_from(point.clamp(0, count)).ok()?);
    let before = if before.is_empty() { "0" } else { before };
    Some(if after.is_empty() {
        format!("{sign}{before}{}", zeros(point - count))
    } else {
        format!("{sign}{before}.{}{after}", zeros(-point))
    })
}

/// Visits an integer from `min` to `max`.
pub(super) fn integer<'de, V: Visitor<'de>>(
    literal: &str,
    [min, max]: [i128; 2],
    visitor: V,
) -> Result<V::Value, Fault> {
    let range = || is_not(&format!("un entero de {min} a {max}"));
    if let Ok(integer) = literal.parse::<i64>() {
        visitor.visit_i64(integer).map_err(|_: Fault| range())
    } else if let Ok(integer) = literal.parse::<u64>() {
        visitor.visit_u64(integer).map_err(|_: Fault| range())
    } else {
        Err(if literal.contains(['.', 'e', 'E']) { is_not("un entero") } else { range() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rust_decimal::Decimal;

    use super::*;

    #[test]
    fn an_exponent_is_written_out() {
        for (literal, form) in [
            ("5e-05", "0.00005"),
            ("1E2", "100"),
            ("1.50e+1", "15"),
            ("-1.25e1", "-12.5"),
            ("0.00012e4", "1.2"),
            ("120e-1", "12"),
            ("120e-4", "0.012"),
            ("1.0000000e0", "1"),
            ("0e999999999999999999999", "0"),
            ("-0.0e5", "0"),
            ("1e40", "1e40"),
            ("1e-42", "1e-42"),
            ("1e999999999", "1e999999999"),
            ("1e-99999999999999999999", "1e-99999999999999999999"),
            ("12.50", "12.50"),
            ("-0", "-0"),
        ] {
            assert_eq!(plain(literal), form, "{literal}");
        }
    }

    proptest! {
        #[test]
        fn the_value_stays(mantissa in "-?[0-9]{1,9}(\\.[0-9]{1,9})?", exponent in -9i32..=9) {
            let literal = format!("{mantissa}e{exponent}");
            let expected = Decimal::from_scientific(&literal).unwrap();
            prop_assert_eq!(plain(&literal).parse::<Decimal>().unwrap(), expected, "{}", literal);
        }
    }
}
