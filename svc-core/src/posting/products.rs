//! Finds the products that bodies name.

use std::collections::HashMap;

use crate::domain::sale::SaleProduct;
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::DeletedProducts;

/// A product as a body names it, by clave or SKU, and where in the body.
#[derive(Debug)]
pub(crate) struct ProductName<'b> {
    producto: Option<i64>,
    sku: Option<&'b str>,
    /// The index of the line; `None` if the body itself names it.
    line: Option<usize>,
}

impl<'b> ProductName<'b> {
    /// Named in the line at `at`.
    pub(crate) fn of_line(at: usize, producto: Option<i64>, sku: Option<&'b str>) -> Self {
        Self { producto, sku, line: Some(at) }
    }

    /// Named in the body itself.
    pub(crate) fn of_body(producto: Option<i64>, sku: Option<&'b str>) -> Self {
        Self { producto, sku, line: None }
    }

    /// Requires exactly one of clave and SKU.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        match (self.producto, self.sku) {
            (Some(_), Some(_)) => Err(self.fault(Code::DatoInvalido, "sku", "va producto o sku, no ambos")),
            (None, None) => Err(self.fault(Code::DatoRequerido, "producto", "hace falta producto o sku")),
            _ => Ok(()),
        }
    }

    /// Requires the product to be for sale.
    pub(crate) fn validate_active(&self, product: &SaleProduct) -> Result<(), Error> {
        if product.activo { Ok(()) } else { Err(self.unknown("no es un producto activo de la empresa")) }
    }

    /// Requires a product that a warehouse can hold.
    pub(crate) fn validate_stock(&self, product: &SaleProduct) -> Result<(), Error> {
        if product.has_stock() { Ok(()) } else { Err(self.unknown("no es un producto con existencia")) }
    }

    fn unknown(&self, text: &str) -> Error {
        self.fault(Code::ProductoInvalido, if self.producto.is_some() { "producto" } else { "sku" }, text)
    }

    fn fault(&self, code: Code, field: &str, text: &str) -> Error {
        match self.line {
            Some(at) => Error::field(code, &format!("renglones[{at}].{field}"), text),
            None => Error::field(code, field, text),
        }
    }
}

/// Finds the products, one per name.
pub(crate) async fn find_products(
    cx: &mut Cx<'_>,
    names: &[ProductName<'_>],
    deleted: DeletedProducts,
) -> Result<Vec<SaleProduct>, Error> {
    let claves: Vec<i64> = names.iter().filter_map(|name| name.producto).collect();
    let skus: Vec<&str> = names.iter().filter_map(|name| name.sku).collect();
    let found = cx.tx.sale_products(&claves, &skus, deleted).await?;
    let by_clave: HashMap<i64, &SaleProduct> = found.iter().map(|product| (product.clave, product)).collect();
    let mut by_sku: HashMap<&str, Vec<&SaleProduct>> = HashMap::new();
    for product in &found {
        if let Some(sku) = product.sku.as_deref() {
            by_sku.entry(sku).or_default().push(product);
        }
    }
    let resolve = |name: &ProductName<'_>| {
        let product = match (name.producto, name.sku) {
            (Some(clave), _) => by_clave.get(&clave).copied(),
            (None, sku) => match sku.and_then(|sku| by_sku.get(sku)).map_or(&[][..], Vec::as_slice) {
                [product] => Some(*product),
                [] => None,
                _ => return Err(name.fault(Code::SkuAmbiguo, "sku", "es de varios productos; use producto")),
            },
        };
        product.cloned().ok_or_else(|| name.unknown("no es un producto activo de la empresa"))
    };
    names.iter().map(resolve).collect()
}
