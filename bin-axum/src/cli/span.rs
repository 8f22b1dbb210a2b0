//! Spans of time on the command line.

use chrono::TimeDelta;

/// The longest span: ten years.
const LONGEST: TimeDelta = TimeDelta::days(3_653);

/// Parses a span of time like `2h`.
pub(super) fn time_span(text: &str) -> Result<TimeDelta, String> {
    let wrong = || "a time is a number and s, m, h or d, like 2h; 3653d at most".to_owned();
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = number.parse().ok().filter(|_| digits).ok_or_else(wrong)?;
    let span = match unit {
        "s" => TimeDelta::try_seconds(number),
        "m" => TimeDelta::try_minutes(number),
        "h" => TimeDelta::try_hours(number),
        "d" => TimeDelta::try_days(number),
        _ => None,
    };
    span.filter(|span| *span <= LONGEST).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_a_number_and_a_unit() {
        for (text, seconds) in
            [("90s", 90), ("5m", 300), ("2h", 7_200), ("30d", 2_592_000), ("0s", 0), ("366d", 31_622_400)]
        {
            assert_eq!(time_span(text).map(|span| span.num_seconds()), Ok(seconds), "{text}");
        }
        for wrong in ["", "h", "2", "2 h", "-2h", "+2h", "2.5h", "2w", "2hh", "3654d", "99999999999999999999s", "2ñ"] {
            assert!(time_span(wrong).is_err(), "{wrong}");
        }
    }
}
