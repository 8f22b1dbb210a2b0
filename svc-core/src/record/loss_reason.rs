//! Reasons why opportunities are lost: `/motivos-perdida`.

use super::filter::{choice, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::json::Text;

record! {
    /// A reason for losing an opportunity (contract §3).
    pub struct LossReason in "motivos_perdida" {
        clave: i64 { list, import: Option<i64> },
        nombre: String { list, import: Text<100> },
        estatus: Status { list, import: Option<Status> },
    }
    import LossReasonImport;
    changes LossReasonChanges;
}

impl List for LossReason {
    const LIST: ListSpec = ListSpec::new::<Self>("/motivos-perdida", Scope::OportunidadesRead, PageSizes::Enforced)
        .filters(&[integer("clave"), choice("estatus", Status::WORDS)]);
}
