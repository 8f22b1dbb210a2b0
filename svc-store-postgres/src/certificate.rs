//! A company's signing certificate.

use async_trait::async_trait;
use svc_core::domain::certificate::SigningCertificate;
use svc_core::domain::time::Timestamp;
use svc_core::store::{CertificateTx, StoreError};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(SigningCertificate { numero, rfc, desde, hasta, der: "certificado" });

#[async_trait]
impl CertificateTx for PostgresTx {
    async fn signing_certificate(&mut self) -> Result<Option<SigningCertificate>, StoreError> {
        self.optional(sql!(
            "SELECT numero, rfc, desde, hasta, certificado
             FROM certificados
             WHERE empresa = :empresa
             ORDER BY orden DESC
             LIMIT 1",
            empresa: self.empresa,
        ))
        .await
    }

    async fn signing_key(&mut self, numero: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.optional_value(sql!(
            "SELECT llave
             FROM certificados
             WHERE empresa = :empresa AND numero = :numero",
            empresa: self.empresa,
            numero,
        ))
        .await
    }

    async fn save_certificate(
        &mut self,
        certificate: &SigningCertificate,
        sealed_key: &[u8],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let orden = self.next("certificados", 1).await?;
        self.run(sql!(
            "INSERT INTO certificados (empresa, numero, orden, rfc, desde, hasta, certificado, llave, cargado)
             VALUES (:empresa, :numero, :orden, :rfc, :desde, :hasta, :certificado, :llave, :cargado)
             ON CONFLICT (empresa, numero) DO UPDATE
             SET orden = excluded.orden, rfc = excluded.rfc, desde = excluded.desde, hasta = excluded.hasta,
                 certificado = excluded.certificado, llave = excluded.llave, cargado = excluded.cargado",
            empresa: self.empresa,
            numero: certificate.numero,
            orden,
            rfc: certificate.rfc,
            desde: certificate.desde,
            hasta: certificate.hasta,
            certificado: certificate.der,
            llave: sealed_key,
            cargado: now,
        ))
        .await
    }
}
