//! Brands: `/marcas`.

use super::filter::{choice, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::BrandStatus;
use crate::json::Text;

record! {
    /// A brand (spec, "Brand"); products are filtered by its name.
    pub struct Brand in "marcas" {
        clave: i64 { list, import: Option<i64> },
        nombre: String { list, import: Text<100> },
        estatus: BrandStatus { list, import: Option<BrandStatus> },
    }
    import BrandImport;
    changes BrandChanges;
}

impl List for Brand {
    const LIST: ListSpec = ListSpec::new::<Self>("/marcas", Scope::ProductosRead, PageSizes::Legacy)
        .filters(&[integer("clave"), choice("estatus", BrandStatus::WORDS)])
        .hides("estatus", "eliminado");
}
