//! The monthly quota of a company, and the minute and month that its requests count in (contract
//! §5, spec "Limits").

use chrono::{DateTime, Months, NaiveDate, TimeDelta, Utc};

use super::clock::{mexico_midnight, mexico_month};

/// Monthly operations by paid user licences: up to three, four or five, six or more.
pub(crate) fn monthly_quota(licencias: i32) -> u64 {
    match licencias {
        ..=3 => 5_000,
        4..=5 => 10_000,
        6.. => 20_000,
    }
}

/// The minute and the month in which a request is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Period {
    /// The first instant of the clock minute.
    pub minuto: DateTime<Utc>,
    /// The first day of the month, in Mexico.
    pub mes: NaiveDate,
}

impl Period {
    /// The minute and the month of `now`.
    pub fn of(now: DateTime<Utc>) -> Self {
        Self::ahead(now, TimeDelta::zero())
    }

    /// The minute of `now`, and the month by a clock that is ahead by `desfase`.
    pub fn ahead(now: DateTime<Utc>, desfase: TimeDelta) -> Self {
        let second = now.timestamp();
        let minuto = DateTime::from_timestamp(second - second.rem_euclid(60), 0).unwrap_or(now);
        Self { minuto, mes: mexico_month(now + desfase) }
    }

    /// Seconds from `now` to the next minute: 1 to 60.
    pub(crate) fn minute_left(&self, now: DateTime<Utc>) -> u32 {
        whole_seconds(self.minuto + TimeDelta::minutes(1) - now)
    }

    /// The first day of the next month.
    pub(crate) fn next_month(&self) -> NaiveDate {
        self.mes.checked_add_months(Months::new(1)).unwrap_or(NaiveDate::MAX)
    }

    /// Seconds from `now` to the next month, at least 1.
    pub(crate) fn month_left(&self, now: DateTime<Utc>) -> u32 {
        whole_seconds(mexico_midnight(self.next_month()) - now)
    }

    /// The length of the month, in seconds.
    pub(crate) fn month_length(&self) -> u32 {
        whole_seconds(mexico_midnight(self.next_month()) - mexico_midnight(self.mes))
    }
}

/// Rounds up to seconds, so that a client that waits that long does not retry too early.
fn whole_seconds(span: TimeDelta) -> u32 {
    let seconds = span.num_seconds() + i64::from(span.subsec_nanos() > 0);
    u32::try_from(seconds.max(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn licences_decide() {
        let quotas = [-1, 0, 1, 3, 4, 5, 6, 100].map(monthly_quota);
        assert_eq!(quotas, [5_000, 5_000, 5_000, 5_000, 10_000, 10_000, 20_000, 20_000]);
    }

    #[test]
    fn a_minute_is_the_clocks() {
        for (now, minuto, left) in [
            ("2026-10-12T18:00:00Z", "2026-10-12T18:00:00Z", 60),
            ("2026-10-12T18:00:00.001Z", "2026-10-12T18:00:00Z", 60),
            ("2026-10-12T18:00:59Z", "2026-10-12T18:00:00Z", 1),
            ("2026-10-12T18:00:59.999Z", "2026-10-12T18:00:00Z", 1),
            ("1969-12-31T23:59:58Z", "1969-12-31T23:59:00Z", 2),
        ] {
            let period = Period::of(at(now));
            assert_eq!((period.minuto, period.minute_left(at(now))), (at(minuto), left), "{now}");
        }
    }

    #[test]
    fn a_month_is_mexicos() {
        for (now, mes, next, left) in [
            ("2026-11-01T05:59:59Z", "2026-10-01", "2026-11-01", 1),
            ("2026-11-01T06:00:00Z", "2026-11-01", "2026-12-01", 30 * 86_400),
            ("2027-01-01T05:00:00Z", "2026-12-01", "2027-01-01", 3_600),
        ] {
            let period = Period::of(at(now));
            assert_eq!(period.mes.to_string(), mes, "{now}");
            assert_eq!(period.next_month().to_string(), next, "{now}");
            assert_eq!(period.month_left(at(now)), left, "{now}");
        }
        assert_eq!(Period::of(at("2027-02-10T00:00:00Z")).month_length(), 28 * 86_400);
    }
}
