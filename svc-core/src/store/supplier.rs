//! Suppliers.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::SupplierRecord;

/// Suppliers inside a transaction.
#[async_trait]
pub trait SupplierTx {
    /// Whether the company has that supplier, not deleted.
    async fn is_supplier(&mut self, proveedor: i64) -> Result<bool, StoreError>;

    /// Writes imported suppliers.
    async fn import_suppliers(&mut self, rows: &[SupplierRecord]) -> Result<(), StoreError>;
}
