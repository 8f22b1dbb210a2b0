//! Brands: `/marcas`.

use serde::Serialize;

use crate::domain::scope::Scope;
use crate::domain::words::BrandStatus;
use crate::operation::filters::{choice, integer};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A brand (spec, "Brand"); products are filtered by its name.
#[derive(Debug, Clone, Serialize)]
pub struct Brand {
    /// Key.
    pub clave: i64,
    /// Name.
    pub nombre: String,
    /// `activo` or `eliminado`.
    pub estatus: String,
}

impl Keyed for Brand {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists brands; deleted ones only when asked for.
pub struct Brands;

/// The filters of [`Brands`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum BrandFilter {
    Clave(i64),
    Estatus(&'static str),
}

use BrandFilter as F;

impl List for Brands {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/marcas",
        Scope::ProductosRead,
        Pages::Earlier,
        &[integer("clave", F::Clave), choice("estatus", BrandStatus::WORDS, F::Estatus)],
    )
    .summary("List brands");
    type Path = ();
    type Filter = F;
    type Item = Brand;
}
