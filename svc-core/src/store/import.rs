//! Bulk loading: many records in one statement, with savepoints to find the one that is wrong.

use async_trait::async_trait;

use super::StoreError;
use crate::backoffice::import::{BrandRecord, CategoryRecord, CustomerRecord, ProductRecord, UnitRecord};
use crate::domain::time::Timestamp;

/// Tables whose records may name another of the same table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parents {
    /// `productos.clave_padre`
    Products,
    /// `categorias.padre`
    Categories,
}

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

    /// Lets records name parents that come later in the file; [`ImportTx::missing`] tells which never came.
    async fn defer_parents(&mut self) -> Result<(), StoreError>;

    /// Those of `claves` that no record of the company has.
    async fn missing(&mut self, parents: Parents, claves: &[i64]) -> Result<Vec<i64>, StoreError>;

    /// Customers.
    async fn import_customers(&mut self, rows: &[CustomerRecord], now: Timestamp) -> Result<(), StoreError>;

    /// Products; brands, categories and units by name (units by clave too) must exist.
    async fn import_products(&mut self, rows: &[ProductRecord], now: Timestamp) -> Result<(), StoreError>;

    /// Brands.
    async fn import_brands(&mut self, rows: &[BrandRecord]) -> Result<(), StoreError>;

    /// Categories.
    async fn import_categories(&mut self, rows: &[CategoryRecord]) -> Result<(), StoreError>;

    /// Units.
    async fn import_units(&mut self, rows: &[UnitRecord]) -> Result<(), StoreError>;
}
