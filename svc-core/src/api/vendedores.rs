//! Salespeople: `/vendedores`, the users whom sales and contacts can be credited to.

use serde::Serialize;

use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::operation::filters::{choice, integer};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A salesperson (contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct Salesperson {
    /// Key, of the user.
    pub clave: i64,
    /// Name.
    pub nombre: String,
    /// `activo` or `inactivo`.
    pub estatus: &'static str,
}

impl Keyed for Salesperson {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists salespeople.
pub struct Salespeople;

/// The filters of [`Salespeople`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum SalespersonFilter {
    Clave(i64),
    Estatus(&'static str),
}

use SalespersonFilter as F;

impl List for Salespeople {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/vendedores",
        Scope::ActividadesWrite,
        Pages::Enforced,
        &[integer("clave", F::Clave), choice("estatus", Status::WORDS, F::Estatus)],
    )
    .or(Scope::ClientesRead)
    .summary("List salespeople");
    type Path = ();
    type Filter = F;
    type Item = Salesperson;
}
