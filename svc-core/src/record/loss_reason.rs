//! Reasons why opportunities are lost: `/motivos-perdida`.

use super::filter::{choice, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::json::Text;

record! {
    /// A reason for losing an opportunity (contract §3).
    pub struct LossReason in "motivos_perdida" {
        /// Key.
        clave: i64 => Option<i64>,
        /// Name.
        nombre: String => Text<100>,
        /// Whether it is in use.
        estatus: Status => Option<Status>,
    }
    import LossReasonImport edited as LossReasonChanges {}
}

impl List for LossReason {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/motivos-perdida", Scope::OportunidadesRead, PageSizes::Enforced, "List loss reasons")
            .filters(&[integer("clave"), choice("estatus", Status::WORDS)]);
}
