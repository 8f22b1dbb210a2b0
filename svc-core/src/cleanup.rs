//! What a running service removes because its time is over.

use crate::domain::clock::Clock;
use crate::pipeline::REMEMBERED;
use crate::store::{Store, StoreError};

/// Rows removed in one statement: short enough to hold up no one.
const BATCH: u32 = 1_000;

/// Removes what is kept no longer: answers of Idempotency-Keys after 7 days (contract §4). Gives how many rows went.
///
/// A server calls it on a timer, a scheduled function when it likes; several at once do no harm.
pub async fn clean_up(store: &dyn Store, clock: &dyn Clock) -> Result<u64, StoreError> {
    let expired = clock.now() - REMEMBERED;
    let mut removed = 0;
    loop {
        let batch = store.forget_answers(expired, BATCH).await?;
        removed += batch;
        if batch < u64::from(BATCH) {
            return Ok(removed);
        }
    }
}
