//! Products.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::product::ProductData;
use crate::domain::sale::{ListPrice, SaleProduct};
use crate::domain::time::Timestamp;

/// Products inside a transaction.
#[async_trait]
pub trait ProductTx {
    /// Writes a new active product under the company's next clave and gives it; its folio is that clave.
    /// A SKU that another active product has is [`super::Conflict::Sku`].
    async fn insert_product(&mut self, data: &ProductData, creado: Timestamp) -> Result<i64, StoreError>;

    /// A product's data, locked against other changes until the end.
    async fn product(&mut self, clave: i64) -> Result<Option<ProductData>, StoreError>;

    /// Writes a product's changed data. A SKU that another active product has is [`super::Conflict::Sku`].
    async fn update_product(&mut self, clave: i64, data: &ProductData, modificado: Timestamp)
    -> Result<(), StoreError>;

    /// Marks a product as deleted; `false` when it is already, or there is none.
    async fn delete_product(&mut self, clave: i64, modificado: Timestamp) -> Result<bool, StoreError>;

    /// Whether that unit is active and has a key of the SAT's catalogue.
    async fn is_usable_unit(&mut self, unidad: i64) -> Result<bool, StoreError>;

    /// Whether the company has that category.
    async fn has_category(&mut self, categoria: i64) -> Result<bool, StoreError>;

    /// The products, deleted ones left out, that have one of these claves or one of these SKUs.
    async fn sale_products(&mut self, claves: &[i64], skus: &[&str]) -> Result<Vec<SaleProduct>, StoreError>;

    /// The prices of these products on these lists in a currency, in the order of their claves.
    async fn list_prices(
        &mut self,
        productos: &[i64],
        listas: &[i64],
        moneda: &str,
    ) -> Result<Vec<ListPrice>, StoreError>;
}
