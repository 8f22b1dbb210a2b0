//! Deleting products.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::event::{Event, EventKind};
use crate::error::{Code, Error};
use crate::operation::{Cx, Operation, Spec};

/// Deletes a product. Only the filter `estatus=eliminado` lists it afterwards, and its SKU can be
/// used again. Records that refer to it remain.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteProduct {
    /// The clave of the product.
    pub clave: i64,
}

/// The product that was deleted.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ProductRef {
    /// The product's clave.
    pub producto: i64,
}

impl Operation for DeleteProduct {
    const SPEC: Spec = Spec::new().named("product.delete").each_time().emits(&[EventKind::ProductoActualizado]);
    type Output = ProductRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<ProductRef, Error> {
        let producto = self.clave;
        let data = cx.tx.product(producto).await?.ok_or(Code::NoEncontrado)?;
        if !cx.tx.delete_product(producto, cx.now).await? {
            return Err(Error::field(Code::EstadoInvalido, "clave", "el producto ya está eliminado"));
        }
        cx.emit(&Event::ProductoActualizado { producto, sku: data.sku }).await?;
        Ok(ProductRef { producto })
    }
}
