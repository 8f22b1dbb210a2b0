//! [`Ring`]: the last readings, from which differences are taken.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A difference over less than this says little.
const MIN_SPAN: Duration = Duration::from_secs(1);

/// How much older than the wanted span a reading may be. An older one would make averages of a time
/// in which nobody watched.
const PATIENCE: Duration = Duration::from_mins(1);

/// The most readings; the oldest go first.
const MAX_READINGS: usize = 128;

/// The last readings of counters that were 0 when the process started.
pub(super) struct Ring<T> {
    /// The least age of a reading that differences are taken from, if there is one.
    span: Duration,
    start: Instant,
    at_start: T,
    /// The oldest first.
    readings: VecDeque<(Instant, T)>,
}

/// What differences are taken from.
pub(super) struct Base<'a, T> {
    pub(super) figures: &'a T,
    pub(super) span: Duration,
    pub(super) is_start: bool,
}

impl<T: Default> Ring<T> {
    pub(super) fn new(span: Duration, start: Instant) -> Self {
        Self { span, start, at_start: T::default(), readings: VecDeque::new() }
    }

    /// The newest reading that is as old as the span; if all are younger, the oldest; the start if
    /// that says too little or nobody has watched lately.
    pub(super) fn base(&self, now: Instant) -> Base<'_, T> {
        let age = |at: &Instant| now.saturating_duration_since(*at);
        let aged = self.readings.iter().rev().find(|(at, _)| age(at) >= self.span);
        let base = aged.or(self.readings.front());
        match base.filter(|(at, _)| (MIN_SPAN..=self.span + PATIENCE).contains(&age(at))) {
            Some((at, figures)) => Base { figures, span: age(at), is_start: false },
            None => Base { figures: &self.at_start, span: age(&self.start), is_start: true },
        }
    }

    /// Adds a reading and drops those that are no base of a later one.
    pub(super) fn push(&mut self, now: Instant, figures: T) {
        self.readings.push_back((now, figures));
        let is_aged = |(at, _): &(Instant, T)| now.saturating_duration_since(*at) >= self.span;
        while self.readings.get(1).is_some_and(is_aged) || self.readings.len() > MAX_READINGS {
            self.readings.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: Duration = Duration::from_secs(5);

    fn seconds(start: Instant, seconds: f64) -> Instant {
        start + Duration::from_secs_f64(seconds)
    }

    #[test]
    fn the_base_is_the_newest_reading_that_is_old_enough() {
        let start = Instant::now();
        let mut ring = Ring::<u32>::new(SPAN, start);
        let base = |ring: &Ring<u32>, at: f64| {
            let base = ring.base(seconds(start, at));
            (*base.figures, base.span.as_secs_f64(), base.is_start)
        };
        assert_eq!(base(&ring, 100.0), (0, 100.0, true), "nothing was read yet");
        for (at, figures) in [(100.0, 1), (102.0, 2), (104.0, 3), (106.0, 4)] {
            ring.push(seconds(start, at), figures);
        }
        assert_eq!(base(&ring, 108.0), (2, 6.0, false));
        assert_eq!(base(&ring, 109.5), (3, 5.5, false));
        // Others who read in between do not make the span shorter.
        for at in [108.0, 108.1, 108.2, 108.3, 108.4] {
            ring.push(seconds(start, at), 9);
        }
        assert_eq!(base(&ring, 109.5), (3, 5.5, false));
    }

    #[test]
    fn a_single_reading_serves_after_a_second_and_for_a_minute() {
        let start = Instant::now();
        let mut ring = Ring::<u32>::new(SPAN, start);
        ring.push(seconds(start, 100.0), 7);
        for (at, is_start) in [(100.0, true), (100.9, true), (101.0, false), (165.0, false), (166.0, true)] {
            assert_eq!(ring.base(seconds(start, at)).is_start, is_start, "{at}");
        }
        assert!(ring.base(start).span.is_zero());
    }

    #[test]
    fn readings_are_bounded() {
        let start = Instant::now();
        let mut ring = Ring::<u32>::new(SPAN, start);
        for number in 0..1_000 {
            ring.push(seconds(start, f64::from(number)), number);
        }
        assert_eq!(ring.readings.len(), 6);
        for number in 0..1_000 {
            ring.push(seconds(start, 1_000.0), number);
        }
        assert_eq!(ring.readings.len(), MAX_READINGS);
    }
}
