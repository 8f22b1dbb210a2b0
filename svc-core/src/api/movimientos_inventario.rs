//! The ledger of stock (kardex): `/movimientos-inventario`.

use serde::Serialize;

use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::domain::words::{Direction, MovementKind};
use crate::error::{Code, Error};
use crate::operation::filters::{choice, exact, integer};
use crate::operation::{Keyed, List, ListSpec, Pages, Query};

/// The kind that stands for those that are not listed (spec, "Inventory movement").
pub const UNKNOWN_KIND: &str = "desconocido";

/// A movement of stock (spec, "Inventory movement"; contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct Movement {
    /// Key.
    pub clave: i64,
    /// When it happened.
    pub fecha: Timestamp,
    /// What happened: a [`MovementKind`] or [`UNKNOWN_KIND`].
    pub tipo: &'static str,
    /// Whether it adds or subtracts.
    pub sentido: Option<Direction>,
    /// The product.
    pub producto: Option<i64>,
    /// The product's SKU, else the one it had.
    pub sku: Option<String>,
    /// How much was moved, never negative.
    pub cantidad: Quantity,
    /// The warehouse's stock before.
    pub existencia_anterior: Quantity,
    /// The warehouse's stock afterwards.
    pub existencia_actual: Quantity,
    /// The warehouse, exactly as it was written down.
    pub almacen: String,
    /// The other warehouse of a transfer, exactly as it was written down.
    pub almacen_destino: Option<String>,
    /// The sale it belongs to.
    pub venta: Option<i64>,
    /// The purchase it belongs to.
    pub compra: Option<i64>,
    /// The cost of one unit.
    pub costo_unitario: Option<Money>,
    /// The cost of all of it.
    pub importe: Option<Money>,
    /// A reference.
    pub referencia: Option<String>,
}

impl Keyed for Movement {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists the ledger of one product or one document.
pub struct Movements;

/// The filters of [`Movements`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum MovementFilter {
    Clave(i64),
    Sku(String),
    Venta(i64),
    Tipo(&'static str),
}

use MovementFilter as F;

impl List for Movements {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/movimientos-inventario",
        Scope::KardexRead,
        Pages::Earlier,
        &[
            integer("clave", F::Clave),
            exact("sku", F::Sku),
            integer("venta", F::Venta),
            choice("tipo", MovementKind::WORDS, F::Tipo),
        ],
    )
    .summary("List the stock movements of a product or document");
    type Path = ();
    type Filter = F;
    type Item = Movement;

    /// The ledger is read for one product or one document, not as a whole (spec, `GET /movimientos-inventario`).
    fn settle(query: &mut Query<F>) -> Result<(), Error> {
        if query.filters.iter().any(|filter| matches!(filter, F::Clave(_) | F::Sku(_) | F::Venta(_))) {
            return Ok(());
        }
        Err(Error::new(Code::FiltroRequerido).message("hace falta sku, venta o clave"))
    }
}
