//! Brands: `/marcas`.

use super::filter::{choice, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::BrandStatus;
use crate::json::Text;

record! {
    /// A brand (spec, "Brand"); products are filtered by its name.
    pub struct Brand in "marcas" {
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// Name.
        nombre: String { list, import: Text<100> },
        /// Whether it is in use.
        estatus: BrandStatus { list, import: Option<BrandStatus> },
    }
    import BrandImport;
    changes BrandChanges;
}

impl List for Brand {
    const LIST: ListSpec = ListSpec::new::<Self>("/marcas", Scope::ProductosRead, PageSizes::Legacy, "List brands")
        .filters(&[integer("clave"), choice("estatus", BrandStatus::WORDS)])
        .hides("estatus", "eliminado");
}
