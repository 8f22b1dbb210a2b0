//! Bulk loading: many records in one statement, with savepoints to find the one that is wrong.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::{BrandRecord, CategoryRecord, CustomerRecord, ProductRecord, UnitRecord};
use crate::domain::time::Timestamp;

/// Imports inside a transaction. Each writes all of `rows` or fails; a row without clave gets the next one, and
/// claves given by a row move the company's counter past them.
#[async_trait]
pub trait ImportTx {
    /// Marks a point to come back to.
    async fn savepoint(&mut self) -> Result<(), StoreError>;

    /// Undoes everything since the savepoint, which stays.
    async fn back_to_savepoint(&mut self) -> Result<(), StoreError>;

    /// Forgets the savepoint; what was done since stays.
    async fn release_savepoint(&mut self) -> Result<(), StoreError>;

    /// Customers.
    async fn import_customers(&mut self, rows: &[CustomerRecord], now: Timestamp) -> Result<(), StoreError>;

    /// Products; brands, categories and units by name (units by clave too) must exist.
    async fn import_products(&mut self, rows: &[ProductRecord], now: Timestamp) -> Result<(), StoreError>;

    /// Brands.
    async fn import_brands(&mut self, rows: &[BrandRecord]) -> Result<(), StoreError>;

    /// Categories; parents come before their children.
    async fn import_categories(&mut self, rows: &[CategoryRecord]) -> Result<(), StoreError>;

    /// Units.
    async fn import_units(&mut self, rows: &[UnitRecord]) -> Result<(), StoreError>;
}
