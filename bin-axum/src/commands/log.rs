use chrono::TimeDelta;
use serde::Serialize;
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::domain::company::CompanyId;
use svc_core::domain::time::Timestamp;
use svc_core::store::LoggedRequest;
use svc_store_postgres::PostgresStore;

use crate::failure::Failure;
use crate::output::print;

/// How old the oldest requests are that are shown.
const SHOWN: TimeDelta = TimeDelta::days(3);

/// A request as it is printed.
#[derive(Serialize)]
struct Printed<'a> {
    fecha: Timestamp,
    metodo: &'a str,
    ruta: &'a str,
    estado: u16,
    codigo: Option<&'a str>,
    duracion_ms: f64,
    llave: Option<&'a str>,
    direccion: Option<&'a str>,
    peticion: &'a str,
}

impl<'a> From<&'a LoggedRequest> for Printed<'a> {
    fn from(request: &'a LoggedRequest) -> Self {
        let micros = u32::try_from(request.microsegundos).unwrap_or(u32::MAX);
        Self {
            fecha: Timestamp::new(request.fecha),
            metodo: &request.metodo,
            ruta: &request.ruta,
            estado: request.estado,
            codigo: request.codigo.as_deref(),
            duracion_ms: f64::from(micros) / 1e3,
            llave: request.llave.as_deref(),
            direccion: request.direccion.as_deref(),
            peticion: &request.peticion,
        }
    }
}

pub(super) async fn run(store: &PostgresStore, company: CompanyId, last: u32) -> Result<(), Failure> {
    let since = SystemClock.now() - SHOWN;
    let missing = || Failure::Other(format!("la empresa {} no existe", company.0));
    let requests = store.requests_of(company, since, last).await?.ok_or_else(missing)?;
    requests.iter().try_for_each(|request| print(&Printed::from(request)))
}
