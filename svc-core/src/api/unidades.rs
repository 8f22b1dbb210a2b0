//! Units of measure: `/unidades`.

use serde::Serialize;

use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::operation::filters::{choice, integer};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A unit of measure (contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct Unit {
    /// Key.
    pub clave: i64,
    /// Name.
    pub nombre: String,
    /// Key of the SAT's catalogue; a product's unit needs one.
    pub clave_sat: Option<String>,
    /// `activo` or `inactivo`.
    pub estatus: String,
}

impl Keyed for Unit {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists units.
pub struct Units;

/// The filters of [`Units`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum UnitFilter {
    Clave(i64),
    Estatus(&'static str),
}

use UnitFilter as F;

impl List for Units {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/unidades",
        Scope::ProductosRead,
        Pages::Earlier,
        &[integer("clave", F::Clave), choice("estatus", Status::WORDS, F::Estatus)],
    )
    .summary("List units of measure");
    type Path = ();
    type Filter = F;
    type Item = Unit;
}
