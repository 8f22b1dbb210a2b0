//! Amounts and dates as people read them.

const MONTHS: [&str; 12] = ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"];

/// An amount with thousands separators; any other text unchanged.
pub(crate) fn amount(text: &str) -> String {
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    if whole.is_empty() || !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.to_owned();
    }
    let mut grouped = String::with_capacity(text.len() * 4 / 3);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + fraction
}

/// A decimal without trailing zeros.
pub(crate) fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A date or a date and time (ISO 8601, without a zone), as `12 oct 2026` or
/// `12 oct 2026 12:00:07`; any other text unchanged.
pub(crate) fn date(text: &str) -> String {
    let (day, time) = text.split_once('T').unwrap_or((text, ""));
    let parts: Vec<&str> = day.split('-').collect();
    let [year, month, day] = parts[..] else { return text.to_owned() };
    let month = month.parse::<usize>().ok().and_then(|month| MONTHS.get(month.checked_sub(1)?));
    let Some(month) = month else { return text.to_owned() };
    format!("{} {month} {year} {time}", day.trim_start_matches('0')).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_thousands_and_dates_have_months() {
        for (text, expected) in [
            ("0.00", "0.00"),
            ("999", "999"),
            ("1000.5", "1,000.5"),
            ("1234567.891", "1,234,567.891"),
            ("x", "x"),
            ("", ""),
        ] {
            assert_eq!(amount(text), expected);
        }
        for (text, expected) in [
            ("2026-10-12", "12 oct 2026"),
            ("2026-01-02T03:04:05", "2 ene 2026 03:04:05"),
            ("2026-13-02", "2026-13-02"),
            ("mañana", "mañana"),
            ("", ""),
        ] {
            assert_eq!(date(text), expected);
        }
    }
}
