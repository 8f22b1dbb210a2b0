//! Reasons why opportunities are lost: `/motivos-perdida`.

use serde::Serialize;

use crate::domain::scope::Scope;
use crate::domain::words::Status;
use crate::operation::filters::{choice, integer};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A reason for losing an opportunity (contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct LossReason {
    /// Key.
    pub clave: i64,
    /// Name.
    pub nombre: String,
    /// `activo` or `inactivo`.
    pub estatus: String,
}

impl Keyed for LossReason {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists reasons for losing.
pub struct LossReasons;

/// The filters of [`LossReasons`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum LossReasonFilter {
    Clave(i64),
    Estatus(&'static str),
}

use LossReasonFilter as F;

impl List for LossReasons {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/motivos-perdida",
        Scope::OportunidadesRead,
        Pages::Enforced,
        &[integer("clave", F::Clave), choice("estatus", Status::WORDS, F::Estatus)],
    )
    .summary("List loss reasons");
    type Path = ();
    type Filter = F;
    type Item = LossReason;
}
