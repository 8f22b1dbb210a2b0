//! The category tree: `/categorias`.

use serde::Serialize;

use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::operation::filters::{choice, integer};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A category (spec, "category"); products are filtered by its name.
#[derive(Debug, Clone, Serialize)]
pub struct Category {
    /// Key.
    pub clave: i64,
    /// Name.
    pub nombre: String,
    /// Key of the category above; -1 marks the root.
    pub padre: i64,
    /// `activo` or `inactivo`.
    pub estatus: String,
}

impl Keyed for Category {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists categories.
pub struct Categories;

/// The filters of [`Categories`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum CategoryFilter {
    Clave(i64),
    Padre(i64),
    Estatus(&'static str),
}

use CategoryFilter as F;

impl List for Categories {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/categorias",
        Scope::ProductosRead,
        Pages::Earlier,
        &[integer("clave", F::Clave), integer("padre", F::Padre), choice("estatus", Status::WORDS, F::Estatus)],
    )
    .summary("List categories");
    type Path = ();
    type Filter = F;
    type Item = Category;
}
