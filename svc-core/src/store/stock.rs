//! Branches, warehouses, stock and its ledger.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::{BranchRecord, MovementRecord, StockRecord, WarehouseRecord};
use crate::domain::time::Timestamp;

/// Branches, warehouses, stock and its ledger inside a transaction.
#[async_trait]
pub trait StockTx {
    /// Writes imported branches.
    async fn import_branches(&mut self, rows: &[BranchRecord]) -> Result<(), StoreError>;

    /// Writes imported warehouses.
    async fn import_warehouses(&mut self, rows: &[WarehouseRecord]) -> Result<(), StoreError>;

    /// Writes imported stock. A warehouse is named by its code and must exist.
    async fn import_stock(&mut self, rows: &[StockRecord], now: Timestamp) -> Result<(), StoreError>;

    /// Writes imported movements of stock; stock itself stays as it is. What they refer to need not exist.
    async fn import_movements(&mut self, rows: &[MovementRecord], now: Timestamp) -> Result<(), StoreError>;
}
