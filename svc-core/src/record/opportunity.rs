//! Opportunities, the deals of the CRM's funnel: `/oportunidades`.

use super::filter::{choice, from_day, integer, until_day};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::money::Money;
use crate::domain::sat::{Currencies, SatKey};
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::OpportunityStatus;
use crate::json::Text;

record! {
    /// A deal in the funnel, not a quote (spec, "Opportunity"; contract §3).
    pub struct Opportunity in "oportunidades" {
        clave: i64 { list, import: Option<i64> },
        folio: Option<String> { list, import: Option<Text<50>> },
        nombre: Option<String> { list, import: Option<Text<200>> },
        estatus: OpportunityStatus { list, import: Option<OpportunityStatus> },
        etapa: i64 { list, import: i64 },
        cliente: Option<i64> { list, import: Option<i64> },
        contacto_nombre: Option<String> { list, import: Option<Text<100>> },
        contacto_empresa: Option<String> { list, import: Option<Text<200>> },
        contacto_correo: Option<String> { list, import: Option<Text<255>> },
        contacto_telefono: Option<String> { list, import: Option<Text<30>> },
        vendedor: Option<i64> { list, import: Option<i64> },
        monto: Option<Money> { list, import: Option<Money> },
        moneda: String { list, import: Option<SatKey<Text<3>, Currencies>> },
        probabilidad: Option<i64> { list, import: Option<i64> },
        cierre: Option<Date> { list, import: Option<Date> },
        motivo_perdida: Option<i64> { list, import: Option<i64> },
        fecha_cierre: Option<Timestamp> { list, import: Option<Timestamp> },
        origen: Option<String> { list, import: Option<Text<100>> },
        creado: Timestamp { list, import: Option<Timestamp> },
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
    }
    import OpportunityImport;
}

impl List for Opportunity {
    const LIST: ListSpec = ListSpec::new::<Self>("/oportunidades", Scope::OportunidadesRead, PageSizes::Enforced)
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
