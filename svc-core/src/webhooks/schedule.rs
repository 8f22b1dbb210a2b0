//! When a delivery is retried or given up, and when its webhook is disabled. No I/O.

use chrono::{DateTime, TimeDelta, Utc};

use super::{DeliveryReason, Outcome};
use crate::domain::clock::{Random, random_bytes};
use crate::domain::webhook::{AttemptResult, DeliveryOrigin, Next};

/// Minutes from the first attempt to the second, and so on (spec, "Webhook and its deliveries").
const DELAYS: [i64; 6] = [1, 5, 30, 2 * 60, 6 * 60, 12 * 60];

/// The longest `Retry-After` that is honoured.
const LONGEST_RETRY_AFTER: TimeDelta = TimeDelta::hours(1);

/// Consecutive failed attempts after which a webhook gets one attempt at a time, until one
/// succeeds.
pub(super) const PROBE_AFTER: u32 = 3;

/// Consecutive deliveries that end `fallida` before a webhook is disabled (contract §6).
const STREAK: u32 = 15;
/// The least age of the first failure of that streak.
const STREAK_SPAN: TimeDelta = TimeDelta::hours(24);

/// Decides what follows attempt number `attempt` (from 1), which ended at `now`.
pub(super) fn validate(
    outcome: &Outcome,
    origin: DeliveryOrigin,
    attempt: u32,
    now: DateTime<Utc>,
    random: &dyn Random,
) -> AttemptResult {
    let (http, reason, counts) = match outcome {
        Outcome::Answered { status, .. } if (200..300).contains(status) => {
            return AttemptResult { next: Next::Delivered, http: Some(*status), reason: None, counts: true };
        }
        Outcome::Answered { status, .. } => (Some(*status), Some(DeliveryReason::RespuestaNo2xx), true),
        Outcome::Failed(reason) => (None, Some(*reason), true),
        Outcome::Ours(reason) => (None, *reason, false),
    };
    let next = match delay(attempt).filter(|_| origin != DeliveryOrigin::Prueba) {
        Some(delay) => Next::Retry(now + spread(delay, random).max(retry_after(outcome, now))),
        None => Next::Failed,
    };
    AttemptResult { next, http, reason, counts }
}

/// The delay after attempt number `attempt`; `None` after the last.
fn delay(attempt: u32) -> Option<TimeDelta> {
    let at = usize::try_from(attempt).ok()?.checked_sub(1)?;
    DELAYS.get(at).map(|&minutes| TimeDelta::minutes(minutes))
}

/// Adds up to a tenth at random, so that deliveries that failed together are not retried together.
fn spread(delay: TimeDelta, random: &dyn Random) -> TimeDelta {
    let part = i64::from(u16::from_le_bytes(random_bytes(random)));
    delay + TimeDelta::milliseconds(delay.num_milliseconds() / 10 * part / i64::from(u16::MAX))
}

/// The wait in the receiver's `Retry-After`, in seconds or as an HTTP date; zero unless the status
/// is 429 or 503, or if it cannot be parsed.
fn retry_after(outcome: &Outcome, now: DateTime<Utc>) -> TimeDelta {
    let Outcome::Answered { status: 429 | 503, retry_after: Some(text) } = outcome else { return TimeDelta::zero() };
    let text = text.trim();
    let wait = if text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
        // A number that does not fit exceeds the maximum.
        text.parse().ok().and_then(TimeDelta::try_seconds).unwrap_or(LONGEST_RETRY_AFTER)
    } else {
        DateTime::parse_from_rfc2822(text).map_or(TimeDelta::zero(), |at| at.with_timezone(&Utc) - now)
    };
    wait.min(LONGEST_RETRY_AFTER)
}

/// Whether to disable a webhook: `ended` consecutive deliveries ended `fallida`, and the first
/// attempt of the streak failed at `since` (contract §6).
pub(super) fn is_disabled(ended: u32, since: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    ended >= STREAK && since.is_some_and(|since| now - since > STREAK_SPAN)
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

    fn now() -> DateTime<Utc> {
        "2026-10-12T18:00:00Z".parse().unwrap()
    }

    fn answered(status: u16, retry_after: Option<&str>) -> Outcome {
        Outcome::Answered { status, retry_after: retry_after.map(str::to_owned) }
    }

    /// Seconds until the next attempt, with the least and the greatest random addition.
    fn waits(outcome: &Outcome, attempt: u32) -> Option<(i64, i64)> {
        let wait = |byte| match validate(outcome, DeliveryOrigin::Evento, attempt, now(), &Always(byte)).next {
            Next::Retry(at) => Some((at - now()).num_seconds()),
            _ => None,
        };
        wait(0).zip(wait(255))
    }

    #[test]
    fn a_failure_is_tried_again_six_times() {
        let timed_out = Outcome::Failed(DeliveryReason::TiempoAgotado);
        for (attempt, minutes) in [(1, 1), (2, 5), (3, 30), (4, 120), (5, 360), (6, 720)] {
            assert_eq!(waits(&timed_out, attempt), Some((minutes * 60, minutes * 66)), "{attempt}");
        }
        for attempt in [7, 8, u32::MAX] {
            assert_eq!(validate(&timed_out, DeliveryOrigin::Evento, attempt, now(), &Always(9)).next, Next::Failed);
        }
        let least: i64 = (1..7).filter_map(|attempt| waits(&timed_out, attempt)).map(|(least, _)| least).sum();
        assert_eq!(least, (20 * 60 + 36) * 60, "about 21 hours");
    }

    #[test]
    fn tests_are_tried_once_and_resends_like_events() {
        let failed = answered(500, None);
        assert_eq!(validate(&failed, DeliveryOrigin::Prueba, 1, now(), &Always(0)).next, Next::Failed);
        let again = Next::Retry(now() + TimeDelta::minutes(1));
        for origin in [DeliveryOrigin::Evento, DeliveryOrigin::Reenvio] {
            assert_eq!(validate(&failed, origin, 1, now(), &Always(0)).next, again);
        }
        for origin in [DeliveryOrigin::Evento, DeliveryOrigin::Reenvio, DeliveryOrigin::Prueba] {
            assert_eq!(validate(&answered(204, None), origin, 1, now(), &Always(0)).next, Next::Delivered);
        }
    }

    #[test]
    fn an_attempt_is_written_in_the_contracts_words() {
        let stored = |outcome| {
            let AttemptResult { http, reason, counts, .. } =
                validate(&outcome, DeliveryOrigin::Evento, 1, now(), &Always(0));
            (http, reason, counts)
        };
        assert_eq!(stored(answered(200, None)), (Some(200), None, true));
        assert_eq!(stored(answered(299, None)), (Some(299), None, true));
        for status in [199, 300, 302, 410, 429, 500] {
            assert_eq!(stored(answered(status, None)), (Some(status), Some(DeliveryReason::RespuestaNo2xx), true));
        }
        assert_eq!(stored(Outcome::Failed(DeliveryReason::ErrorRed)), (None, Some(DeliveryReason::ErrorRed), true));
        assert_eq!(
            stored(Outcome::Ours(Some(DeliveryReason::ErrorRed))),
            (None, Some(DeliveryReason::ErrorRed), false)
        );
        assert_eq!(stored(Outcome::Ours(None)), (None, None, false));
    }

    #[test]
    fn a_receiver_can_only_ask_for_more_time_and_for_an_hour_at_most() {
        for (status, retry_after, attempt, seconds) in [
            (429, "600", 1, 600),
            (503, " 600 ", 1, 600),
            (500, "600", 1, 60),
            (302, "600", 1, 60),
            (429, "0", 1, 60),
            (429, "59", 1, 60),
            (429, "3600", 1, 3_600),
            (429, "3601", 1, 3_600),
            (429, "99999999999999999999999", 1, 3_600),
            (429, "9223372036854775807", 1, 3_600),
            (429, "600", 4, 7_200),
            (503, "Mon, 12 Oct 2026 18:10:00 GMT", 1, 600),
            (503, "Mon, 12 Oct 2026 17:10:00 GMT", 1, 60),
            (503, "Wed, 12 Oct 2050 17:10:00 GMT", 1, 3_600),
            (503, "-600", 1, 60),
            (503, "1.5", 1, 60),
            (503, "", 1, 60),
            (503, "pronto", 1, 60),
        ] {
            let (least, max) = waits(&answered(status, Some(retry_after)), attempt).unwrap();
            assert_eq!(least, seconds, "{status} {retry_after}");
            assert!(max >= least);
        }
        assert_eq!(
            validate(&answered(429, Some("600")), DeliveryOrigin::Evento, 7, now(), &Always(0)).next,
            Next::Failed
        );
    }

    #[test]
    fn fifteen_failures_over_more_than_a_day_disable() {
        let ago = |minutes| Some(now() - TimeDelta::minutes(minutes));
        for (ended, since, expected) in [
            (15, ago(24 * 60 + 1), true),
            (400, ago(24 * 60 + 1), true),
            (14, ago(90 * 24 * 60), false),
            (15, ago(24 * 60), false),
            (400, ago(60), false),
            (15, None, false),
        ] {
            assert_eq!(is_disabled(ended, since, now()), expected, "{ended} {since:?}");
        }
    }
}
