//! Removing expired rows, and finding what a server of the release before left behind.

use chrono::TimeDelta;

use crate::context::Context;
use crate::error::Error;
use crate::store::{ANSWERS_KEPT, StoreError, Tx, Work, transact};

/// Rows per statement, so that locks are held briefly.
const BATCH: u32 = 1_000;

/// How long events and their deliveries are kept (spec, "Limits").
const KEPT: TimeDelta = TimeDelta::days(30);

/// Removes expired rows: answers to Idempotency-Keys after 7 days (contract §4); deliveries, events and deleted webhooks after
/// 30 (spec, "Limits"), in this order, since earlier ones refer to later ones. It also puts right which webhooks have work, where
/// servers of the release before queued deliveries beside this one. Gives the number of rows removed, or the first
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
    for (company, clave) in store.unscheduled_webhooks().await? {
        if let Err(error) = transact(store, company, &mut Schedule(clave)).await {
            tracing::warn!(empresa = company.0, webhook = clave, %error, "a webhook's queue was not put right; it is tried again");
        }
    }
    Ok(removed)
}

/// Notes when a webhook's next delivery is due.
struct Schedule(i64);

impl Work for Schedule {
    type Output = ();

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<(), Error> {
        Ok(tx.schedule_webhook(self.0).await?)
    }
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
