//! Opportunities, the deals of the CRM's funnel: `/oportunidades`.

use super::filter::{choice, from_day, integer, until_day};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::money::Money;
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::OpportunityStatus;
use crate::json::Text;

record! {
    /// A deal in the funnel, not a quote (spec, "Opportunity"; contract §3).
    pub struct Opportunity in "oportunidades" {
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// Folio.
        folio: Option<String> { list, import: Option<Text<50>> },
        /// What it is about.
        nombre: Option<String> { list, import: Option<Text<200>> },
        /// What has become of it: the type of its stage.
        estatus: OpportunityStatus { list, import: Option<OpportunityStatus> },
        /// Its stage.
        etapa: i64 { list, import: i64 },
        /// The customer; null while no record of one exists, and then the contact's data are below.
        cliente: Option<i64> { list, import: Option<i64> },
        /// The contact person.
        contacto_nombre: Option<String> { list, import: Option<Text<100>> },
        /// The contact's company.
        contacto_empresa: Option<String> { list, import: Option<Text<200>> },
        /// The contact's e-mail.
        contacto_correo: Option<String> { list, import: Option<Text<255>> },
        /// The contact's phone.
        contacto_telefono: Option<String> { list, import: Option<Text<30>> },
        /// Who is responsible; null when it is the team's.
        vendedor: Option<i64> { list, import: Option<i64> },
        /// What it is worth.
        monto: Option<Money> { list, import: Option<Money> },
        /// Currency, ISO 4217.
        moneda: String { list, import: Option<Text<3>> },
        /// Its probability in percent; null when it is its stage's.
        probabilidad: Option<i64> { list, import: Option<i64> },
        /// The day on which it is expected to close.
        cierre: Option<Date> { list, import: Option<Date> },
        /// Why it was lost.
        motivo_perdida: Option<i64> { list, import: Option<i64> },
        /// When it was won or lost.
        fecha_cierre: Option<Timestamp> { list, import: Option<Timestamp> },
        /// Where it came from.
        origen: Option<String> { list, import: Option<Text<100>> },
        /// When it was made.
        creado: Timestamp { list, import: Option<Timestamp> },
        /// When it was changed last.
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
    }
    import OpportunityImport;
}

impl List for Opportunity {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/oportunidades", Scope::OportunidadesRead, PageSizes::Enforced, "List opportunities")
            .filters(&[
                integer("clave"),
                choice("estatus", OpportunityStatus::WORDS),
                integer("etapa"),
                integer("cliente"),
                integer("vendedor"),
                from_day("cierre_desde", "cierre"),
                until_day("cierre_hasta", "cierre"),
            ]);
}
