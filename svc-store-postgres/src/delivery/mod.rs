//! The queues of a company's events, deliveries and e-mails.

mod statements;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::postgres::PgRow;
use svc_core::domain::time::Timestamp;
use svc_core::store::{
    AttemptRecord, COUNTED, ClaimedDelivery, DISCARDED_AT_ONCE, DeliveryClaim, DeliveryTx, FailingWebhook, FannedOut,
    LeaseTerms, LeasedMail, Recorded, StoreError, WebhookStanding,
};
use uuid::Uuid;

use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(FannedOut { events: "eventos", deliveries: "entregas" });
from_row!(WebhookStanding { fallos_consecutivos, racha_desde });
from_row!(FailingWebhook { url, standing: .., correo });
from_row!(LeasedMail { clave, para, asunto, texto, intentos });

#[async_trait]
impl DeliveryTx for PostgresTx {
    async fn gather_groups(&mut self, now: Timestamp, max: u32) -> Result<u64, StoreError> {
        self.changed(statements::gather(self.empresa, now, max)).await
    }

    async fn lock_webhooks(&mut self, deleted: &[i64]) -> Result<(), StoreError> {
        self.run(statements::lock(self.empresa, deleted)).await
    }

    async fn fan_out(&mut self, now: Timestamp, max: u32) -> Result<FannedOut, StoreError> {
        self.one(statements::fan_out(self.empresa, now, max)).await
    }

    async fn claim_deliveries(&mut self, claim: &DeliveryClaim<'_>) -> Result<Vec<ClaimedDelivery>, StoreError> {
        let claimed: Vec<Option<ClaimedDelivery>> = self.many(statements::claim(self.empresa, claim)).await?;
        Ok(claimed.into_iter().flatten().collect())
    }

    async fn record_attempts(
        &mut self,
        attempts: &[AttemptRecord],
        now: DateTime<Utc>,
    ) -> Result<Vec<Recorded>, StoreError> {
        self.many(statements::record(self.empresa, attempts, now)).await
    }

    async fn schedule_webhook(&mut self, clave: i64) -> Result<(), StoreError> {
        // In a statement of its own: what was queued before this lock must be seen.
        self.run(sql!(
            "SELECT
             FROM webhooks
             WHERE empresa = :empresa AND clave = :clave
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            clave,
        ))
        .await?;
        self.run(sql!(
            "UPDATE webhooks
             SET proximo = (
                 SELECT min(proximo_intento)
                 FROM entregas
                 WHERE empresa = :empresa AND webhook = :clave AND estado = 'pendiente'
             )
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn lock_active_webhook(&mut self, clave: i64) -> Result<Option<FailingWebhook>, StoreError> {
        self.optional(sql!(
            "SELECT w.url, w.fallos_consecutivos, w.racha_desde,
                    (SELECT correo FROM usuarios WHERE empresa = :empresa AND clave = w.usuario) AS correo
             FROM webhooks w
             WHERE w.empresa = :empresa AND w.clave = :clave AND w.activo AND w.eliminado IS NULL
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn disable_webhook(&mut self, clave: i64, motivo: &str, now: Timestamp) -> Result<u64, StoreError> {
        let pending = self
            .value(sql!(
                "SELECT count(*)
                 FROM (
                     SELECT
                     FROM entregas
                     WHERE empresa = :empresa AND webhook = :clave AND estado = 'pendiente'
                     LIMIT :max
                 ) p",
                empresa: self.empresa,
                clave,
                max: i64::from(COUNTED),
            ))
            .await?;
        self.run(sql!(
            "UPDATE webhooks
             SET activo = false,
                 motivo_desactivacion = :motivo,
                 modificado = :ahora,
                 descartado = :ahora,
                 por_descartar = true
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            motivo,
            ahora: now,
        ))
        .await?;
        self.discard(DISCARDED_AT_ONCE, Some(clave)).await?;
        Ok(pending)
    }

    async fn discard_deliveries(&mut self, max: u32) -> Result<u64, StoreError> {
        self.discard(max, None).await
    }

    async fn append_mail(&mut self, para: &str, asunto: &str, texto: &str, now: Timestamp) -> Result<(), StoreError> {
        let clave = self.next("avisos", 1).await?;
        self.run(sql!(
            "INSERT INTO avisos (empresa, clave, para, asunto, texto, creado, proximo)
             VALUES (:empresa, :clave, :para, :asunto, :texto, :ahora, :ahora)",
            empresa: self.empresa,
            clave,
            para,
            asunto,
            texto,
            ahora: now,
        ))
        .await
    }

    async fn lease_mail(&mut self, terms: LeaseTerms) -> Result<Vec<LeasedMail>, StoreError> {
        self.many(sql!(
            "WITH libres AS MATERIALIZED (
                 SELECT clave
                 FROM avisos
                 WHERE empresa = :empresa AND proximo <= :vencido AND (token IS NULL OR arrendado <= now())
                 ORDER BY proximo
                 LIMIT :max
                 FOR NO KEY UPDATE SKIP LOCKED
             )
             UPDATE avisos a
             SET token = :token, arrendado = now() + :duracion, proximo = :hasta, intentos = a.intentos + 1
             FROM libres l
             WHERE a.empresa = :empresa AND a.clave = l.clave
             RETURNING a.clave, a.para, a.asunto, a.texto, a.intentos",
            empresa: self.empresa,
            vencido: terms.due,
            max: i64::from(terms.max),
            token: terms.token,
            duracion: terms.duration(),
            hasta: terms.until,
        ))
        .await
    }

    async fn finish_mail(&mut self, clave: i64, token: Uuid, again: Option<DateTime<Utc>>) -> Result<(), StoreError> {
        let Some(proximo) = again else {
            return self
                .run(sql!(
                    "DELETE FROM avisos
                     WHERE empresa = :empresa AND clave = :clave AND token = :token",
                    empresa: self.empresa,
                    clave,
                    token,
                ))
                .await;
        };
        self.run(sql!(
            "UPDATE avisos
             SET proximo = :proximo, token = NULL, arrendado = NULL
             WHERE empresa = :empresa AND clave = :clave AND token = :token",
            empresa: self.empresa,
            clave,
            token,
            proximo,
        ))
        .await
    }
}

impl PostgresTx {
    /// Discards what is pending of webhooks that were deleted or disabled, or of one of them. Without its token, a worker that is
    /// sending one records no result.
    pub(crate) async fn discard(&mut self, max: u32, webhook: Option<i64>) -> Result<u64, StoreError> {
        self.value(statements::discard(self.empresa, max, webhook)).await
    }
}

/// None, and a line in the log, if the event is gone, which only somebody else can have removed: such a delivery delays no
/// other, and is removed by age.
impl FromRow for Option<ClaimedDelivery> {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let clave = row.read("clave")?;
        let Some(cuerpo) = row.read::<_, Option<Vec<u8>>>("cuerpo")? else {
            tracing::error!(entrega = clave, "a delivery's event is not there");
            return Ok(None);
        };
        Ok(Some(ClaimedDelivery {
            clave,
            webhook: row.read("webhook")?,
            url: row.read("url")?,
            secreto: row.read("secreto")?,
            secreto_anterior: row.read("secreto_anterior")?,
            intentos_fallidos: row.read("intentos_fallidos")?,
            demora_ms: row.read("demora_ms")?,
            evento: row.read("evento")?,
            tipo: row.read("tipo")?,
            cuerpo: cuerpo.into(),
            intentos: row.read("intentos")?,
            origen: row.read("origen")?,
        }))
    }
}

impl FromRow for Recorded {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let place: i64 = row.read("lugar")?;
        let changed = row.read::<_, Option<i32>>("fallos_consecutivos")?.is_some();
        let standing = changed.then(|| WebhookStanding::from_row(row)).transpose()?;
        Ok(Self { at: place as usize - 1, standing })
    }
}
