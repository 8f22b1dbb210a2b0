//! The category tree: `/categorias`.

use super::filter::{choice, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::json::Text;

record! {
    /// A category (spec, "category"); products are filtered by its name.
    pub struct Category in "categorias" {
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// Name.
        nombre: String { list, import: Text<100> },
        /// Key of the category above; -1 marks the root.
        padre: i64 { list, import: Option<i64> },
        /// Whether it is in use.
        estatus: Status { list, import: Option<Status> },
    }
    import CategoryImport;
    changes CategoryChanges;
}

impl List for Category {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/categorias", Scope::ProductosRead, PageSizes::Legacy, "List categories").filters(&[
            integer("clave"),
            integer("padre"),
            choice("estatus", Status::WORDS),
        ]);
}
