//! Signing certificates of all companies, for operators.

use chrono::{DateTime, Utc};
use svc_core::domain::company::CompanyId;
use svc_core::store::StoreError;

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::store::PostgresStore;

/// A company's signing certificate that ends soon, or has ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EndingCertificate {
    /// The company that signs with it.
    pub empresa: CompanyId,
    /// The certificate's number.
    pub numero: String,
    /// When it ends.
    pub hasta: DateTime<Utc>,
}

from_row!(EndingCertificate { empresa, numero, hasta });

impl PostgresStore {
    /// The companies' current certificates that end before `limit`, the first to end first; at most
    /// a hundred.
    pub async fn certificates_ending_before(&self, limit: DateTime<Utc>) -> Result<Vec<EndingCertificate>, StoreError> {
        self.service
            .of_all()
            .many(sql!(
                "SELECT c.empresa, c.numero, c.hasta
                 FROM certificados c
                 WHERE c.hasta < :limite
                   AND NOT EXISTS (SELECT FROM certificados d WHERE d.empresa = c.empresa AND d.orden > c.orden)
                 ORDER BY c.hasta
                 LIMIT 100",
                limite: limit,
            ))
            .await
    }
}
