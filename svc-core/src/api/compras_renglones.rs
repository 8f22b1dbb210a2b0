//! The lines of a purchase order: `/compras-renglones`.

use serde::Serialize;

use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::scope::Scope;
use crate::error::{Code, Error};
use crate::operation::filters::integer;
use crate::operation::{Keyed, List, ListSpec, Pages, Query};

/// A line of a purchase order (contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct PurchaseLine {
    /// Key.
    pub clave: i64,
    /// The purchase order.
    pub compra: i64,
    /// The line's number within it, from 1.
    pub renglon: i64,
    /// The product.
    pub producto: Option<i64>,
    /// The product's SKU.
    pub sku: Option<String>,
    /// What is bought.
    pub descripcion: Option<String>,
    /// How much was ordered.
    pub cantidad: Quantity,
    /// How much of it has come.
    pub cantidad_recibida: Quantity,
    /// Unit.
    pub unidad: Option<String>,
    /// The cost of one unit.
    pub costo_unitario: Money,
    /// Discount.
    pub descuento: Money,
    /// Quantity by cost, before discount.
    pub subtotal: Money,
    /// IVA.
    pub iva: Money,
    /// What is to be paid.
    pub total: Money,
}

impl Keyed for PurchaseLine {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists the lines of one purchase order.
pub struct PurchaseLines;

/// The filter of [`PurchaseLines`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "it is the filter of its name in the table below")]
pub enum PurchaseLineFilter {
    Compra(i64),
}

use PurchaseLineFilter as F;

impl List for PurchaseLines {
    const SPEC: ListSpec<F> =
        ListSpec::new("/compras-renglones", Scope::ComprasRead, Pages::Earlier, &[integer("compra", F::Compra)])
            .summary("List the lines of a purchase order");
    type Path = ();
    type Filter = F;
    type Item = PurchaseLine;

    /// One document a query.
    fn settle(query: &mut Query<F>) -> Result<(), Error> {
        if query.filters.is_empty() {
            return Err(Error::field(Code::FiltroRequerido, "compra", "es obligatorio"));
        }
        Ok(())
    }
}
