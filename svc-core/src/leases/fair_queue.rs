//! Which company is next: one after the other, each for one bounded round. No I/O.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use chrono::{DateTime, TimeDelta, Utc};

/// How long a key is left alone after a round that failed.
const REST: TimeDelta = TimeDelta::seconds(15);

/// What a key needs of a round; needs of the same key are merged while it waits.
pub(crate) trait Need {
    /// Both needs at once.
    fn and(self, other: Self) -> Self;
}

/// A round-robin queue of keys, such as companies, that have work.
pub(crate) struct FairQueue<K, N> {
    waiting: HashMap<K, N>,
    /// The keys of `waiting`, in order.
    order: VecDeque<K>,
    /// The keys whose round is in progress, with the work that has come up for them since.
    under_way: HashMap<K, Option<N>>,
    resting: HashMap<K, DateTime<Utc>>,
}

impl<K, N> Default for FairQueue<K, N> {
    fn default() -> Self {
        Self { waiting: HashMap::new(), order: VecDeque::new(), under_way: HashMap::new(), resting: HashMap::new() }
    }
}

impl<K: Copy + Eq + Hash, N: Need> FairQueue<K, N> {
    /// Adds the work that was found, except for keys that rest.
    pub(crate) fn add_found(&mut self, found: impl IntoIterator<Item = (K, N)>, now: DateTime<Utc>) {
        self.resting.retain(|_, until| now < *until);
        for (key, need) in found {
            if !self.resting.contains_key(&key) {
                self.add(key, need);
            }
        }
    }

    /// Adds a key at the end, or more work to a key that waits.
    pub(crate) fn add(&mut self, key: K, need: N) {
        if let Some(again) = self.under_way.get_mut(&key) {
            *again = merged(again.take(), Some(need));
            return;
        }
        match self.waiting.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(need);
                self.order.push_back(key);
            }
            Entry::Occupied(entry) => {
                let (key, earlier) = entry.remove_entry();
                self.waiting.insert(key, earlier.and(need));
            }
        }
    }

    /// Whether no key waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Whether a waiting key is `ready`.
    pub(crate) fn any(&self, ready: impl FnMut(&K) -> bool) -> bool {
        self.order.iter().any(ready)
    }

    /// Removes all waiting keys.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
        self.order.clear();
    }

    /// Starts the round of the first key that is `ready`; [`Self::done`] or [`Self::failed`] ends
    /// it.
    pub(crate) fn next(&mut self, ready: impl FnMut(&K) -> bool) -> Option<(K, N)> {
        let at = self.order.iter().position(ready)?;
        let key = *self.order.get(at)?;
        self.begin(key).map(|need| (key, need))
    }

    /// Starts the round of a key that is not in one. Returns its work, if any.
    pub(crate) fn begin(&mut self, key: K) -> Option<N> {
        self.under_way.insert(key, None);
        let need = self.waiting.remove(&key)?;
        self.order.retain(|next| *next != key);
        Some(need)
    }

    /// Whether the key is in no round.
    pub(crate) fn is_free(&self, key: K) -> bool {
        !self.under_way.contains_key(&key)
    }

    /// Ends a round; the key waits again if work is `left`.
    pub(crate) fn done(&mut self, key: K, left: Option<N>) {
        let again = self.under_way.remove(&key).flatten();
        if let Some(need) = merged(again, left) {
            self.add(key, need);
        }
    }

    /// Ends a round that failed: the key rests.
    pub(crate) fn failed(&mut self, key: K, now: DateTime<Utc>) {
        self.under_way.remove(&key);
        self.resting.insert(key, now + REST);
    }
}

fn merged<N: Need>(one: Option<N>, other: Option<N>) -> Option<N> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.and(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Eq)]
    struct Needs(&'static str);

    impl Need for Needs {
        fn and(self, other: Self) -> Self {
            match (self.0, other.0) {
                ("events", "deliveries") | ("deliveries", "events") => Self("events and deliveries"),
                (one, other) => panic!("{one} and {other}"),
            }
        }
    }

    impl Need for () {
        fn and(self, (): Self) -> Self {}
    }

    fn now() -> DateTime<Utc> {
        DateTime::UNIX_EPOCH
    }

    #[test]
    fn keys_have_one_round_after_the_other() {
        let mut queue = FairQueue::default();
        queue.add_found([(1, Needs("events")), (2, Needs("groups")), (1, Needs("deliveries"))], now());
        assert_eq!(queue.next(|_| true), Some((1, Needs("events and deliveries"))));
        queue.add(1, Needs("deliveries"));
        queue.done(1, Some(Needs("events")));
        assert_eq!(queue.next(|_| true), Some((2, Needs("groups"))));
        let again = queue.next(|_| true);
        assert_eq!(again, Some((1, Needs("events and deliveries"))), "what was left, and what came up meanwhile");
        queue.done(1, None);
        assert_eq!(queue.next(|_| true), None, "the round of the second is under way");
    }

    #[test]
    fn a_key_that_is_not_ready_keeps_its_place() {
        let mut queue = FairQueue::default();
        queue.add_found([(1, ()), (2, ())], now());
        assert_eq!(queue.next(|key| *key == 2), Some((2, ())));
        queue.done(2, Some(()));
        assert_eq!([queue.next(|_| true), queue.next(|_| true)], [Some((1, ())), Some((2, ()))]);
    }

    #[test]
    fn a_key_whose_round_failed_rests() {
        let mut queue = FairQueue::default();
        queue.add_found([(1, ())], now());
        queue.next(|_| true).unwrap();
        queue.failed(1, now());
        queue.add_found([(1, ()), (2, ())], now() + TimeDelta::seconds(14));
        assert_eq!([queue.next(|_| true), queue.next(|_| true)], [Some((2, ())), None]);
        queue.add_found([(1, ())], now() + TimeDelta::seconds(15));
        assert_eq!(queue.next(|_| true), Some((1, ())));
    }
}
