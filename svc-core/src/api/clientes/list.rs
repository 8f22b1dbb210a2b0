use chrono::{DateTime, NaiveDate, Utc};

use super::Customer;
use crate::domain::scope::Scope;
use crate::domain::time::Edge;
use crate::operation::filters::{boolean, date, email, exact, instant, integer, phone, sized};
use crate::operation::{List, ListSpec, Pages};

/// Lists customers and prospects.
pub struct Customers;

/// The filters of [`Customers`] (spec, "GET /clientes").
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum CustomerFilter {
    Clave(i64),
    Folio(String),
    Correo(String),
    Telefono(String),
    Movil(String),
    Rfc(String),
    Prospecto(bool),
    Publico(bool),
    IdPlatformA(String),
    IdPlatformB(String),
    IdPlatformC(String),
    IdPlatformD(String),
    IdPlatformE(String),
    UsoCfdi(String),
    ModificadoDesde(DateTime<Utc>),
    ProximoContactoDesde(NaiveDate),
    ProximoContactoHasta(NaiveDate),
}

use CustomerFilter as F;

impl List for Customers {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/clientes",
        Scope::ClientesRead,
        Pages::Enforced,
        &[
            integer("clave", F::Clave),
            exact("folio", F::Folio),
            email("correo", F::Correo),
            phone("telefono", F::Telefono),
            phone("movil", F::Movil),
            exact("rfc", F::Rfc),
            boolean("prospecto", F::Prospecto),
            boolean("publico", F::Publico),
            exact("id_platform_a", F::IdPlatformA),
            exact("id_platform_b", F::IdPlatformB),
            exact("id_platform_c", F::IdPlatformC),
            exact("id_platform_d", F::IdPlatformD),
            exact("id_platform_e", F::IdPlatformE),
            sized("uso_cfdi", 3, 4, F::UsoCfdi),
            instant("modificado_desde", Edge::From, F::ModificadoDesde),
            date("proximo_contacto_desde", Edge::From, F::ProximoContactoDesde),
            date("proximo_contacto_hasta", Edge::Until, F::ProximoContactoHasta),
        ],
    )
    .summary("List customers");
    type Path = ();
    type Filter = F;
    type Item = Customer;
}
