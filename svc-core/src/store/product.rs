//! Products.

use async_trait::async_trait;

use super::StoreError;
use crate::api::productos::{Product, ProductFilter};
use crate::operation::Query;

/// Reads of products.
#[async_trait]
pub trait ProductReader: Send + Sync {
    /// A page of products: at most `query.limit + 1` records in the order of their claves.
    async fn products(&self, query: &Query<ProductFilter>) -> Result<Vec<Product>, StoreError>;
}
