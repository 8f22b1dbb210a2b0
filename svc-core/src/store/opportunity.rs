//! The CRM's funnel: stages, reasons for losing, opportunities.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::{LossReasonRecord, OpportunityRecord, StageRecord};
use crate::domain::time::Timestamp;

/// The CRM's funnel inside a transaction.
#[async_trait]
pub trait OpportunityTx {
    /// Writes imported stages.
    async fn import_stages(&mut self, rows: &[StageRecord]) -> Result<(), StoreError>;

    /// Writes imported reasons for losing.
    async fn import_loss_reasons(&mut self, rows: &[LossReasonRecord]) -> Result<(), StoreError>;

    /// Writes imported opportunities. Each has the status of its stage, and a reason for losing only when it is lost.
    async fn import_opportunities(&mut self, rows: &[OpportunityRecord], now: Timestamp) -> Result<(), StoreError>;
}
