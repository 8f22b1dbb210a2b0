//! Turns of searches: how many of a company's run at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Searches of a company at a time; the others wait. Each may keep a processor of the database busy.
const AT_ONCE: usize = 2;

/// How many companies are remembered before those that do not search are forgotten.
const COMPANIES: usize = 1_024;

/// A company's turn to search, until it is dropped.
#[derive(Debug)]
pub(crate) struct SearchTurn(#[expect(dead_code, reason = "dropping it ends the turn")] Option<OwnedSemaphorePermit>);

/// The turns of all companies.
#[derive(Debug, Default)]
pub(crate) struct Searches(Mutex<HashMap<i64, Arc<Semaphore>>>);

impl Searches {
    /// Waits for a company's turn.
    pub(crate) async fn turn(&self, company: i64) -> SearchTurn {
        let of_company = {
            let mut companies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if companies.len() >= COMPANIES {
                companies.retain(|_, one| Arc::strong_count(one) > 1);
            }
            Arc::clone(companies.entry(company).or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE))))
        };
        // It is never closed.
        SearchTurn(of_company.acquire_owned().await.ok())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_company_has_two_turns_and_idle_companies_are_forgotten() {
        let searches = Searches::default();
        let turn = |company| searches.turn(company).now_or_never();
        let first = [turn(1), turn(1)];
        assert!(first.iter().all(Option::is_some) && turn(1).is_none() && turn(2).is_some());
        (3..=COMPANIES as i64 + 1).for_each(|company| drop(turn(company)));
        assert_eq!(searches.0.lock().unwrap().len(), 2, "the first, and the last");
        drop(first);
        assert!(turn(1).is_some());
    }
}
