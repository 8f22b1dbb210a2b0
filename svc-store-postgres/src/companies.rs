//! The companies, for operators.

use chrono::{DateTime, Utc};
use svc_core::domain::company::CompanyId;
use svc_core::store::StoreError;

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::store::PostgresStore;

/// A company, as operators list them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ListedCompany {
    /// Its number.
    pub empresa: CompanyId,
    /// Its name.
    pub nombre: String,
    /// Its plan.
    pub plan: String,
    /// Paid user licences, which decide the monthly quota.
    pub licencias: i32,
    /// Whether its limits are enforced, only reported, or the service's.
    pub limites: String,
    /// Whether it has the API.
    pub api: bool,
    /// Its tax id (RFC).
    pub rfc: Option<String>,
    /// Whether it is a test company.
    pub prueba: bool,
    /// Whether its documents are sent to customers.
    pub enviar_documentos: bool,
    /// The minute of the last request; `None` if there was none.
    pub uso: Option<DateTime<Utc>>,
}

from_row!(ListedCompany { empresa, nombre, plan, licencias, limites, api, rfc, prueba, enviar_documentos, uso });

impl PostgresStore {
    /// Whether any company has its documents sent to customers.
    pub async fn sends_documents(&self) -> Result<bool, StoreError> {
        self.service.of_all().value(sql!("SELECT EXISTS (SELECT FROM empresas WHERE enviar_documentos)")).await
    }

    /// At most `max` companies with numbers above `after`, in ascending order.
    pub async fn companies_after(&self, after: CompanyId, max: u32) -> Result<Vec<ListedCompany>, StoreError> {
        self.service
            .of_all()
            .many(sql!(
                "SELECT e.empresa, e.nombre, e.plan, e.licencias, e.limites, e.api, e.rfc, e.prueba, e.enviar_documentos,
                        (SELECT max(m.minuto) FROM llaves_minuto m WHERE m.empresa = e.empresa) AS uso
                 FROM empresas e
                 WHERE e.empresa > :despues AND NOT e.incompleta
                 ORDER BY e.empresa
                 LIMIT :max",
                despues: after,
                max: i64::from(max),
            ))
            .await
    }
}
