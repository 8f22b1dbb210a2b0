//! The only source of randomness: a seeded generator with the few draws the demo needs.

use chrono::{Datelike, Days, NaiveDate, Weekday};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Draws that depend on the seed alone. `ChaCha` is used because its output is fixed across releases and platforms;
/// every draw is made on `u32` for the same reason (`usize` differs between machines).
pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    /// Dice of one seed; the stream keeps the customers independent of how many products are drawn.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Self(rng)
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn range(&mut self, low: u32, high: u32) -> u32 {
        self.0.random_range(low..=high.max(low))
    }

    /// True in `percent` of a hundred draws.
    pub(super) fn percent(&mut self, percent: u32) -> bool {
        self.range(1, 100) <= percent
    }

    /// One of a word list. The lists are constants of this module and never empty.
    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.range(0, (from.len() as u32).saturating_sub(1)) as usize]
    }

    /// One of a list whose entries say how often they come up, relative to the others.
    pub(super) fn weighted<T: Copy>(&mut self, from: &[(u32, T)]) -> T {
        let total: u32 = from.iter().map(|(weight, _)| weight).sum();
        let mut left = self.range(1, total);
        for &(weight, value) in from {
            if left <= weight {
                return value;
            }
            left -= weight;
        }
        from[0].1
    }

    /// `length` decimal digits, the first of them not less than `first`.
    pub(super) fn digits(&mut self, length: usize, first: u32) -> String {
        let low = |at| if at == 0 { first } else { 0 };
        (0..length).map(|at| self.range(low(at), 9).to_string()).collect()
    }

    /// A moment of the year before `today`, in office hours of Mexico (15 to 24 h UTC), the recent past more often.
    pub(super) fn moment(&mut self, today: NaiveDate) -> String {
        let ago = self.range(1, 364).min(self.range(1, 364));
        let (hour, minute, second) = (self.range(15, 23), self.range(0, 59), self.range(0, 59));
        format!("{}T{hour:02}:{minute:02}:{second:02}Z", days_before(today, ago))
    }

    /// A working day from ten days before `today` to thirty after it.
    pub(super) fn appointment(&mut self, today: NaiveDate) -> String {
        let shift = self.range(0, 40);
        let day = days_after(days_before(today, 10), shift);
        let wait = match day.weekday() {
            Weekday::Sat => 2,
            Weekday::Sun => 1,
            _ => 0,
        };
        days_after(day, wait).to_string()
    }
}

/// The day `days` before `day`; at the end of the calendar, `day` itself.
pub(crate) fn days_before(day: NaiveDate, days: u32) -> NaiveDate {
    day.checked_sub_days(Days::new(days.into())).unwrap_or(day)
}

/// The day `days` after `day`; at the end of the calendar, `day` itself.
fn days_after(day: NaiveDate, days: u32) -> NaiveDate {
    day.checked_add_days(Days::new(days.into())).unwrap_or(day)
}
