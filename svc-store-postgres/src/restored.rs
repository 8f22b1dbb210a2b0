//! A database that was restored from a backup: what it would send when it is served, and how it
//! becomes a copy that sends none of it.

use svc_core::domain::company::CompanyId;
use svc_core::domain::webhook::DeliveryStatus;
use svc_core::domain::words::Held;
use svc_core::store::{DISCARD_BATCH, StoreError};

use crate::error::store_error;
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::store::PostgresStore;

/// Companies read at once.
const BATCH: u32 = 1_000;

/// What the workers of a server on this database would send, in numbers of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnderWay {
    /// Documents to be stamped, except those of test companies, which the sandbox has.
    pub documentos: u64,
    /// Cancellations to be sent or followed, except those of test companies.
    pub cancelaciones: u64,
    /// Notices of webhooks: pending deliveries, and events and groups that are to become some.
    pub entregas: u64,
    /// E-mails in the queue.
    pub correos: u64,
}

from_row!(UnderWay { documentos, cancelaciones, entregas, correos });

impl PostgresStore {
    /// What would be sent. What [`Self::make_copy`] holds is left out.
    pub async fn under_way(&self) -> Result<UnderWay, StoreError> {
        self.service
            .of_all()
            .one(sql!(
                "SELECT (
                            SELECT count(*)
                            FROM timbrados t
                            JOIN empresas e ON e.empresa = t.empresa
                            WHERE NOT e.prueba AND t.detenido IS DISTINCT FROM :copia
                        ) AS documentos,
                        (
                            SELECT count(*)
                            FROM cancelaciones c
                            JOIN empresas e ON e.empresa = c.empresa
                            WHERE NOT e.prueba AND c.detenido IS DISTINCT FROM :copia
                        ) AS cancelaciones,
                        (SELECT count(*) FROM entregas WHERE estado = 'pendiente')
                        + (SELECT count(*) FROM eventos WHERE NOT repartido)
                        + (SELECT count(*) FROM eventos_agrupados WHERE cardinality(destinos) > 0) AS entregas,
                        (SELECT count(*) FROM avisos) AS correos",
                copia: Held::Copy,
            ))
            .await
    }

    /// Makes the database a copy of the one that it was restored from, which goes on: documents and
    /// cancellations under way are held for good, notices and e-mails discarded, webhooks paused.
    /// Last it gets an installation id of its own, so that a run that fails can be repeated;
    /// returns the id. Run it before a server is started.
    pub async fn make_copy(&self) -> Result<String, StoreError> {
        let mut after = CompanyId(0);
        loop {
            let companies = self.companies_after(after, BATCH).await?;
            let Some(last) = companies.last().map(|company| company.empresa) else { break };
            for company in companies {
                self.silence(company.empresa.0).await?;
            }
            after = last;
        }
        let number: i64 = self
            .service
            .of_all()
            .value(sql!(
                "SELECT setval(
                     'instalacion',
                     greatest(1, ('x0' || substr(replace(gen_random_uuid()::text, '-', ''), 18, 15))::bit(64)::bigint)
                 )"
            ))
            .await?;
        Ok(installation(number))
    }

    /// Holds and discards what one company has under way.
    async fn silence(&self, empresa: i64) -> Result<(), StoreError> {
        let mut tx = self.background.begin(empresa).await.map_err(store_error)?;
        // A time that never comes.
        tx.run(sql!(
            "UPDATE timbrados
             SET detenido = :copia, proximo = '9999-12-31Z', token = NULL, arrendado = NULL
             WHERE empresa = :empresa
               AND EXISTS (SELECT FROM empresas WHERE empresa = :empresa AND NOT prueba)",
            copia: Held::Copy,
            empresa,
        ))
        .await?;
        tx.run(sql!(
            "UPDATE cancelaciones
             SET detenido = :copia, proximo = '9999-12-31Z', token = NULL, arrendado = NULL
             WHERE empresa = :empresa
               AND EXISTS (SELECT FROM empresas WHERE empresa = :empresa AND NOT prueba)",
            copia: Held::Copy,
            empresa,
        ))
        .await?;
        tx.run(sql!(
            "UPDATE webhooks
             SET activo = false, proximo = NULL, sondeo = NULL, arrendado = NULL, modificado = date_trunc('second', now())
             WHERE empresa = :empresa AND activo",
            empresa,
        ))
        .await?;
        tx.run(sql!("DELETE FROM eventos_agrupados WHERE empresa = :empresa", empresa)).await?;
        tx.run(sql!("UPDATE eventos SET repartido = true WHERE empresa = :empresa AND NOT repartido", empresa)).await?;
        tx.run(sql!("DELETE FROM avisos WHERE empresa = :empresa", empresa)).await?;
        tx.commit().await.map_err(store_error)?;
        while self.discard_some(empresa).await? == u64::from(DISCARD_BATCH) {}
        Ok(())
    }

    async fn discard_some(&self, empresa: i64) -> Result<u64, StoreError> {
        self.background
            .of(empresa)
            .changed(sql!(
                "UPDATE entregas
                 SET estado = :descartada, proximo_intento = NULL, token = NULL, arrendado = NULL
                 WHERE empresa = :empresa AND clave = ANY (ARRAY(
                     SELECT clave
                     FROM entregas
                     WHERE empresa = :empresa AND estado = 'pendiente'
                     LIMIT :max
                 ))",
                descartada: DeliveryStatus::Descartada,
                empresa,
                max: i64::from(DISCARD_BATCH),
            ))
            .await
    }
}

/// The installation's id, of its number.
pub(crate) fn installation(number: i64) -> String {
    format!("{number:015x}")
}
