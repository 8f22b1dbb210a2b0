//! Shares the places of a pool among companies.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

/// How long after its last use a company counts as a user of the pool.
const RECENT: Duration = Duration::from_secs(1);

/// Places that a company may always hold while it holds fewer than are free, regardless of other
/// users.
const FEW: usize = 4;

/// Places for connections, shared among companies.
///
/// A company gets another place while it holds fewer than are free (the dynamic thresholds of
/// Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998).
/// So one company holds at most half of the places, two a third each, and a company that holds none
/// comes first. While others use the pool, even rarely, it holds no more than it would if all were
/// as busy, or [`FEW`], because concurrent work in the database is what the others wait for. The
/// service itself is not a company and may take any free place.
#[derive(Debug)]
pub(super) struct Shares(Mutex<PoolState>);

#[derive(Debug)]
struct PoolState {
    places: u32,
    free: u32,
    recent: Recent,
    /// The places of each company; companies without places have no entry.
    held: HashMap<i64, u32>,
    /// The waiting requests, oldest first.
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    company: Option<i64>,
    granted: oneshot::Sender<Place>,
}

/// The companies that used the pool recently: within one to two spans of [`RECENT`].
#[derive(Debug)]
struct Recent {
    since: Instant,
    now: HashSet<i64>,
    before: HashSet<i64>,
}

/// A place; dropping it returns it.
#[derive(Debug)]
pub(super) struct Place {
    shares: Arc<Shares>,
    company: Option<i64>,
}

impl Shares {
    /// Begins with `places` free places.
    pub(super) fn new(places: u32) -> Arc<Self> {
        let recent = Recent { since: Instant::now(), now: HashSet::new(), before: HashSet::new() };
        let state = PoolState { places, free: places, recent, held: HashMap::new(), waiting: VecDeque::new() };
        Arc::new(Self(Mutex::new(state)))
    }

    /// Takes a place for a company, or for the service. Waits as long as necessary; may be
    /// cancelled.
    pub(super) async fn take(self: &Arc<Self>, company: Option<i64>) -> Place {
        let granted = {
            let mut state = self.state();
            state.recent.note(company);
            if state.may_take(company) {
                state.take(company);
                return Place { shares: Arc::clone(self), company };
            }
            let (granted, receiver) = oneshot::channel();
            state.waiting.push_back(Waiting { company, granted });
            receiver
        };
        match granted.await {
            Ok(place) => place,
            // The sender is dropped only after sending the place, or with the shares, which `self`
            // holds.
            Err(_) => std::future::pending().await,
        }
    }

    /// The number of free places.
    pub(super) fn free(&self) -> u32 {
        self.state().free
    }

    /// Grants free places to waiting requests that may have one.
    fn grant(self: &Arc<Self>) {
        // A place whose receiver is gone is returned by its drop, which locks the state; so it is
        // sent without the lock.
        while let Some((waiting, place)) = self.next() {
            drop(waiting.send(place));
        }
    }

    fn next(self: &Arc<Self>) -> Option<(oneshot::Sender<Place>, Place)> {
        let mut state = self.state();
        state.waiting.retain(|waiting| !waiting.granted.is_closed());
        let first = (0..state.waiting.len()).find(|&at| state.may_take(state.waiting[at].company))?;
        let Waiting { company, granted } = state.waiting.remove(first)?;
        state.take(company);
        Some((granted, Place { shares: Arc::clone(self), company }))
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PoolState {
    fn may_take(&self, company: Option<i64>) -> bool {
        let held = company.and_then(|company| self.held.get(&company).copied()).unwrap_or(0);
        held < self.free && (held as usize) < self.max()
    }

    /// The most places of one company, given the other users of the pool.
    fn max(&self) -> usize {
        (self.places as usize / (self.recent.companies() + 1)).max(FEW)
    }

    fn take(&mut self, company: Option<i64>) {
        self.free -= 1;
        if let Some(company) = company {
            *self.held.entry(company).or_default() += 1;
        }
    }
}

impl Recent {
    fn note(&mut self, company: Option<i64>) {
        let spans = self.since.elapsed().as_millis() / RECENT.as_millis();
        if spans > 0 {
            self.before = std::mem::take(&mut self.now);
            self.since = Instant::now();
        }
        if spans > 1 {
            self.before.clear();
        }
        self.now.extend(company);
    }

    /// The number of recent companies, or slightly fewer.
    fn companies(&self) -> usize {
        self.now.len().max(self.before.len())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        {
            let mut state = self.shares.state();
            state.free += 1;
            if let Some(company) = self.company
                && let Some(held) = state.held.get_mut(&company)
            {
                *held -= 1;
                if *held == 0 {
                    state.held.remove(&company);
                }
            }
            if state.waiting.is_empty() {
                return;
            }
        }
        self.shares.grant();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    /// Takes as many places as the company may have now.
    fn taken(shares: &Arc<Shares>, company: Option<i64>) -> Vec<Place> {
        std::iter::from_fn(|| shares.take(company).now_or_never()).collect()
    }

    #[test]
    fn one_company_holds_half_and_two_a_third_each() {
        let shares = Shares::new(20);
        let first = taken(&shares, Some(1));
        assert_eq!(first.len(), 10);
        let second = taken(&shares, Some(2));
        assert_eq!(second.len(), 5, "of what the first left");
        drop(first);
        let shares = Shares::new(21);
        let mut both = (Vec::new(), Vec::new());
        while let (Some(one), Some(two)) = (shares.take(Some(1)).now_or_never(), shares.take(Some(2)).now_or_never()) {
            both.0.push(one);
            both.1.push(two);
        }
        assert_eq!((both.0.len(), both.1.len()), (7, 7));
    }

    #[test]
    fn a_company_beside_idle_others_holds_less() {
        let shares = Shares::new(20);
        for other in 2..=3 {
            drop(taken(&shares, Some(other)));
        }
        assert_eq!(taken(&shares, Some(1)).len(), 5);
        for other in 4..=9 {
            drop(taken(&shares, Some(other)));
        }
        assert_eq!(taken(&shares, Some(10)).len(), FEW);
    }

    #[test]
    fn greedy_companies_leave_places_to_others() {
        let shares = Shares::new(20);
        let held: Vec<_> = (1..=6).map(|company| taken(&shares, Some(company))).collect();
        assert_eq!(held.iter().map(Vec::len).collect::<Vec<_>>(), [10, 5, 3, 1, 1, 0]);
    }

    #[test]
    fn a_pool_of_one_serves_anyone() {
        let shares = Shares::new(1);
        assert_eq!(taken(&shares, Some(1)).len(), 1);
        assert_eq!(taken(&shares, None).len(), 1);
        assert_eq!(taken(&Shares::new(4), None).len(), 4, "the service has no share");
    }

    #[tokio::test]
    async fn a_released_place_goes_to_the_first_eligible_waiter() {
        let shares = Shares::new(4);
        let mut first = taken(&shares, Some(1));
        assert_eq!(first.len(), 2);
        let second = taken(&shares, Some(2));
        assert_eq!(second.len(), 1);
        let third = taken(&shares, Some(3));
        assert_eq!(third.len(), 1, "all four are held");
        let mut greedy = Box::pin(shares.take(Some(1)));
        let mut modest = Box::pin(shares.take(Some(4)));
        assert!(greedy.as_mut().now_or_never().is_none() && modest.as_mut().now_or_never().is_none());
        drop(second);
        assert!(greedy.as_mut().now_or_never().is_none(), "it holds two already");
        assert!(modest.as_mut().now_or_never().is_some());
        first.clear();
        assert!(greedy.as_mut().now_or_never().is_some());
    }

    #[tokio::test]
    async fn an_abandoned_wait_leaves_no_trace() {
        let shares = Shares::new(1);
        let place = shares.take(Some(1)).await;
        let mut gone = Box::pin(shares.take(Some(2)));
        assert!(gone.as_mut().now_or_never().is_none());
        drop(gone);
        let mut waits = Box::pin(shares.take(Some(3)));
        assert!(waits.as_mut().now_or_never().is_none());
        drop(place);
        // A place granted to a cancelled request is returned.
        drop(waits);
        assert_eq!(shares.free(), 1);
        assert!(shares.state().held.is_empty() && shares.state().waiting.is_empty());
    }
}
