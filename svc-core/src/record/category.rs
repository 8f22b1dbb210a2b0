//! The category tree: `/categorias`.

use super::filter::{choice, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::json::Text;

record! {
    /// A category (spec, "category"); products are filtered by its name.
    pub struct Category in "categorias" {
        clave: i64 { list, import: Option<i64> },
        nombre: String { list, import: Text<100> },
        padre: i64 { list, import: Option<i64> },
        estatus: Status { list, import: Option<Status> },
    }
    import CategoryImport;
    changes CategoryChanges;
}

impl List for Category {
    const LIST: ListSpec = ListSpec::new::<Self>("/categorias", Scope::ProductosRead, PageSizes::Legacy).filters(&[
        integer("clave"),
        integer("padre"),
        choice("estatus", Status::WORDS),
    ]);
}
