//! The log of requests (`bitacora`), which the service writes and operators read.

use chrono::{DateTime, Utc};
use svc_core::domain::company::CompanyId;
use svc_core::store::{LoggedRequest, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::{Sql, sql};
use crate::store::PostgresStore;

from_row! {
    struct StoredRequest {
        empresa: i64,
        peticion: String,
        fecha: DateTime<Utc>,
        metodo: String,
        ruta: String,
        estado: i64,
        codigo: Option<String>,
        microsegundos: i64,
        llave: Option<String>,
        direccion: Option<String>,
    }
}

impl From<StoredRequest> for LoggedRequest {
    fn from(stored: StoredRequest) -> Self {
        Self {
            company: CompanyId(stored.empresa),
            peticion: stored.peticion,
            fecha: stored.fecha,
            metodo: stored.metodo,
            ruta: stored.ruta,
            estado: u16::try_from(stored.estado).unwrap_or_default(),
            codigo: stored.codigo,
            microsegundos: stored.microsegundos,
            llave: stored.llave,
            direccion: stored.direccion,
        }
    }
}

impl PostgresStore {
    /// The last requests of a company since `since`, at most `max`, the oldest first; `None` if
    /// there is no such company.
    pub async fn requests_of(
        &self,
        company: CompanyId,
        since: DateTime<Utc>,
        max: u32,
    ) -> Result<Option<Vec<LoggedRequest>>, StoreError> {
        let known: bool = self
            .service
            .of_all()
            .value(sql!(
                "SELECT EXISTS (SELECT FROM empresas WHERE empresa = :empresa AND NOT incompleta)",
                empresa: company,
            ))
            .await?;
        if !known {
            return Ok(None);
        }
        let found: Vec<StoredRequest> = self
            .service
            .of_all()
            .many(sql!(
                "SELECT empresa, peticion, fecha, metodo, ruta, estado, codigo, microsegundos, llave, direccion
                 FROM (
                     SELECT b.empresa, b.peticion AS lugar, b.peticion::text AS peticion, b.fecha, b.metodo, b.ruta,
                            b.estado::bigint AS estado, b.codigo, b.microsegundos, b.llave, b.direccion
                     FROM bitacora b
                     WHERE b.empresa = :empresa AND b.fecha >= :desde
                     ORDER BY b.peticion DESC
                     LIMIT :max
                 ) u
                 ORDER BY lugar",
                empresa: company,
                desde: since,
                max: i64::from(max),
            ))
            .await?;
        Ok(Some(found.into_iter().map(LoggedRequest::from).collect()))
    }
}

/// Adds requests of one company to its log.
pub(crate) fn adding(company: CompanyId, requests: &[LoggedRequest]) -> Sql {
    sql!(
        "INSERT INTO bitacora (
             empresa, peticion, fecha, metodo, ruta, estado, codigo, microsegundos, llave, direccion
         )
         SELECT :empresa, b.peticion::uuid, b.fecha, b.metodo, b.ruta, b.estado, b.codigo, b.microsegundos, b.llave, b.direccion
         FROM unnest(
                  :peticion::text[], :fecha::timestamptz[], :metodo::text[], :ruta::text[], :estado::bigint[],
                  :codigo::text[], :microsegundos::bigint[], :llave::text[], :direccion::text[]
              ) AS b (peticion, fecha, metodo, ruta, estado, codigo, microsegundos, llave, direccion)
         ON CONFLICT (empresa, peticion) DO NOTHING",
        empresa: company;
        for request in (requests) {
            peticion: &request.peticion,
            fecha,
            metodo: &request.metodo,
            ruta: &request.ruta,
            estado: i64::from(request.estado),
            codigo: &request.codigo,
            microsegundos,
            llave: &request.llave,
            direccion: &request.direccion,
        }
    )
}
