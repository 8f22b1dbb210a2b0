//! `PUT /productos/{clave}`.

use schemars::JsonSchema;
use serde::Serialize;

use super::{WRITE_ERRORS, validate};
use crate::domain::event::{Event, EventKind};
use crate::domain::scope::Scope;
use crate::error::{Code, Error};
use crate::operation::{Cx, Http, Operation, Spec};
use crate::record::product::EditProduct;
use crate::store::Renamed;

/// The answer of [`EditProduct`].
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct ProductEdited {
    /// The product's clave.
    pub producto: i64,
}

impl Operation for EditProduct {
    const SPEC: Spec = Spec::new()
        .named("product.edit")
        .each_time()
        .http(Http::put("/productos/{clave}", Scope::ProductosWrite))
        .emits(&[EventKind::ProductoActualizado])
        .errors(WRITE_ERRORS);
    type Output = ProductEdited;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<ProductEdited, Error> {
        let producto = self.clave;
        let before = cx.tx.live_product(producto).await?.ok_or(Code::NoEncontrado)?;
        let mut after = before.clone();
        after.edit(self);
        validate(cx, &after, &before).await?;
        // The table has this rule for active products; an inactive one may not take their SKU either.
        if after.sku != before.sku
            && let Some(sku) = &after.sku
            && cx.tx.is_active_sku(sku).await?
        {
            return Err(Code::SkuDuplicado.into());
        }
        if after != before {
            cx.tx.update_product(producto, &after, cx.now).await?;
            if after.sku != before.sku {
                cx.tx.mark_renamed(Renamed::Product(producto), cx.now).await?;
            }
            cx.emit(&Event::ProductoActualizado { producto, sku: after.sku }).await?;
        }
        Ok(ProductEdited { producto })
    }
}
