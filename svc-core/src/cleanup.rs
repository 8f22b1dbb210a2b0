//! Removing expired rows.

use chrono::TimeDelta;

use crate::context::Context;
use crate::store::{ANSWERS_KEPT, StoreError};

/// Rows per statement, so that locks are held briefly.
const BATCH: u32 = 1_000;

/// How long events and their deliveries are kept (spec, "Limits").
const KEPT: TimeDelta = TimeDelta::days(30);

/// Removes expired rows: answers to Idempotency-Keys after 7 days (contract §4); deliveries, events and deleted webhooks after
/// 30 (spec, "Limits"), in this order, since earlier ones refer to later ones. Gives the number of rows removed, or the first
/// error of the store.
///
/// Call it on a timer; several may run at once.
pub async fn clean_up(context: &Context) -> Result<u64, StoreError> {
    let context = context.in_background();
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
