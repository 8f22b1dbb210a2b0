//! Sales documents and their lines.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::{SaleLineRecord, SaleRecord};
use crate::domain::time::Timestamp;

/// Sales documents and their lines inside a transaction.
#[async_trait]
pub trait SaleTx {
    /// Writes imported sales documents.
    async fn import_sales(&mut self, rows: &[SaleRecord], now: Timestamp) -> Result<(), StoreError>;

    /// Writes imported lines; one without number gets the document's next.
    async fn import_sale_lines(&mut self, rows: &[SaleLineRecord]) -> Result<(), StoreError>;
}
