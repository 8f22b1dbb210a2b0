//! What products are described and priced by: units, brands, the category tree, price lists.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::{BrandRecord, CategoryRecord, PriceRecord, UnitRecord};
use crate::domain::time::Timestamp;

/// The catalogue inside a transaction.
#[async_trait]
pub trait CatalogueTx {
    /// Writes imported units.
    async fn import_units(&mut self, rows: &[UnitRecord]) -> Result<(), StoreError>;

    /// Writes imported brands.
    async fn import_brands(&mut self, rows: &[BrandRecord]) -> Result<(), StoreError>;

    /// Writes imported categories.
    async fn import_categories(&mut self, rows: &[CategoryRecord]) -> Result<(), StoreError>;

    /// Writes imported prices; a price list that does not exist is made.
    async fn import_prices(&mut self, rows: &[PriceRecord], now: Timestamp) -> Result<(), StoreError>;
}
