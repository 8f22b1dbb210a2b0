//! The statements of a delivery pass: writing results, making events and deliveries, claiming.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::claimed::WebhookKey;
use super::disable::Disable;
use super::schedule::{PROBE_AFTER, is_disabled};
use crate::context::Context;
use crate::domain::time::Timestamp;
use crate::domain::webhook::Next;
use crate::store::{AttemptRecord, ClaimedDelivery, DeliveryClaim, FannedOut, Store, StoreError};

/// Groups or events per statement.
const BATCH: u32 = 1_000;

/// How often a statement that collides with others is run at the most.
const ATTEMPTS: u32 = 4;

/// A request for more deliveries.
pub(super) struct ClaimRequest {
    /// Whether to make events and deliveries first.
    pub(super) new_events: bool,
    /// Deliveries to claim at the most, of all webhooks.
    pub(super) most: u32,
    /// The same of one healthy webhook.
    pub(super) each: u32,
    /// Webhooks to leave out.
    pub(super) busy: Vec<WebhookKey>,
    pub(super) now: DateTime<Utc>,
    pub(super) token: Uuid,
    /// When the lease ends.
    pub(super) until: DateTime<Utc>,
}

/// The answer to a [`ClaimRequest`].
pub(super) struct ClaimAnswer {
    pub(super) request: ClaimRequest,
    pub(super) written: Written,
    /// Groups that became events.
    pub(super) groups: u64,
    pub(super) fanned_out: FannedOut,
    pub(super) claimed: Vec<ClaimedDelivery>,
}

/// Results by outcome: delivered, to be retried, failed for good, or lost because another worker held the lease by then.
#[derive(Default)]
pub(super) struct Written {
    pub(super) delivered: u64,
    pub(super) retried: u64,
    pub(super) failed: u64,
    pub(super) lost: u64,
    /// Webhooks that were disabled.
    pub(super) disabled: Vec<WebhookKey>,
}

/// Writes results, makes new events and deliveries if `request` says so, and claims.
pub(super) async fn write_and_claim(
    context: &Context,
    results: Vec<AttemptRecord>,
    request: ClaimRequest,
) -> Result<ClaimAnswer, StoreError> {
    let store = context.store();
    let written = write_results(context, results).await?;
    let (mut groups, mut fanned_out) = (0, FannedOut::default());
    let now = Timestamp::new(request.now);
    if request.new_events {
        (groups, fanned_out) = make_deliveries(store, now).await?;
    }
    let ClaimRequest { most, each, now, token, until, .. } = request;
    let claim = DeliveryClaim { most, each, probe_after: PROBE_AFTER, busy: &request.busy, now, token, until };
    let claimed = with_retries(|| store.claim_deliveries(&claim)).await?;
    Ok(ClaimAnswer { request, written, groups, fanned_out, claimed })
}

/// Makes events of all groups that are due, and deliveries of all new events.
async fn make_deliveries(store: &dyn Store, now: Timestamp) -> Result<(u64, FannedOut), StoreError> {
    let (mut groups, mut fanned_out) = (0, FannedOut::default());
    loop {
        let batch = with_retries(|| store.gather_groups(now, BATCH)).await?;
        groups += batch;
        if batch < u64::from(BATCH) {
            break;
        }
    }
    loop {
        let batch = with_retries(|| store.fan_out(now, BATCH)).await?;
        fanned_out.events += batch.events;
        fanned_out.deliveries += batch.deliveries;
        if batch.events < u64::from(BATCH) {
            return Ok((groups, fanned_out));
        }
    }
}

/// Writes the results of attempts, and disables the webhooks that have failed for too long (contract §6).
pub(super) async fn write_results(context: &Context, results: Vec<AttemptRecord>) -> Result<Written, StoreError> {
    let mut written = Written::default();
    if results.is_empty() {
        return Ok(written);
    }
    let now = context.now();
    let recorded = with_retries(|| context.store().record_attempts(&results, now)).await?;
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
        // If this fails, the next failed delivery of the webhook tries again.
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

/// Runs a statement, and again if it collides with another.
async fn with_retries<T, F>(mut statement: impl FnMut() -> F) -> Result<T, StoreError>
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
