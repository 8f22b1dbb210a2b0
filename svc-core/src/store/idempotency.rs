//! Idempotency-Keys: which write each stands for, and what it was answered (contract §4).

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};

use super::StoreError;

/// How long the answer to a write is kept under its Idempotency-Key (contract §4).
pub const ANSWERS_KEPT: TimeDelta = TimeDelta::days(7);

/// What became of the claim on an Idempotency-Key.
#[derive(Debug)]
pub enum Claim {
    /// The key was free and is now this transaction's.
    New,
    /// A write with this key was answered before.
    Done {
        /// What that write's data were.
        fingerprint: [u8; 32],
        /// The body it was answered with, byte for byte.
        body: Bytes,
    },
}

/// Idempotency-Keys inside the transaction of the effect.
#[async_trait]
pub trait IdempotencyTx {
    /// Claims `name` for the API key `suffix`. While another transaction holds the claim this waits for it;
    /// past the store's lock timeout it is [`StoreError::Busy`]. A claim older than `expired` is free again.
    async fn claim(
        &mut self,
        suffix: &str,
        name: &str,
        fingerprint: &[u8; 32],
        now: DateTime<Utc>,
        expired: DateTime<Utc>,
    ) -> Result<Claim, StoreError>;

    /// Stores the body that this transaction's claim is answered with.
    async fn remember(&mut self, suffix: &str, name: &str, body: &[u8]) -> Result<(), StoreError>;
}
