//! Products.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::sale::{ListPrice, SaleProduct};
use crate::domain::time::Timestamp;
use crate::record::product::ProductData;

/// Products inside a transaction.
#[async_trait]
pub trait ProductTx {
    /// Inserts an active product under the company's next clave, which is also its folio, and returns it.
    /// Fails with [`super::Conflict::Sku`] when another active product has the SKU.
    async fn insert_product(&mut self, data: &ProductData, creado: Timestamp) -> Result<i64, StoreError>;

    /// A product's data, locked until the end.
    async fn product(&mut self, clave: i64) -> Result<Option<ProductData>, StoreError>;

    /// The same of a product that is not deleted.
    async fn live_product(&mut self, clave: i64) -> Result<Option<ProductData>, StoreError>;

    /// Updates a product's data. Fails with [`super::Conflict::Sku`] when another active product has the SKU.
    async fn update_product(&mut self, clave: i64, data: &ProductData, modificado: Timestamp)
    -> Result<(), StoreError>;

    /// Marks a product as deleted; `false` when it does not exist or is already deleted.
    async fn delete_product(&mut self, clave: i64, modificado: Timestamp) -> Result<bool, StoreError>;

    /// Whether that unit is active and has a key of the SAT's catalogue.
    async fn is_usable_unit(&mut self, unidad: i64) -> Result<bool, StoreError>;

    /// Whether the company has that category.
    async fn has_category(&mut self, categoria: i64) -> Result<bool, StoreError>;

    /// Whether the category `below` is `categoria` or lies below it.
    async fn is_category_below(&mut self, below: i64, categoria: i64) -> Result<bool, StoreError>;

    /// The products with one of these claves or one of these SKUs, except deleted ones, in any order.
    async fn sale_products(&mut self, claves: &[i64], skus: &[&str]) -> Result<Vec<SaleProduct>, StoreError>;

    /// The prices of these products on these price lists in a currency, in ascending order of clave.
    async fn list_prices(
        &mut self,
        productos: &[i64],
        listas: &[i64],
        moneda: &str,
    ) -> Result<Vec<ListPrice>, StoreError>;
}
