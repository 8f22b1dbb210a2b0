//! Sales documents and their lines.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::{SaleLineRecord, SaleRecord};
use crate::domain::time::Timestamp;

/// Sales documents and their lines inside a transaction.
#[async_trait]
pub trait SaleTx {
    /// The next folio of documents of a type and series: without gaps, since the series is this transaction's until its end.
    async fn next_folio(&mut self, tipo: &'static str, serie: &str) -> Result<i64, StoreError>;

    /// Writes imported sales documents; folios go on after theirs.
    async fn import_sales(&mut self, rows: &[SaleRecord], now: Timestamp) -> Result<(), StoreError>;

    /// Writes imported lines; one without number gets the document's next.
    async fn import_sale_lines(&mut self, rows: &[SaleLineRecord]) -> Result<(), StoreError>;
}
