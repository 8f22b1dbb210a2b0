//! Branches: `/sucursales`.

use serde::Serialize;

use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::operation::filters::{choice, integer};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A branch (contract §3); head office is branch 0.
#[derive(Debug, Clone, Serialize)]
pub struct Branch {
    /// Key.
    pub clave: i64,
    /// Name.
    pub nombre: Option<String>,
    /// Postal code.
    pub cp: Option<String>,
    /// `activo` or `inactivo`.
    pub estatus: String,
}

impl Keyed for Branch {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists branches.
pub struct Branches;

/// The filters of [`Branches`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum BranchFilter {
    Clave(i64),
    Estatus(&'static str),
}

use BranchFilter as F;

impl List for Branches {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/sucursales",
        Scope::InventarioRead,
        Pages::Earlier,
        &[integer("clave", F::Clave), choice("estatus", Status::WORDS, F::Estatus)],
    )
    .summary("List branches");
    type Path = ();
    type Filter = F;
    type Item = Branch;
}
