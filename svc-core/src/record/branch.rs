//! Branches: `/sucursales`.

use super::filter::{choice, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::json::{Digits, Text};

record! {
    /// A branch (contract §3); head office is branch 0.
    pub struct Branch in "sucursales" {
        clave: i64 { list, import: Option<i64> },
        nombre: Option<String> { list, import: Option<Text<100>> },
        cp: Option<String> { list, import: Option<Digits<5>> },
        estatus: Status { list, import: Option<Status> },
    }
    import BranchImport;
    changes BranchChanges;
}

impl List for Branch {
    const LIST: ListSpec = ListSpec::new::<Self>("/sucursales", Scope::InventarioRead, PageSizes::Legacy)
        .filters(&[integer("clave"), choice("estatus", Status::WORDS)]);
}
