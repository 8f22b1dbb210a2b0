//! Stages of the CRM's funnel: `/etapas-oportunidad`.

use super::filter::{choice, integer};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::scope::Scope;
use crate::domain::words::{OpportunityStatus, Status};
use crate::json::Text;

record! {
    /// A stage of the funnel (contract §3); its type is the status of the opportunities in it.
    pub struct Stage in "etapas_oportunidad" {
        clave: i64 { list, import: Option<i64> },
        nombre: String { list, import: Text<100> },
        tipo: OpportunityStatus { list, import: Option<OpportunityStatus> },
        orden: i64 { list, import: Option<i64> },
        probabilidad: i64 { list, import: Option<i64> },
        estatus: Status { list, import: Option<Status> },
    }
    import StageImport;
    changes StageChanges;
}

impl List for Stage {
    const LIST: ListSpec = ListSpec::new::<Self>("/etapas-oportunidad", Scope::OportunidadesRead, PageSizes::Enforced)
        .filters(&[integer("clave"), choice("estatus", Status::WORDS), choice("tipo", OpportunityStatus::WORDS)]);
}
