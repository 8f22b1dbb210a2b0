//! Runs a transaction with retries. All writes of the API and the back office commit here.

use std::future::Future;

use super::{CompanyId, Store, StoreError, Tx};
use crate::error::Error;

/// Attempts at a transaction that fails with [`StoreError::Transient`].
const ATTEMPTS: u32 = 4;

/// The body of a transaction. It may run more than once, so its only side effects are those of `tx`.
pub(crate) trait Work: Send {
    /// What it returns once committed.
    type Output: Send;

    /// Whether it can be retried from the start.
    const REPEATABLE: bool = true;

    fn run(&mut self, tx: &mut dyn Tx) -> impl Future<Output = Result<Self::Output, Error>> + Send;
}

/// Begins a transaction of `company`, runs `work` in it and commits; an error rolls it back.
/// After a serialization failure or a deadlock the whole is retried, [`ATTEMPTS`] times in all.
pub(crate) async fn transact<W: Work>(store: &dyn Store, company: CompanyId, work: &mut W) -> Result<W::Output, Error> {
    let mut attempt = 1;
    loop {
        match attempt_once(store, company, work).await {
            Err(error) if error.is_transient() && W::REPEATABLE && attempt < ATTEMPTS => {
                crate::observe::retried();
                tracing::debug!(
                    attempt,
                    error = error.cause().map(tracing::field::display),
                    "transaction collided, running it again"
                );
                attempt += 1;
            }
            outcome => return outcome,
        }
    }
}

async fn attempt_once<W: Work>(store: &dyn Store, company: CompanyId, work: &mut W) -> Result<W::Output, Error> {
    let mut tx = store.begin(company).await?;
    match work.run(tx.as_mut()).await {
        Ok(output) => {
            tx.commit().await?;
            Ok(output)
        }
        Err(error) => {
            // Closing the connection rolls back too, so a failure here does not change the outcome.
            if let Err(rollback @ (StoreError::Other(_) | StoreError::Conflict(_))) = tx.rollback().await {
                tracing::warn!(error = %rollback, "rollback failed");
            }
            Err(error)
        }
    }
}
