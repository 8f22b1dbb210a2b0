//! Suppliers.

use async_trait::async_trait;

use super::StoreError;

/// Suppliers inside a transaction.
#[async_trait]
pub trait SupplierTx {
    /// Whether the company has that supplier, not deleted.
    async fn is_supplier(&mut self, proveedor: i64) -> Result<bool, StoreError>;
}
