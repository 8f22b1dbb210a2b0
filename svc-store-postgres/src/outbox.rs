//! Events waiting for the webhooks. A transaction collects them, and writes them with its answer.

use async_trait::async_trait;
use svc_core::store::{NewEvent, OutboxTx, StoreError};

use crate::transaction::PostgresTx;

#[async_trait]
impl OutboxTx for PostgresTx {
    async fn append_events(&mut self, events: Vec<NewEvent>) -> Result<(), StoreError> {
        self.unwritten.single.extend(events);
        Ok(())
    }

    async fn group_events(&mut self, events: Vec<NewEvent>) -> Result<(), StoreError> {
        self.unwritten.grouped.extend(events);
        Ok(())
    }
}
