//! Stages of the CRM's funnel: `/etapas-oportunidad`.

use serde::Serialize;

use crate::domain::scope::Scope;
use crate::domain::words::{OpportunityStatus, Status};
use crate::operation::filters::{choice, integer};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A stage of the funnel (contract §3); its type is the status of the opportunities in it.
#[derive(Debug, Clone, Serialize)]
pub struct Stage {
    /// Key.
    pub clave: i64,
    /// Name.
    pub nombre: String,
    /// `abierta`, `ganada` or `perdida`.
    pub tipo: String,
    /// Its place in the funnel.
    pub orden: i64,
    /// The probability, in percent, of the opportunities that have none of their own.
    pub probabilidad: i64,
    /// `activo` or `inactivo`.
    pub estatus: String,
}

impl Keyed for Stage {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists stages.
pub struct Stages;

/// The filters of [`Stages`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum StageFilter {
    Clave(i64),
    Estatus(&'static str),
    Tipo(&'static str),
}

use StageFilter as F;

impl List for Stages {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/etapas-oportunidad",
        Scope::OportunidadesRead,
        Pages::Enforced,
        &[
            integer("clave", F::Clave),
            choice("estatus", Status::WORDS, F::Estatus),
            choice("tipo", OpportunityStatus::WORDS, F::Tipo),
        ],
    )
    .summary("List opportunity stages");
    type Path = ();
    type Filter = F;
    type Item = Stage;
}
