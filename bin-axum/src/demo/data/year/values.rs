//! Values that several kinds of records have.

use chrono::NaiveDate;

/// The salespeople's claves, from the company's second user on.
pub(super) const SALESPEOPLE: [i64; 3] = [2, 3, 4];

/// An instant of `day` in office hours of Mexico, by the minute of the working day.
pub(super) fn at(day: NaiveDate, minute: u32) -> String {
    let minute = minute.min(8 * 60);
    format!("{day}T{:02}:{:02}:00Z", 15 + minute / 60, minute % 60)
}

/// Cents as the wire's decimal string.
pub(super) fn money(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

/// `percent` of `cents`, rounded half-up.
pub(super) fn percent_of(cents: i64, percent: i64) -> i64 {
    (cents * percent + 50) / 100
}

/// The day `days` after `day`.
pub(super) fn after(day: NaiveDate, days: u32) -> NaiveDate {
    day.checked_add_days(chrono::Days::new(days.into())).unwrap_or(day)
}
