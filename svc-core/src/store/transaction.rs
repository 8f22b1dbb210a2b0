//! The one place that commits. The pipeline's writes and the back office both come through here.

use std::future::Future;

use super::{CompanyId, Store, StoreError, Tx};
use crate::error::Error;

/// How often a transaction is tried that collides with others.
const ATTEMPTS: u32 = 4;

/// What is done inside one transaction. It may run more than once, so it touches the world only through `tx`.
pub(crate) trait Work: Send {
    /// What it yields once committed.
    type Output: Send;

    /// Whether it can be run again from the start after a collision.
    const REPEATABLE: bool = true;

    fn run(&mut self, tx: &mut dyn Tx) -> impl Future<Output = Result<Self::Output, Error>> + Send;
}

/// Begins a transaction of `company`, does `work` in it and commits; an error undoes all of it.
/// After a serialization failure or a deadlock the whole is run again, a few times.
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
            // The connection undoes the transaction when it is dropped too; a failure here changes nothing for the caller.
            if let Err(rollback @ (StoreError::Other(_) | StoreError::Conflict(_))) = tx.rollback().await {
                tracing::warn!(error = %rollback, "rollback failed");
            }
            Err(error)
        }
    }
}
