//! What a pass asks of the database, each in as few statements as can be.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::disable::Disable;
use super::queue::Key;
use super::schedule::{PROBE_AFTER, is_disabled};
use crate::context::Context;
use crate::domain::time::Timestamp;
use crate::domain::webhook::Next;
use crate::store::{AttemptRecord, ClaimedDelivery, DeliveryClaim, FannedOut, Store, StoreError};

/// Groups and events in one statement.
const BATCH: u32 = 1_000;

/// How often a statement is tried that collides with others.
const ATTEMPTS: u32 = 4;

/// What a pass asks for.
pub(super) struct Ask {
    /// Whether to look for new events.
    pub(super) look: bool,
    pub(super) most: u32,
    pub(super) each: u32,
    pub(super) busy: Vec<Key>,
    pub(super) now: DateTime<Utc>,
    pub(super) token: Uuid,
    pub(super) until: DateTime<Utc>,
}

/// What it gets.
pub(super) struct Turn {
    pub(super) ask: Ask,
    pub(super) written: Written,
    pub(super) groups: u64,
    pub(super) fanned_out: FannedOut,
    pub(super) claimed: Vec<ClaimedDelivery>,
}

/// What was written: how many deliveries arrived, are tried again, failed for good, or were someone else's by then.
#[derive(Default)]
pub(super) struct Written {
    pub(super) delivered: u64,
    pub(super) retried: u64,
    pub(super) failed: u64,
    pub(super) lost: u64,
    /// Webhooks that were disabled.
    pub(super) disabled: Vec<Key>,
}

/// Writes results, then makes events of groups and deliveries of events, then claims.
pub(super) async fn turn(context: &Context, results: Vec<AttemptRecord>, ask: Ask) -> Result<Turn, StoreError> {
    let store = context.store();
    let written = write(context, results).await?;
    let (mut groups, mut fanned_out) = (0, FannedOut::default());
    let now = Timestamp::new(ask.now);
    if ask.look {
        (groups, fanned_out) = look(store, now).await?;
    }
    let Ask { most, each, now, token, until, .. } = ask;
    let claim = DeliveryClaim { most, each, probe_after: PROBE_AFTER, busy: &ask.busy, now, token, until };
    let claimed = again(|| store.claim_deliveries(&claim)).await?;
    Ok(Turn { ask, written, groups, fanned_out, claimed })
}

/// Makes events of all groups that are due, and deliveries of all new events.
async fn look(store: &dyn Store, now: Timestamp) -> Result<(u64, FannedOut), StoreError> {
    let (mut groups, mut fanned_out) = (0, FannedOut::default());
    loop {
        let batch = again(|| store.gather_groups(now, BATCH)).await?;
        groups += batch;
        if batch < u64::from(BATCH) {
            break;
        }
    }
    loop {
        let batch = again(|| store.fan_out(now, BATCH)).await?;
        fanned_out.events += batch.events;
        fanned_out.deliveries += batch.deliveries;
        if batch.events < u64::from(BATCH) {
            return Ok((groups, fanned_out));
        }
    }
}

/// Writes what came of deliveries, and disables the webhooks that have failed for long enough.
pub(super) async fn write(context: &Context, results: Vec<AttemptRecord>) -> Result<Written, StoreError> {
    let mut written = Written::default();
    if results.is_empty() {
        return Ok(written);
    }
    let now = context.now();
    let recorded = again(|| context.store().record_attempts(&results, now)).await?;
    written.lost = (results.len() - recorded.len()) as u64;
    let mut failing = Vec::new();
    for recorded in recorded {
        let Some(record) = results.get(recorded.at) else { continue };
        match record.attempt.map(|attempt| attempt.judged.next) {
            Some(Next::Delivered) => written.delivered += 1,
            Some(Next::Retry(_)) => written.retried += 1,
            Some(Next::Failed) => written.failed += 1,
            None => {}
        }
        let key = (record.company, record.webhook);
        let standing = recorded.standing.filter(|_| !failing.contains(&key));
        if standing.is_some_and(|standing| is_disabled(standing.fallos_consecutivos, standing.racha_desde, now)) {
            failing.push(key);
        }
    }
    for (company, webhook) in failing {
        // Should this fail, the next failure of the webhook brings it here again.
        match context.perform(company, &Disable { webhook }).await {
            Ok(Some(discarded)) => {
                tracing::info!(empresa = company.0, webhook, discarded, "a webhook was disabled");
                written.disabled.push((company, webhook));
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(
                    empresa = company.0,
                    webhook,
                    cause = error.cause().map(tracing::field::display),
                    "a webhook could not be disabled"
                );
            }
        }
    }
    Ok(written)
}

/// Runs a statement again that collided with another.
async fn again<T, F>(mut statement: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let mut attempt = 1;
    loop {
        match statement().await {
            Err(StoreError::Transient(cause)) if attempt < ATTEMPTS => {
                crate::observe::retried();
                tracing::debug!(attempt, %cause, "statement collided, running it again");
                attempt += 1;
            }
            outcome => return outcome,
        }
    }
}
