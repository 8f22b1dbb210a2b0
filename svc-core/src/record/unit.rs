//! Units of measure: `/unidades`.

use super::filter::{choice, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::sat::{SatKey, Units};
use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::json::Text;

record! {
    /// A unit of measure (contract §3).
    pub struct Unit in "unidades" {
        clave: i64 { list, import: Option<i64> },
        nombre: String { list, import: Text<100> },
        clave_sat: Option<String> { list, import: Option<SatKey<Text<3>, Units>> },
        estatus: Status { list, import: Option<Status> },
    }
    import UnitImport;
    changes UnitChanges;
}

impl List for Unit {
    const LIST: ListSpec = ListSpec::new::<Self>("/unidades", Scope::ProductosRead, PageSizes::Legacy)
        .filters(&[integer("clave"), choice("estatus", Status::WORDS)]);
}
