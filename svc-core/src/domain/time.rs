//! The wire's two kinds of time: an instant (`t`) and a date (`d`).

use std::borrow::Cow;
use std::fmt;

use chrono::{DateTime, Datelike, Months, NaiveDate, NaiveDateTime, SecondsFormat, TimeDelta, Timelike, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

use crate::schema::field_schema;

/// An instant on the wire: UTC, whole seconds, `YYYY-MM-DDTHH:MM:SSZ` (contract, "Types").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(DateTime<Utc>);

impl Timestamp {
    /// Truncates the instant to whole seconds, so that the stored value equals the shown one.
    pub fn new(at: DateTime<Utc>) -> Self {
        Self(at.with_nanosecond(0).unwrap_or(at))
    }

    /// The instant, without fractions of a second.
    pub fn get(self) -> DateTime<Utc> {
        self.0
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS[.fraction]Z`; other offsets are refused (spec, "Date filters").
    pub fn parse(text: &str) -> Option<Self> {
        parse_instant(text).map(Self::new)
    }

    fn text(self) -> String {
        self.0.to_rfc3339_opts(SecondsFormat::Secs, true)
    }
}

field_schema!(Timestamp, "Timestamp", { "type": "string", "format": "date-time", "pattern": "Z$", "examples": ["2026-10-12T18:00:00Z"] });

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Formatted here because most pages have two instants per record, and chrono's formatting
        // costs an allocation and five times as long.
        let (date, time) = (self.0.date_naive(), self.0.time());
        let Ok(year @ 0..=9999) = u32::try_from(date.year()) else { return serializer.serialize_str(&self.text()) };
        let mut text = *b"0000-00-00T00:00:00Z";
        for (at, number) in [
            (0, year / 100),
            (2, year % 100),
            (5, date.month()),
            (8, date.day()),
            (11, time.hour()),
            (14, time.minute()),
            (17, time.second()),
        ] {
            text[at] += (number / 10) as u8;
            text[at + 1] += (number % 10) as u8;
        }
        serializer.serialize_str(std::str::from_utf8(&text).map_err(ser::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = filled(deserializer)?;
        Self::parse(text.trim()).ok_or_else(|| de::Error::custom("debe ser un instante UTC YYYY-MM-DDTHH:MM:SSZ"))
    }
}

/// A text that is not empty: an empty one is missing (contract §1).
fn filled<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'de, str>, D::Error> {
    let text = <Cow<'de, str>>::deserialize(deserializer)?;
    if text.trim().is_empty() { Err(de::Error::invalid_length(0, &"una fecha")) } else { Ok(text) }
}

/// A date on the wire: exactly `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date(pub NaiveDate);

field_schema!(Date, "Date", { "type": "string", "format": "date", "examples": ["2026-10-12"] });

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_string())
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = filled(deserializer)?;
        parse_date(text.trim()).map(Self).ok_or_else(|| de::Error::custom("debe ser una fecha YYYY-MM-DD"))
    }
}

/// A calendar month on the wire: exactly `YYYY-MM`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CalendarMonth(NaiveDate);

field_schema!(CalendarMonth, "CalendarMonth", { "type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$", "examples": ["2026-10"] });

impl CalendarMonth {
    /// The month of a day.
    pub fn of(day: NaiveDate) -> Self {
        Self(day.with_day(1).unwrap_or(day))
    }

    /// Its first day.
    pub fn first(self) -> NaiveDate {
        self.0
    }

    /// Its last day.
    pub fn last(self) -> NaiveDate {
        let next = self.0.checked_add_months(Months::new(1)).and_then(|next| next.pred_opt());
        next.unwrap_or(NaiveDate::MAX)
    }

    /// The month after it.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.checked_add_months(Months::new(1)).unwrap_or(self.0))
    }
}

impl Serialize for CalendarMonth {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.format("%Y-%m"))
    }
}

impl<'de> Deserialize<'de> for CalendarMonth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = filled(deserializer)?;
        let first = parse_date(&format!("{}-01", text.trim()));
        first.map(Self).ok_or_else(|| de::Error::custom("debe ser un mes YYYY-MM"))
    }
}

/// Which end of a range a date filter bounds; it decides what a bare date means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// `*_desde`: equal or later. A bare date is its first instant.
    From,
    /// `*_hasta`: equal or earlier. A bare date is its last instant.
    Until,
}

/// Reads a filter's `YYYY-MM-DD` or `…Z` as the instant that bounds the range (contract §3,
/// "Dates").
///
/// The wire shows whole seconds, so an upper bound includes its whole second: a record shown at the
/// bound matches.
pub(crate) fn parse_bound(text: &str, edge: Edge) -> Option<DateTime<Utc>> {
    let last_of = |at: DateTime<Utc>, span: TimeDelta| at.checked_add_signed(span - TimeDelta::microseconds(1));
    if let Some(date) = parse_date(text) {
        let start = date.and_hms_opt(0, 0, 0)?.and_utc();
        return match edge {
            Edge::From => Some(start),
            Edge::Until => last_of(start, TimeDelta::days(1)),
        };
    }
    let at = parse_instant(text)?;
    match edge {
        Edge::Until if at.nanosecond() == 0 => last_of(at, TimeDelta::seconds(1)),
        _ => Some(at),
    }
}

/// The first (`From`) or last (`Until`) whole day inside a bound, for columns that hold dates.
pub(crate) fn bound_date(at: DateTime<Utc>, edge: Edge) -> NaiveDate {
    let date = at.date_naive();
    match edge {
        // A day counts from its first instant: a bound later in the day leaves that day out.
        Edge::From if at.time() != chrono::NaiveTime::MIN => date.succ_opt().unwrap_or(NaiveDate::MAX),
        _ => date,
    }
}

/// Reads exactly `YYYY-MM-DD`.
pub(crate) fn parse_date(text: &str) -> Option<NaiveDate> {
    let shape = text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(i, byte)| if i == 4 || i == 7 { byte == b'-' } else { byte.is_ascii_digit() });
    if !shape {
        return None;
    }
    let date = NaiveDate::from_ymd_opt(text[..4].parse().ok()?, text[5..7].parse().ok()?, text[8..].parse().ok()?)?;
    (date.year() >= 1).then_some(date)
}

fn parse_instant(text: &str) -> Option<DateTime<Utc>> {
    let body = text.strip_suffix('Z')?;
    if !body.is_ascii() || body.len() < 19 || body.as_bytes()[10] != b'T' {
        return None;
    }
    // Chrono takes blanks and single digits too.
    let shape = |(i, byte): (usize, u8)| if i == 2 || i == 5 { byte == b':' } else { byte.is_ascii_digit() };
    if !body[11..19].bytes().enumerate().all(shape) {
        return None;
    }
    let date = parse_date(&body[..10])?;
    let at = NaiveDateTime::parse_from_str(body, "%Y-%m-%dT%H:%M:%S%.f").ok()?;
    // A leap second (":60") is a valid RFC 3339 time that no database stores.
    (at.date() == date && at.nanosecond() < 1_000_000_000 && at.second() < 60).then(|| at.and_utc())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bare_dates_are_whole_days_and_upper_bounds_whole_seconds() {
        let bound = |text, edge| parse_bound(text, edge).map(|at| at.to_rfc3339());
        assert_eq!(bound("2026-02-28", Edge::From).unwrap(), "2026-02-28T00:00:00+00:00");
        assert_eq!(bound("2026-02-28", Edge::Until).unwrap(), "2026-02-28T23:59:59.999999+00:00");
        assert_eq!(bound("2026-02-28T10:00:00Z", Edge::Until).unwrap(), "2026-02-28T10:00:00.999999+00:00");
        assert_eq!(bound("2026-02-28T10:00:00Z", Edge::From).unwrap(), "2026-02-28T10:00:00+00:00");
        for wrong in [
            "2026-02-30",
            "2026-2-3",
            "20260203",
            "2026-02-28T10:00:00",
            "2026-02-28T10:00:00-06:00",
            "2026-02-28 10:00:00Z",
            "2026-02-28T10:00:60Z",
            "2026-02-28T24:00:00Z",
            "2026-02-28T1:02:03.4Z",
            "2026-02-28T 1:02:03Z",
            "2026-02-28T10: 2:03Z",
            "2026-02-28T10:02:3.4Z",
            "2026-02-28T10:00:00,5Z",
            "2026-02-28T10:00:00.Z",
            "0000-01-01",
            "Z",
            "é026-02-28T10:00:00Z",
        ] {
            assert_eq!(bound(wrong, Edge::From), None, "{wrong}");
        }
    }

    #[test]
    fn a_date_column_is_bounded_by_whole_days() {
        let day = |text, edge| bound_date(parse_bound(text, edge).unwrap(), edge).to_string();
        assert_eq!(day("2026-03-01", Edge::From), "2026-03-01");
        assert_eq!(day("2026-03-01T00:00:01Z", Edge::From), "2026-03-02");
        assert_eq!(day("2026-03-01", Edge::Until), "2026-03-01");
        assert_eq!(day("2026-03-01T00:00:01Z", Edge::Until), "2026-03-01");
    }

    #[test]
    fn a_timestamp_is_shown_in_whole_seconds() {
        assert_eq!(Timestamp::parse("2026-01-02T03:04:05.678Z").unwrap().to_string(), "2026-01-02T03:04:05Z");
    }

    proptest! {
        #[test]
        fn a_timestamp_is_written_as_it_is_displayed(seconds in -70_000_000_000_i64..300_000_000_000) {
            let at = Timestamp::new(DateTime::from_timestamp(seconds, 999_999_999).unwrap());
            prop_assert_eq!(serde_json::to_string(&at).unwrap(), format!("\"{at}\""));
        }
    }
}
