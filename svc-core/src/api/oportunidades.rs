//! Opportunities, the deals of the CRM's funnel: `/oportunidades`.

use chrono::NaiveDate;
use serde::Serialize;

use crate::domain::money::Money;
use crate::domain::scope::Scope;
use crate::domain::time::{Edge, Timestamp};
use crate::domain::words::OpportunityStatus;
use crate::operation::filters::{choice, date, integer};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A deal in the funnel, not a quote (spec, "Opportunity"; contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct Opportunity {
    /// Key.
    pub clave: i64,
    /// Folio.
    pub folio: Option<String>,
    /// What it is about.
    pub nombre: Option<String>,
    /// `abierta`, `ganada` or `perdida`: the type of its stage.
    pub estatus: String,
    /// Its stage.
    pub etapa: i64,
    /// The customer; null while no record of one exists, and then the contact's data are below.
    pub cliente: Option<i64>,
    /// Whom to talk to.
    pub contacto_nombre: Option<String>,
    /// The contact's company.
    pub contacto_empresa: Option<String>,
    /// The contact's e-mail.
    pub contacto_correo: Option<String>,
    /// The contact's phone.
    pub contacto_telefono: Option<String>,
    /// Who is responsible; null when it is the team's.
    pub vendedor: Option<i64>,
    /// What it is worth.
    pub monto: Option<Money>,
    /// Currency, ISO 4217.
    pub moneda: String,
    /// Its probability in percent; null when it is its stage's.
    pub probabilidad: Option<i64>,
    /// The day on which it is expected to close.
    pub cierre: Option<NaiveDate>,
    /// Why it was lost.
    pub motivo_perdida: Option<i64>,
    /// When it was won or lost.
    pub fecha_cierre: Option<Timestamp>,
    /// Where it came from.
    pub origen: Option<String>,
    /// When it was made.
    pub creado: Timestamp,
    /// When it was changed last.
    pub modificado: Option<Timestamp>,
}

impl Keyed for Opportunity {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists opportunities.
pub struct Opportunities;

/// The filters of [`Opportunities`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum OpportunityFilter {
    Clave(i64),
    Estatus(&'static str),
    Etapa(i64),
    Cliente(i64),
    Vendedor(i64),
    CierreDesde(NaiveDate),
    CierreHasta(NaiveDate),
}

use OpportunityFilter as F;

impl List for Opportunities {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/oportunidades",
        Scope::OportunidadesRead,
        Pages::Enforced,
        &[
            integer("clave", F::Clave),
            choice("estatus", OpportunityStatus::WORDS, F::Estatus),
            integer("etapa", F::Etapa),
            integer("cliente", F::Cliente),
            integer("vendedor", F::Vendedor),
            date("cierre_desde", Edge::From, F::CierreDesde),
            date("cierre_hasta", Edge::Until, F::CierreHasta),
        ],
    )
    .summary("List opportunities");
    type Path = ();
    type Filter = F;
    type Item = Opportunity;
}
