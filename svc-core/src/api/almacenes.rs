//! Warehouses: `/almacenes`.

use serde::Serialize;

use crate::domain::scope::Scope;
use crate::domain::words::WarehouseStatus;
use crate::operation::filters::{boolean, choice, integer, sized};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A warehouse (spec, "Warehouse"; contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct Warehouse {
    /// Key.
    pub clave: i64,
    /// Its code of three characters.
    pub codigo: String,
    /// Name.
    pub nombre: Option<String>,
    /// The branch it belongs to.
    pub sucursal: i64,
    /// Whether it is the main one.
    pub principal: bool,
    /// `activo`, `inactivo` or `eliminado`.
    pub estatus: String,
}

impl Keyed for Warehouse {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists warehouses; deleted ones only when asked for.
pub struct Warehouses;

/// The filters of [`Warehouses`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum WarehouseFilter {
    Clave(i64),
    Codigo(String),
    Sucursal(i64),
    Principal(bool),
    Estatus(&'static str),
}

use WarehouseFilter as F;

impl List for Warehouses {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/almacenes",
        Scope::InventarioRead,
        Pages::Earlier,
        &[
            integer("clave", F::Clave),
            sized("codigo", 3, 3, F::Codigo),
            integer("sucursal", F::Sucursal),
            boolean("principal", F::Principal),
            choice("estatus", WarehouseStatus::WORDS, F::Estatus),
        ],
    )
    .summary("List warehouses");
    type Path = ();
    type Filter = F;
    type Item = Warehouse;
}
