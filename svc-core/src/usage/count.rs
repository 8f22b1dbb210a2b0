/// A count that several processes add to: the stored part, the part being merged, and the pending
/// part.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    stored: u64,
    merging: u64,
    waiting: u64,
}

impl Count {
    pub(super) fn total(self) -> u64 {
        self.stored + self.merging + self.waiting
    }

    pub(super) fn add_one(&mut self) {
        self.waiting += 1;
    }

    /// Whether everything is stored.
    pub(super) fn is_stored(self) -> bool {
        self.merging == 0 && self.waiting == 0
    }

    /// Adopts a value read from the store. Counts only grow, so the greater value is the later one.
    /// During a merge the value is ignored, since it may already include the merged part.
    pub(super) fn learn(&mut self, stored: u64) {
        if self.merging == 0 {
            self.stored = self.stored.max(stored);
        }
    }

    /// Takes the pending part, if any, for a merge.
    pub(super) fn take(&mut self) -> Option<u64> {
        let taken = std::mem::take(&mut self.waiting);
        self.merging += taken;
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
        assert_eq!(count.total(), 18);
    }
}
