//! Products: `/productos`.

mod list;

use serde::Serialize;

pub use list::{ProductFilter, Products};

use crate::domain::time::Timestamp;
use crate::operation::Keyed;

/// A product as a list shows it (spec, "Product").
#[derive(Debug, Clone, Serialize)]
pub struct Product {
    /// Key.
    pub clave: i64,
    /// Stock keeping unit.
    pub sku: Option<String>,
    /// Folio.
    pub folio: Option<String>,
    /// Description.
    pub descripcion: Option<String>,
    /// `activo`, `inactivo`, `eliminado` or `desconocido`.
    pub estatus: String,
    /// `normal`, `virtual_con_precio`, `virtual_sin_precio`, `gasto` or `desconocido`.
    pub tipo: String,
    /// `terminado`, `componente`, `materia_prima` or `desconocido`.
    pub subtipo: String,
    /// Whether it is sold as a set of others.
    pub kit: bool,
    /// The product it is a variant of; 0 when of none.
    pub clave_padre: i64,
    /// The SAT's product or service code.
    pub codigo_sat: Option<String>,
    /// Brand, by name.
    pub marca: Option<String>,
    /// Category, by name.
    pub categoria: Option<String>,
    /// Identifier on sales platform b.
    pub id_platform_b: Option<String>,
    /// When it was changed last.
    pub modificado: Option<Timestamp>,
}

impl Keyed for Product {
    fn clave(&self) -> i64 {
        self.clave
    }
}
