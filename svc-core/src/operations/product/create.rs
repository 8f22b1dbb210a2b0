//! `POST /productos`.

use schemars::JsonSchema;
use serde::Serialize;

use super::{WRITE_ERRORS, validate};
use crate::domain::event::{Event, EventKind};
use crate::domain::scope::Scope;
use crate::error::Error;
use crate::operation::{Cx, Http, Operation, Spec};
use crate::record::product::{CreateProduct, ProductData};

/// The answer of [`CreateProduct`].
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct ProductCreated {
    /// The product's clave.
    pub producto: i64,
    /// The product's SKU.
    pub sku: Option<String>,
}

impl Operation for CreateProduct {
    const SPEC: Spec = Spec::new()
        .named("product.create")
        .http(Http::post("/productos", Scope::ProductosWrite))
        .emits(&[EventKind::ProductoCreado])
        .errors(WRITE_ERRORS);
    type Output = ProductCreated;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<ProductCreated, Error> {
        let data = ProductData::from(self);
        validate(cx, &data, &ProductData::default()).await?;
        let producto = cx.tx.insert_product(&data, cx.now).await?;
        cx.emit(&Event::ProductoCreado { producto, sku: data.sku.clone() }).await?;
        Ok(ProductCreated { producto, sku: data.sku })
    }
}
