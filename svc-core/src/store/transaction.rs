//! Runs a transaction with retries. All writes of the API and the back office commit here.

use std::future::Future;
use std::time::Duration;

use chrono::TimeDelta;
use futures_util::future::BoxFuture;
use tokio::time::sleep;

use super::{CompanyId, Store, StoreError, Tx};
use crate::domain::clock::{Clock, Random, random_bytes};
use crate::error::{Code, Error};

/// Attempts at a transaction that fails with [`StoreError::Transient`].
const ATTEMPTS: u32 = 4;

/// How long a transaction that writes `modificado` may take until it commits; a longer one is
/// rolled back.
const LONGEST: TimeDelta = TimeDelta::seconds(30);

/// The body of a transaction. It may run more than once, so its only side effects are those of
/// `tx`.
pub(crate) trait TransactionBody: Send {
    /// The result, returned after the commit.
    type Output: Send;

    /// Whether it can run again from the start.
    const REPEATABLE: bool = true;

    /// The clock of the `modificado` that it writes, if it writes any. A client that asks for
    /// changes since a moment relies on a change being visible at most [`LONGEST`] after its
    /// `modificado` (contract §3).
    fn clock(&self) -> Option<&dyn Clock> {
        None
    }

    /// Whether it only shows what it would do: it is rolled back in any case (contract §9).
    fn is_rehearsal(&self) -> bool {
        false
    }

    fn run(&mut self, tx: &mut dyn Tx) -> impl Future<Output = Result<Self::Output, Error>> + Send;
}

/// The body of a transaction that is one call of the store.
pub(crate) struct StoreCall<F>(pub(crate) F);

impl<T, F> TransactionBody for StoreCall<F>
where
    T: Send,
    F: for<'t> FnMut(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, StoreError>> + Send,
{
    type Output = T;

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<T, Error> {
        Ok((self.0)(tx).await?)
    }
}

/// The pause after the first attempt, on average; it doubles with each.
const PAUSE: Duration = Duration::from_millis(5);

/// Begins a transaction of `company`, runs `body` in it and commits; an error rolls it back. A
/// serialization failure or a deadlock is retried, up to [`ATTEMPTS`] in all, after growing random
/// pauses, so that the same transactions do not collide again.
pub(crate) async fn transact<B: TransactionBody>(
    store: &dyn Store,
    random: &dyn Random,
    company: CompanyId,
    body: &mut B,
) -> Result<B::Output, Error> {
    let mut attempt = 1;
    loop {
        match attempt_once(store, company, body).await {
            Err(error) if error.is_transient() && B::REPEATABLE && attempt < ATTEMPTS => {
                crate::observe::retried();
                tracing::debug!(
                    attempt,
                    error = error.cause().map(tracing::field::display),
                    "transaction collided, running it again"
                );
                sleep(pause(attempt, random)).await;
                attempt += 1;
            }
            outcome => return outcome,
        }
    }
}

/// Between half and one and a half of the average.
fn pause(attempt: u32, random: &dyn Random) -> Duration {
    let part = u32::from(u8::from_le_bytes(random_bytes(random)));
    (PAUSE / 2 + PAUSE * part / u32::from(u8::MAX)) * (1 << (attempt - 1))
}

async fn attempt_once<B: TransactionBody>(
    store: &dyn Store,
    company: CompanyId,
    body: &mut B,
) -> Result<B::Output, Error> {
    let mut tx = store.begin(company).await?;
    let began = body.clock().map(Clock::now);
    let outcome = match body.run(tx.as_mut()).await {
        Ok(_) if began.zip(body.clock()).is_some_and(|(began, clock)| clock.now() - began > LONGEST) => {
            let cause = "the transaction took so long that its changes would have been missed";
            Err(Error::new(Code::NoDisponible).retry_after(1).caused_by(cause))
        }
        outcome => outcome,
    };
    match outcome {
        Ok(output) if !body.is_rehearsal() => {
            tx.commit().await?;
            Ok(output)
        }
        rolled_back => {
            // Closing the connection rolls back too, so a failure here does not change the outcome.
            if let Err(rollback @ (StoreError::Other(_) | StoreError::Conflict(_))) = tx.rollback().await {
                tracing::warn!(error = %rollback, "rollback failed");
            }
            rolled_back
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct SameByte(u8);

    impl Random for SameByte {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    #[test]
    fn pauses_grow_and_are_random() {
        let pauses = |byte| [1, 2, 3].map(|attempt| pause(attempt, &SameByte(byte)).as_micros());
        assert_eq!(pauses(0), [2_500, 5_000, 10_000]);
        assert_eq!(pauses(255), [7_500, 15_000, 30_000]);
    }
}
