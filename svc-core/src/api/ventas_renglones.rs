//! The lines of one sales document: `/ventas-renglones`.

use serde::Serialize;

use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::scope::Scope;
use crate::error::{Code, Error};
use crate::operation::filters::{exact, integer};
use crate::operation::{Keyed, List, ListSpec, Pages, Query};

/// A line of a sales document (contract §3); it never shows costs.
#[derive(Debug, Clone, Serialize)]
pub struct SaleLine {
    /// Key.
    pub clave: i64,
    /// The document.
    pub venta: i64,
    /// Number within the document.
    pub renglon: i64,
    /// The product.
    pub producto: Option<i64>,
    /// The product's SKU of today, else the one of the line.
    pub sku: Option<String>,
    /// Description.
    pub descripcion: Option<String>,
    /// Quantity; in an order, what was ordered.
    pub cantidad: Quantity,
    /// In an order, what was fulfilled; elsewhere without meaning.
    pub cantidad_surtida: Quantity,
    /// Unit.
    pub unidad: Option<String>,
    /// The SAT's key of the unit.
    pub unidad_sat: Option<String>,
    /// The SAT's code of the product or service.
    pub codigo_sat: Option<String>,
    /// The SAT's tax object.
    pub objeto_impuesto: Option<String>,
    /// Price of one unit.
    pub precio_unitario: Money,
    /// Discount.
    pub descuento: Money,
    /// Before discount and taxes.
    pub subtotal: Money,
    /// Rate of the IVA ("0.160000"), or `exento`.
    pub iva_tasa: Option<String>,
    /// The IVA.
    pub iva: Money,
    /// What is to be paid for it.
    pub total: Money,
}

impl Keyed for SaleLine {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists the lines of one document.
pub struct SaleLines;

/// The filters of [`SaleLines`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum SaleLineFilter {
    Venta(i64),
    Sku(String),
}

use SaleLineFilter as F;

impl List for SaleLines {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/ventas-renglones",
        Scope::VentasRead,
        Pages::Earlier,
        &[integer("venta", F::Venta), exact("sku", F::Sku)],
    )
    .summary("List the lines of a sales document");
    type Path = ();
    type Filter = F;
    type Item = SaleLine;

    /// One document a query.
    fn settle(query: &mut Query<F>) -> Result<(), Error> {
        if query.filters.iter().any(|filter| matches!(filter, F::Venta(_))) {
            return Ok(());
        }
        Err(Error::field(Code::FiltroRequerido, "venta", "es obligatorio"))
    }
}
