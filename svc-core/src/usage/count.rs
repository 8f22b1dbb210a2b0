use chrono::{DateTime, TimeDelta, Utc};

/// A process keeps from the others at most this share of what its limit still leaves.
const SHARE: u64 = 32;

/// How long a process keeps anything from the others.
const LONGEST: TimeDelta = TimeDelta::seconds(5);

/// A count that several processes add to: the stored part, the part being merged, and the pending
/// part.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    stored: u64,
    merging: u64,
    waiting: u64,
    /// When a merge first passed over the pending part.
    passed_over: Option<DateTime<Utc>>,
    /// How much was pending when a merge last passed over it.
    seen: u64,
    /// How much of the stored part other processes were seen to add.
    others: u64,
}

impl Count {
    pub(super) fn total(self) -> u64 {
        self.stored + self.merging + self.waiting
    }

    pub(super) fn others(self) -> u64 {
        self.others
    }

    pub(super) fn add_one(&mut self) {
        self.waiting += 1;
    }

    /// Whether `count` is large beside what `limit` leaves. With five processes and evenly spread
    /// requests, what is kept from each then stays within a fiftieth of the limit.
    fn is_large(self, count: u64, limit: u64) -> bool {
        count > 0 && count.saturating_mul(SHARE) >= limit.saturating_sub(self.total())
    }

    /// Whether the others must know before the next merge: what came since the last one is large.
    pub(super) fn is_urgent(self, limit: u64) -> bool {
        self.is_large(self.waiting.saturating_sub(self.seen), limit)
    }

    /// Whether a merge at `now` takes the pending part; if not, it is older for the next one.
    pub(super) fn is_due(&mut self, limit: u64, now: DateTime<Utc>) -> bool {
        if self.waiting == 0 {
            return false;
        }
        self.seen = self.waiting;
        let since = *self.passed_over.get_or_insert(now);
        // A clock that was set back ends the wait.
        self.is_large(self.waiting, limit) || !(TimeDelta::zero()..LONGEST).contains(&(now - since))
    }

    /// Whether everything is stored.
    pub(super) fn is_stored(self) -> bool {
        self.merging == 0 && self.waiting == 0
    }

    /// Adopts a value read from the store. Counts only grow, so the greater value is the later one.
    /// During a merge the value is ignored, since it may already include the merged part.
    pub(super) fn learn(&mut self, stored: u64) {
        if self.merging == 0 {
            let others = stored.saturating_sub(self.stored);
            self.stored += others;
            self.others += others;
        }
    }

    /// Takes the pending part, if any, for a merge.
    pub(super) fn take(&mut self) -> Option<u64> {
        let taken = std::mem::take(&mut self.waiting);
        self.merging += taken;
        self.passed_over = None;
        self.seen = 0;
        (taken > 0).then_some(taken)
    }

    /// Marks the taken part as stored.
    pub(super) fn merged(&mut self, taken: u64) {
        self.merging = self.merging.saturating_sub(taken);
        self.stored += taken;
    }

    /// Counts what is being merged as stored, since the end of the merge will not be known.
    pub(super) fn end_merge(&mut self) {
        self.stored += std::mem::take(&mut self.merging);
    }

    /// Returns a taken part that was not stored.
    pub(super) fn put_back(&mut self, taken: u64) {
        self.merging = self.merging.saturating_sub(taken);
        self.waiting += taken;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_or_doubled_on_the_way() {
        let mut count = Count::default();
        count.learn(10);
        count.add_one();
        count.add_one();
        assert_eq!((count.total(), count.take()), (12, Some(2)));
        count.add_one();
        // The store's 12 may include the two being merged.
        count.learn(12);
        assert_eq!(count.total(), 13);
        count.merged(2);
        // Another process added five in the meantime.
        count.learn(17);
        assert_eq!((count.total(), count.is_stored()), (18, false));
        assert_eq!(count.take(), Some(1));
        count.put_back(1);
        assert_eq!((count.total(), count.take()), (18, Some(1)));
        count.merged(1);
        assert_eq!((count.total(), count.take(), count.is_stored()), (18, None, true));
        // A value read before the last merge is older.
        count.learn(3);
        assert_eq!((count.total(), count.others()), (18, 15));
    }

    #[test]
    fn a_count_waits_for_seconds_far_from_its_limit_and_not_at_all_near_it() {
        let now: DateTime<Utc> = "2026-03-01T12:00:00Z".parse().unwrap();
        let mut count = Count::default();
        assert!(!count.is_urgent(150) && !count.is_due(150, now), "nothing is pending");
        count.add_one();
        assert!(!count.is_urgent(150) && !count.is_due(150, now));
        assert!(!count.is_due(150, now + TimeDelta::milliseconds(4_999)));
        assert!(count.is_due(150, now + LONGEST));
        assert!(count.is_due(150, now - TimeDelta::seconds(1)), "the clock was set back");
        // Five of 150 are a share of what is left.
        for _ in 0..3 {
            count.add_one();
        }
        assert!(!count.is_due(150, now));
        count.add_one();
        assert!(!count.is_urgent(150) && count.is_due(150, now), "the next merge takes them");
        for _ in 0..5 {
            count.add_one();
        }
        assert!(count.is_urgent(150), "five more do not wait for it");
        count.take();
        count.merged(10);
        count.learn(118);
        count.add_one();
        assert!(count.is_urgent(150), "32 are left");
        assert!(!count.is_urgent(u64::MAX), "no limit is near");
    }
}
