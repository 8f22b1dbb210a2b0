//! Stock: `/inventario`, a row per product and warehouse.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::domain::quantity::Quantity;
use crate::domain::scope::Scope;
use crate::domain::time::{Edge, Timestamp};
use crate::operation::filters::{exact, instant, integer, sized};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// What a warehouse holds of a product, whatever the product's status (spec, "Stock record"; contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct Stock {
    /// Key.
    pub clave: i64,
    /// The product.
    pub producto: i64,
    /// The product's SKU.
    pub sku: Option<String>,
    /// The warehouse's code of three characters.
    pub almacen: String,
    /// The warehouse's branch.
    pub sucursal: i64,
    /// How much there is.
    pub existencia: Quantity,
    /// How much is reserved, signed.
    pub apartado: Quantity,
    /// The least that is shown as available.
    pub minimo: Quantity,
    /// How much is available: see [`crate::domain::stock::available`].
    pub disponible: Quantity,
    /// When it was changed last.
    pub modificado: Option<Timestamp>,
}

impl Keyed for Stock {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists stock.
pub struct Stocks;

/// The filters of [`Stocks`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum StockFilter {
    Clave(i64),
    Sku(String),
    Almacen(String),
    Sucursal(i64),
    ModificadoDesde(DateTime<Utc>),
}

use StockFilter as F;

impl List for Stocks {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/inventario",
        Scope::InventarioRead,
        Pages::Earlier,
        &[
            integer("clave", F::Clave),
            exact("sku", F::Sku),
            sized("almacen", 3, 3, F::Almacen),
            integer("sucursal", F::Sucursal),
            instant("modificado_desde", Edge::From, F::ModificadoDesde),
        ],
    )
    .summary("List stock");
    type Path = ();
    type Filter = F;
    type Item = Stock;
}
