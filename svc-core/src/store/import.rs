//! Bulk loading: many records in one statement, with savepoints to find the one that is wrong.
//!
//! Each aggregate's transaction trait has an `import_…` method: it writes all of its rows or fails, a row without clave
//! gets the next one, and claves that rows bring along move the company's counter past them.

use async_trait::async_trait;

use super::StoreError;

/// Tables whose records may name another of the same table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parents {
    /// `productos.clave_padre`
    Products,
    /// `categorias.padre`
    Categories,
}

/// What imports of every kind need of a transaction.
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
}
