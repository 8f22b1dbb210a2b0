//! Removing expired rows, and repairing what servers of the previous release left behind.

use std::time::Duration;

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use tokio::time::{Instant, sleep};

use crate::context::Context;
use crate::domain::company::CompanyId;
use crate::domain::event::KEPT;
use crate::error::Error;
use crate::observe;
use crate::store::{ANSWER_RETENTION, Aged, StoreError};

/// Rows per transaction, so that locks are short.
const BATCH: u32 = 1_000;

/// Companies per statement that looks for expired rows.
const COMPANIES: u32 = 1_000;

const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// How many failed removals a pass tolerates before it ends: more than that are not the fault of
/// one company.
const TOLERATED: u32 = 3;

/// How often a long clean-up logs its progress.
const TOLD_EVERY: Duration = Duration::from_secs(30);

/// How long requests stay in the log.
const LOG_RETENTION: TimeDelta = TimeDelta::days(3);

/// What is removed, and how long it is kept. The order matters: earlier rows refer to later ones.
const AGED: [(Aged, TimeDelta); 7] = [
    (Aged::Answers, ANSWER_RETENTION),
    (Aged::Deliveries, KEPT),
    (Aged::Abandoned, KEPT),
    (Aged::Events, KEPT),
    (Aged::Webhooks, KEPT),
    (Aged::Requests, LOG_RETENTION),
    (Aged::ExcessRequests, TimeDelta::zero()),
];

/// Removes expired rows: answers to Idempotency-Keys after 7 days (contract §4); deliveries, events
/// and deleted webhooks after 30 days (spec, "Limits"); requests in the log after 3 days, or if
/// there are 10,000 younger ones; and copies of companies that were interrupted. It also corrects
/// which webhooks have work, where servers of the previous release queued deliveries beside this
/// one. Returns the number of rows and copies removed, or the first error of the store.
///
/// Their age is measured by the store's clock, so that a server whose clock is ahead removes
/// nothing too early. Rows expire by whole days (UTC), so a company has something to remove once a
/// day, not in every pass. A pass over companies without expired rows costs one statement per kind
/// of row. After each batch it pauses for as long as the batch took, and so uses at most half of a
/// connection's time. A company with locked rows is left for the next pass. So is one whose rows
/// cannot be removed, which is logged and counted ([`observe::BACKGROUND_FAILURES`]); the pass ends
/// at the fourth.
///
/// Call it on a timer; several processes may run it at once.
pub async fn clean_up(context: &Context) -> Result<u64, StoreError> {
    clean_up_telling(context, &mut |_| ()).await
}

/// [`clean_up`], which reports after each batch how many rows are removed. Nobody counts those that
/// are left, since that would cost as much as to find them.
pub async fn clean_up_telling(context: &Context, progress: &mut (dyn FnMut(u64) + Send)) -> Result<u64, StoreError> {
    let context = context.in_background();
    let store = context.store();
    let now = store.now().await?;
    let mut removal = Removal::new(Instant::now(), progress);
    for (aged, kept) in AGED {
        let expired = start_of_day(now - kept);
        let mut after = CompanyId(0);
        loop {
            let companies = store.companies_with_aged(aged, expired, after, COMPANIES).await?;
            for &company in &companies {
                if let Err(error) = forget_all(&context, company, aged, expired, &mut removal).await {
                    removal.failed += 1;
                    if removal.failed > TOLERATED {
                        return Err(error);
                    }
                    observe::company_failed("clean-up", company, &error.into());
                }
            }
            match companies.last() {
                Some(&last) if companies.len() as u64 == u64::from(COMPANIES) => after = last,
                _ => break,
            }
        }
    }
    for (company, clave) in store.unscheduled_webhooks().await? {
        if let Err(error) = context.call_store(company, |tx| tx.schedule_webhook(clave)).await {
            tracing::warn!(empresa = company.0, webhook = clave, %error, "a webhook's queue could not be corrected; it is tried again");
        }
    }
    Ok(removal.removed + store.remove_interrupted_copies().await?)
}

/// What a clean-up has removed, and when it logs that next.
struct Removal<'p> {
    removed: u64,
    /// Companies, and kinds of their rows, that could not be cleaned up.
    failed: u32,
    started: Instant,
    told_next: Instant,
    /// Called with the number of removed rows.
    progress: &'p mut (dyn FnMut(u64) + Send),
}

impl<'p> Removal<'p> {
    fn new(now: Instant, progress: &'p mut (dyn FnMut(u64) + Send)) -> Self {
        Self { removed: 0, failed: 0, started: now, told_next: now + TOLD_EVERY, progress }
    }

    /// Counts rows; returns the time that the clean-up has taken, if it should be logged now.
    fn count(&mut self, rows: u64, now: Instant) -> Option<Duration> {
        self.removed += rows;
        (self.progress)(self.removed);
        let is_due = now >= self.told_next;
        if is_due {
            self.told_next = now + TOLD_EVERY;
        }
        is_due.then(|| now - self.started)
    }
}

fn start_of_day(at: DateTime<Utc>) -> DateTime<Utc> {
    at.date_naive().and_time(NaiveTime::MIN).and_utc()
}

/// The store's error behind a failed transaction.
fn store_error(error: Error) -> StoreError {
    let Some(cause) = error.into_cause() else { return StoreError::Other("the transaction was refused".into()) };
    cause.downcast::<StoreError>().map_or_else(StoreError::Other, |error| *error)
}

/// Removes all expired rows of a company, batch by batch.
async fn forget_all(
    context: &Context,
    company: CompanyId,
    aged: Aged,
    expired: DateTime<Utc>,
    removal: &mut Removal<'_>,
) -> Result<(), StoreError> {
    loop {
        let started = Instant::now();
        let batch = context.call_store(company, |tx| tx.delete_aged(aged, expired, BATCH)).await.map_err(store_error);
        let batch = match batch {
            Err(StoreError::Busy(error) | StoreError::Transient(error)) => {
                tracing::debug!(empresa = company.0, %error, "expired rows are locked; they are left for the next pass");
                return Ok(());
            }
            outcome => outcome?,
        };
        if let Some(taken) = removal.count(batch, Instant::now()) {
            let (removed, seconds) = (removal.removed, taken.as_secs());
            tracing::info!(removed, seconds, kind = ?aged, empresa = company.0, "expired rows are being removed");
        }
        if batch < u64::from(BATCH) {
            return Ok(());
        }
        sleep(started.elapsed().min(LONGEST_PAUSE)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_clean_up_says_twice_a_minute_how_far_it_is() {
        let start = Instant::now();
        let mut seen = Vec::new();
        let mut progress = |removed| seen.push(removed);
        let mut removal = Removal::new(start, &mut progress);
        let told: Vec<u64> = (1..=95)
            .filter_map(|second| removal.count(1_000, start + Duration::from_secs(second)))
            .map(|taken| taken.as_secs())
            .collect();
        assert_eq!((told, removal.removed), (vec![30, 60, 90], 95_000));
        assert_eq!((seen.len(), seen.last()), (95, Some(&95_000)));
    }
}
