//! Time and randomness, as parameters.
//!
//! Only [`SystemClock`] and [`SystemRandom`] read the machine's time and random bytes;
//! `clippy.toml` forbids the global functions elsewhere. So a test can move time instead of
//! sleeping.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, TimeDelta, TimeZone as _, Utc};
use chrono_tz::America::Mexico_City;
use chrono_tz::Tz;
use rand::Rng as _;
use uuid::Uuid;

/// A source of time.
pub trait Clock: Send + Sync + 'static {
    /// The current time, in UTC.
    fn now(&self) -> DateTime<Utc>;
}

/// How far a server's clock may differ from the database's before anything is done about it.
pub const CLOCK_TOLERANCE: TimeDelta = TimeDelta::minutes(1);

/// A source of random bytes.
pub trait Random: Send + Sync + 'static {
    /// Fills `bytes` with unpredictable bytes, for secrets.
    fn fill(&self, bytes: &mut [u8]);

    /// Fills `bytes` with bytes that do not repeat, for the ids of requests and events, which are
    /// no secrets.
    fn fill_id(&self, bytes: &mut [u8]) {
        self.fill(bytes);
    }
}

/// `N` unpredictable bytes ([`Random::fill`]).
pub fn random_bytes<const N: usize>(random: &dyn Random) -> [u8; N] {
    let mut bytes = [0; N];
    random.fill(&mut bytes);
    bytes
}

/// A random UUID (version 4).
pub(crate) fn random_uuid(random: &dyn Random) -> Uuid {
    uuid::Builder::from_random_bytes(random_bytes(random)).into_uuid()
}

/// The calendar date in Mexico's central time, against which business dates in bodies are validated
/// (contract §1).
pub fn mexico_date(now: DateTime<Utc>) -> NaiveDate {
    now.with_timezone(&Mexico_City).date_naive()
}

/// The first day of the month in Mexico's central time, by which quotas are counted (contract §5).
pub(crate) fn mexico_month(now: DateTime<Utc>) -> NaiveDate {
    let today = mexico_date(now);
    today.with_day(1).unwrap_or(today)
}

/// The first instant of a day in Mexico's central time.
pub(crate) fn mexico_midnight(date: NaiveDate) -> DateTime<Utc> {
    midnight(date, Mexico_City)
}

/// The first instant of a day in `zone`.
pub(crate) fn midnight(date: NaiveDate, zone: Tz) -> DateTime<Utc> {
    let midnight = date.and_time(NaiveTime::MIN);
    zone.from_local_datetime(&midnight).earliest().map_or(midnight.and_utc(), |at| at.to_utc())
}

/// The machine's clock, for production.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

/// The operating system's random source.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    /// # Panics
    /// If the operating system has no random source, since no secret would be safe.
    fn fill(&self, bytes: &mut [u8]) {
        #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's random source")]
        getrandom::fill(bytes).expect("the operating system provides random bytes");
    }

    /// Uses a generator seeded by the operating system: calling the system each time takes a fifth
    /// of a short request.
    fn fill_id(&self, bytes: &mut [u8]) {
        #[expect(clippy::disallowed_methods, reason = "the one place that asks the thread's generator")]
        rand::rng().fill_bytes(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mexico_is_six_hours_behind_utc() {
        let at = |text: &str| mexico_date(text.parse().unwrap()).to_string();
        assert_eq!(at("2026-11-21T05:59:59Z"), "2026-11-20");
        assert_eq!(at("2026-11-21T06:00:00Z"), "2026-11-21");
        let month = |text: &str| mexico_month(text.parse().unwrap()).to_string();
        assert_eq!(month("2026-11-01T05:59:59Z"), "2026-10-01");
        assert_eq!(month("2026-11-01T06:00:00Z"), "2026-11-01");
        // No daylight saving time since 2022.
        assert_eq!(at("2026-07-01T05:59:59Z"), "2026-06-30");
    }
}
