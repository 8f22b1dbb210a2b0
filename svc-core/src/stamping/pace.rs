//! The backoff of records before they are retried.

use chrono::TimeDelta;

use crate::domain::clock::{Random, random_bytes};

/// How long a complement waits for its invoice before it is checked again; stamping the invoice
/// makes it due at once.
pub(super) const WAIT: TimeDelta = TimeDelta::minutes(5);

/// The delays between queries about a cancellation: after the first, the second, and so on.
pub(super) const FOLLOW_UP: [TimeDelta; 3] = [TimeDelta::minutes(5), TimeDelta::minutes(15), TimeDelta::hours(1)];

/// The delay before a document whose fate is unknown or whose account is refused is sent again.
pub(super) const HELD: TimeDelta = TimeDelta::hours(6);

/// The delay in seconds after the first attempt, the second, and so on; the last value repeats.
const STEPS: [i64; 6] = [30, 60, 2 * 60, 5 * 60, 15 * 60, 60 * 60];

/// The delay after an attempt that did not reach the provider, after `before` such attempts: ten
/// per cent more or less at random, so that records that failed together are not retried together.
pub(super) fn pause(before: u32, random: &dyn Random) -> TimeDelta {
    let last = STEPS.len() - 1;
    let step = STEPS[usize::try_from(before).map_or(last, |before| before.min(last))];
    let part = i64::from(u16::from_le_bytes(random_bytes(random)));
    // From 90 % to 110 %.
    let millis = step * 900 + step * 200 * part / i64::from(u16::MAX);
    TimeDelta::milliseconds(millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Always(u8);

    impl Random for Always {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    #[test]
    fn pauses_grow_to_an_hour_give_or_take_a_tenth() {
        for (before, seconds) in
            [(0, 30), (1, 60), (2, 120), (3, 300), (4, 900), (5, 3_600), (6, 3_600), (u32::MAX, 3_600)]
        {
            assert_eq!(pause(before, &Always(0)), TimeDelta::milliseconds(seconds * 900));
            assert_eq!(pause(before, &Always(255)), TimeDelta::milliseconds(seconds * 1_100));
            let between = pause(before, &Always(128)).num_milliseconds();
            assert!((seconds * 999..=seconds * 1_001 + 10).contains(&(between - seconds * 2 / 5)), "{between}");
        }
    }
}
