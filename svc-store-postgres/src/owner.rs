//! E-mails to owners of companies.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use svc_core::domain::company::CompanyId;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{Held, OwnerMatter};
use svc_core::store::{NAMED_DOCUMENTS, OwnerStore, OwnerTx, PROVIDER_GRACE, StoreError, TOLD_FOR, WaitingDocuments};

use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::{Sql, sql};
use crate::store::PostgresStore;
use crate::transaction::PostgresTx;

/// Maximum number of companies in one answer; the next search finds the others.
const MAX_FOUND: i64 = 10_000;

from_row! {
    struct OwnerToTell { empresa: CompanyId, asunto: OwnerMatter }
}

from_row!(WaitingDocuments { documentos, facturas, desde, ultimo_error });

#[async_trait]
impl OwnerStore for PostgresStore {
    async fn owners_to_tell(
        &self,
        now: DateTime<Utc>,
        ahead: TimeDelta,
        without_provider: bool,
    ) -> Result<Vec<(CompanyId, OwnerMatter)>, StoreError> {
        let certificates: Vec<OwnerToTell> = self.background.of_all().many(certificates(now + ahead)).await?;
        let documents: Vec<OwnerToTell> = self.background.of_all().many(documents(now, without_provider)).await?;
        Ok(certificates.into_iter().chain(documents).map(|found| (found.empresa, found.asunto)).collect())
    }
}

/// Certificates that end before `limit`, which test companies whose clock is ahead reach sooner.
fn certificates(limit: DateTime<Utc>) -> Sql {
    sql!(
        "SELECT p.empresa, :certificado AS asunto
         FROM (
             SELECT c.empresa, c.numero, c.orden
             FROM certificados c
             WHERE c.hasta < :limite
             UNION
             SELECT c.empresa, c.numero, c.orden
             FROM empresas e
             JOIN certificados c ON c.empresa = e.empresa
             WHERE e.desfase > 0 AND c.hasta < :limite + make_interval(secs => e.desfase)
         ) p
         WHERE NOT EXISTS (SELECT FROM certificados d WHERE d.empresa = p.empresa AND d.orden > p.orden)
           AND NOT EXISTS (
               SELECT FROM avisos_dados a
               WHERE a.empresa = p.empresa AND a.asunto = :certificado AND a.sobre = p.numero
           )
           AND (
               SELECT u.correo FROM usuarios u WHERE u.empresa = p.empresa AND u.activo ORDER BY u.clave LIMIT 1
           ) IS NOT NULL
         LIMIT :max",
        certificado: OwnerMatter::Certificate,
        limite: limit,
        max: MAX_FOUND,
    )
}

fn documents(now: DateTime<Utc>, without_provider: bool) -> Sql {
    sql!(
        "SELECT p.empresa, p.asunto
         FROM (
             SELECT d.empresa, d.asunto, min(d.creado) AS desde
             FROM (
                 SELECT empresa, detenido AS asunto, creado
                 FROM timbrados
                 WHERE detenido IN (:configuracion, :estancado)
                 UNION ALL
                 SELECT empresa, detenido, creado
                 FROM cancelaciones
                 WHERE detenido IN (:configuracion, :estancado)
                 UNION ALL
                 SELECT t.empresa, :sin_proveedor, t.creado
                 FROM timbrados t
                 JOIN empresas e ON e.empresa = t.empresa
                 WHERE :falta AND NOT e.prueba AND t.detenido IS NULL AND t.creado < :espera
                 UNION ALL
                 SELECT c.empresa, :sin_proveedor, c.creado
                 FROM cancelaciones c
                 JOIN empresas e ON e.empresa = c.empresa
                 WHERE :falta AND NOT e.prueba AND c.detenido IS NULL AND c.creado < :espera
             ) d
             GROUP BY d.empresa, d.asunto
         ) p
         WHERE NOT EXISTS (
                   SELECT FROM avisos_dados a
                   WHERE a.empresa = p.empresa AND a.asunto = p.asunto AND a.dado >= least(p.desde, :callado)
               )
           AND (
               SELECT u.correo FROM usuarios u WHERE u.empresa = p.empresa AND u.activo ORDER BY u.clave LIMIT 1
           ) IS NOT NULL
         LIMIT :max",
        configuracion: OwnerMatter::Misconfigured,
        estancado: OwnerMatter::Stuck,
        sin_proveedor: OwnerMatter::NoProvider,
        falta: without_provider,
        espera: now - PROVIDER_GRACE,
        callado: now - TOLD_FOR,
        max: MAX_FOUND,
    )
}

#[async_trait]
impl OwnerTx for PostgresTx {
    async fn owner_address(&mut self) -> Result<Option<String>, StoreError> {
        let found: Option<Option<String>> = self
            .optional_value(sql!(
                "SELECT correo
                 FROM usuarios
                 WHERE empresa = :empresa AND activo
                 ORDER BY clave
                 LIMIT 1",
                empresa: self.empresa,
            ))
            .await?;
        Ok(found.flatten())
    }

    async fn waiting_documents(&mut self, detenido: Option<Held>) -> Result<Option<WaitingDocuments>, StoreError> {
        self.optional(sql!(
            "WITH esperan AS MATERIALIZED (
                 SELECT factura, creado, ultimo_error
                 FROM timbrados
                 WHERE empresa = :empresa AND detenido IS NOT DISTINCT FROM :detenido
                 UNION ALL
                 SELECT factura, creado, ultimo_error
                 FROM cancelaciones
                 WHERE empresa = :empresa AND detenido IS NOT DISTINCT FROM :detenido
             )
             SELECT (SELECT count(*) FROM esperan) AS documentos,
                    ARRAY(SELECT e.factura FROM esperan e ORDER BY e.creado, e.factura LIMIT :max) AS facturas,
                    e.creado AS desde,
                    e.ultimo_error
             FROM esperan e
             ORDER BY e.creado, e.factura
             LIMIT 1",
            empresa: self.empresa,
            detenido,
            max: NAMED_DOCUMENTS as i64,
        ))
        .await
    }

    async fn note_told(
        &mut self,
        matter: OwnerMatter,
        sobre: &str,
        since: DateTime<Utc>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.changed_one(sql!(
            "INSERT INTO avisos_dados AS a (empresa, asunto, sobre, dado)
             VALUES (:empresa, :asunto, :sobre, :dado)
             ON CONFLICT (empresa, asunto, sobre) DO UPDATE
             SET dado = excluded.dado
             WHERE a.dado < :desde",
            empresa: self.empresa,
            asunto: matter,
            sobre,
            dado: now,
            desde: since,
        ))
        .await
    }
}
