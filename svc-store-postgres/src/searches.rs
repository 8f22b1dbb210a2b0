//! Slots of searches: how many of a company's run at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Searches of a company at a time; the others wait. Each may keep a processor of the database
/// busy.
const AT_ONCE: usize = 2;

/// How many companies are remembered before those that do not search are forgotten.
const COMPANIES: usize = 1_024;

/// A company's slot to search in, until it is dropped.
#[derive(Debug)]
pub(crate) struct SearchSlot(#[expect(dead_code, reason = "dropping it frees the slot")] Option<OwnedSemaphorePermit>);

/// The slots of all companies.
#[derive(Debug, Default)]
pub(crate) struct Searches(Mutex<HashMap<i64, Arc<Semaphore>>>);

impl Searches {
    /// Waits for a slot of a company.
    pub(crate) async fn slot(&self, company: i64) -> SearchSlot {
        let of_company = {
            let mut companies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if companies.len() >= COMPANIES {
                companies.retain(|_, one| Arc::strong_count(one) > 1);
            }
            Arc::clone(companies.entry(company).or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE))))
        };
        // It is never closed.
        SearchSlot(of_company.acquire_owned().await.ok())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_company_has_two_slots_and_idle_companies_are_forgotten() {
        let searches = Searches::default();
        let slot = |company| searches.slot(company).now_or_never();
        let first = [slot(1), slot(1)];
        assert!(first.iter().all(Option::is_some) && slot(1).is_none() && slot(2).is_some());
        (3..=COMPANIES as i64 + 1).for_each(|company| drop(slot(company)));
        assert_eq!(searches.0.lock().unwrap().len(), 2, "the first, and the last");
        drop(first);
        assert!(slot(1).is_some());
    }
}
