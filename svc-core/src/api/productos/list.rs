use chrono::{DateTime, Utc};

use super::Product;
use crate::domain::scope::Scope;
use crate::domain::time::Edge;
use crate::operation::filters::{boolean, choice, exact, instant, integer, search};
use crate::operation::{List, ListSpec, Pages};

/// Lists products; deleted ones only when asked for.
pub struct Products;

/// The filters of [`Products`] (spec, "GET /productos").
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum ProductFilter {
    Clave(i64),
    Sku(String),
    Folio(i64),
    Estatus(&'static str),
    Tipo(&'static str),
    Subtipo(&'static str),
    Kit(bool),
    CodigoSat(String),
    IdPlatformB(String),
    Marca(String),
    Categoria(String),
    SkuPadre(String),
    Buscar(Vec<String>),
    ModificadoDesde(DateTime<Utc>),
}

use ProductFilter as F;

impl List for Products {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/productos",
        Scope::ProductosRead,
        Pages::Enforced,
        &[
            integer("clave", F::Clave),
            exact("sku", F::Sku),
            integer("folio", F::Folio),
            choice("estatus", &["activo", "inactivo", "eliminado"], F::Estatus),
            choice("tipo", &["normal", "virtual_con_precio", "virtual_sin_precio", "gasto"], F::Tipo),
            choice("subtipo", &["terminado", "componente", "materia_prima"], F::Subtipo),
            boolean("kit", F::Kit),
            exact("codigo_sat", F::CodigoSat),
            exact("id_platform_b", F::IdPlatformB),
            exact("marca", F::Marca),
            exact("categoria", F::Categoria),
            exact("sku_padre", F::SkuPadre),
            search("buscar", F::Buscar),
            instant("modificado_desde", Edge::From, F::ModificadoDesde),
        ],
    )
    .summary("List products");
    type Path = ();
    type Filter = F;
    type Item = Product;
}
