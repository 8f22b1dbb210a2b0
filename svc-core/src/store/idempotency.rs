//! Idempotency-Keys: the fingerprint of the request of each, and its stored answer (contract §4).

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};

use super::StoreError;

/// How long the answer to a write is kept under its Idempotency-Key (contract §4).
pub(crate) const ANSWERS_KEPT: TimeDelta = TimeDelta::days(7);

/// The outcome of claiming an Idempotency-Key.
#[derive(Debug)]
pub enum Claim {
    /// The key was free; this transaction holds it now.
    New,
    /// A request with this key was answered before.
    Done {
        /// The fingerprint of that request (SHA-256).
        fingerprint: [u8; 32],
        /// Its stored answer, byte for byte.
        body: Bytes,
    },
}

/// Idempotency-Keys, in the transaction of the write that they protect.
#[async_trait]
pub trait IdempotencyTx {
    /// Claims the Idempotency-Key `name` of the API key `suffix`. It waits while another
    /// transaction holds the claim; past the store's lock timeout the error is
    /// [`StoreError::Busy`]. A claim made before `expired` counts as free.
    async fn claim(
        &mut self,
        suffix: &str,
        name: &str,
        fingerprint: &[u8; 32],
        now: DateTime<Utc>,
        expired: DateTime<Utc>,
    ) -> Result<Claim, StoreError>;

    /// Stores the answer to the request whose key this transaction claimed at `now`.
    async fn remember(&mut self, suffix: &str, name: &str, now: DateTime<Utc>, body: &[u8]) -> Result<(), StoreError>;
}
