//! Lists, read in a transaction.

use async_trait::async_trait;

use super::{EachRow, StoreError};
use crate::record::{ListSpec, Query};

/// Reads of lists that see what the transaction has written.
#[async_trait]
pub trait ListTx {
    /// As [`Reader::page`](super::Reader::page), without waiting for locks.
    async fn list(&mut self, list: &'static ListSpec, query: &Query, each: EachRow<'_>) -> Result<(), StoreError>;
}
