//! What a running service removes because its time is over.

use chrono::TimeDelta;

use crate::context::Context;
use crate::store::{ANSWERS_KEPT, StoreError};

/// Rows removed in one statement: short enough to hold up no one.
const BATCH: u32 = 1_000;

/// How long events and the log of their deliveries are kept (spec, "Limits").
const KEPT: TimeDelta = TimeDelta::days(30);

/// Removes what is kept no longer: answers of Idempotency-Keys after 7 days (contract §4); deliveries, events and deleted webhooks
/// after 30, in this order, since the later are kept as long as the earlier refer to them. Gives how many rows went.
///
/// A server calls it on a timer, a scheduled function when it likes; several at once do no harm.
pub async fn clean_up(context: &Context) -> Result<u64, StoreError> {
    let (store, now) = (context.store(), context.now());
    let mut removed = in_batches(|| store.forget_answers(now - ANSWERS_KEPT, BATCH)).await?;
    removed += in_batches(|| store.forget_deliveries(now - KEPT, BATCH)).await?;
    removed += in_batches(|| store.forget_events(now - KEPT, BATCH)).await?;
    removed += in_batches(|| store.forget_webhooks(now - KEPT, BATCH)).await?;
    Ok(removed)
}

async fn in_batches<F>(mut forget: impl FnMut() -> F) -> Result<u64, StoreError>
where
    F: Future<Output = Result<u64, StoreError>>,
{
    let mut removed = 0;
    loop {
        let batch = forget().await?;
        removed += batch;
        if batch < u64::from(BATCH) {
            return Ok(removed);
        }
    }
}
