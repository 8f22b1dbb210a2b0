//! Suppliers: `/proveedores`.

use serde::Serialize;

use crate::domain::scope::Scope;
use crate::operation::filters::{choice, exact, integer, search};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A supplier (spec, "Supplier").
#[derive(Debug, Clone, Serialize)]
pub struct Supplier {
    /// Key.
    pub clave: i64,
    /// The folio people know it by.
    pub folio: Option<String>,
    /// Name.
    pub nombre: Option<String>,
    /// The person to speak to.
    pub contacto: Option<String>,
    /// Tax id.
    pub rfc: Option<String>,
    /// E-mail.
    pub correo: Option<String>,
    /// Telephone.
    pub telefono: Option<String>,
    /// `activo`, `inactivo`, `eliminado` or `desconocido`.
    pub estatus: String,
}

impl Keyed for Supplier {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists suppliers; deleted ones only when asked for.
pub struct Suppliers;

/// The filters of [`Suppliers`] (spec, "GET /proveedores").
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum SupplierFilter {
    Clave(i64),
    Folio(String),
    Estatus(&'static str),
    Rfc(String),
    Nombre(Vec<String>),
}

use SupplierFilter as F;

impl List for Suppliers {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/proveedores",
        Scope::ProveedoresRead,
        Pages::Earlier,
        &[
            integer("clave", F::Clave),
            exact("folio", F::Folio),
            choice("estatus", &["activo", "inactivo", "eliminado"], F::Estatus),
            exact("rfc", F::Rfc),
            search("nombre", F::Nombre),
        ],
    )
    .summary("List suppliers");
    type Path = ();
    type Filter = F;
    type Item = Supplier;
}
