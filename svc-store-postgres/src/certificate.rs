//! A company's signing certificate.

use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::certificate::SigningCertificate;
use svc_core::domain::time::Timestamp;
use svc_core::store::{CertificateTx, StoreError};

use crate::error::store_error;
use crate::transaction::PostgresTx;

fn certificate(row: &PgRow) -> Result<SigningCertificate, sqlx::Error> {
    Ok(SigningCertificate {
        numero: row.try_get(0)?,
        rfc: row.try_get(1)?,
        desde: Timestamp::new(row.try_get(2)?),
        hasta: Timestamp::new(row.try_get(3)?),
        der: row.try_get(4)?,
    })
}

#[async_trait]
impl CertificateTx for PostgresTx {
    async fn signing_certificate(&mut self) -> Result<Option<SigningCertificate>, StoreError> {
        let row = sqlx::query(
            "SELECT numero, rfc, desde, hasta, certificado
             FROM certificados WHERE empresa = $1 ORDER BY orden DESC LIMIT 1",
        )
        .bind(self.empresa)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(certificate).transpose().map_err(store_error)
    }

    async fn signing_key(&mut self, numero: &str) -> Result<Option<Vec<u8>>, StoreError> {
        sqlx::query_scalar("SELECT llave FROM certificados WHERE empresa = $1 AND numero = $2")
            .bind(self.empresa)
            .bind(numero)
            .fetch_optional(self.connection())
            .await
            .map_err(store_error)
    }

    async fn save_certificate(
        &mut self,
        certificate: &SigningCertificate,
        sealed_key: &[u8],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let orden = self.next("certificados", 1).await?;
        let query = sqlx::query(
            "INSERT INTO certificados (empresa, numero, orden, rfc, desde, hasta, certificado, llave, cargado)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             ON CONFLICT (empresa, numero) DO UPDATE SET
                 orden = excluded.orden, rfc = excluded.rfc, desde = excluded.desde, hasta = excluded.hasta,
                 certificado = excluded.certificado, llave = excluded.llave, cargado = excluded.cargado",
        )
        .bind(self.empresa)
        .bind(&certificate.numero)
        .bind(orden)
        .bind(&certificate.rfc)
        .bind(certificate.desde.get())
        .bind(certificate.hasta.get())
        .bind(&certificate.der)
        .bind(sealed_key)
        .bind(now.get());
        self.run(query).await
    }
}
