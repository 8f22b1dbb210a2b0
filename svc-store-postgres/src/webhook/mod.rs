//! Webhooks, and the queues of events, deliveries and e-mails.

mod statements;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::postgres::PgRow;
use svc_core::domain::time::Timestamp;
use svc_core::record::Record as _;
use svc_core::record::webhook::Webhook;
use svc_core::store::{
    AttemptRecord, ClaimedDelivery, DISCARD_BATCH, DeliveryClaim, EarlierDelivery, FailingWebhook, FailureStreak,
    FannedOut, LeaseTerms, LeasedMail, MAX_COUNTED, NewDeliveries, NewDelivery, NewMail, NewWebhook, RecordedAttempt,
    StoreError, WebhookData, WebhookTx,
};
use uuid::Uuid;

use crate::company::seconds;
use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;
use crate::value::NamedRow;

from_row!(EarlierDelivery { evento, tipo, estado });

impl FromRow for Webhook {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Self::read(&NamedRow { row, name: |at: usize| Self::COLUMNS[at] })
            .map_err(|error| sqlx::Error::Decode(error.into()))
    }
}

from_row!(FannedOut { events: "eventos", deliveries: "entregas" });
from_row!(FailureStreak { fallos_consecutivos, racha_desde });
from_row!(FailingWebhook { url, streak: .., correo });
from_row!(LeasedMail { clave, para, asunto, texto, factura, intentos });

#[async_trait]
impl WebhookTx for PostgresTx {
    async fn next_webhook(&mut self, max: u32) -> Result<Option<i64>, StoreError> {
        // The counter is locked first, so that the count includes what earlier transactions wrote.
        let clave = self.next("webhooks", 1).await?;
        let count: i64 = self
            .value(sql!(
                "SELECT count(*)
                 FROM webhooks
                 WHERE empresa = :empresa AND eliminado IS NULL",
                empresa: self.empresa,
            ))
            .await?;
        Ok((count < i64::from(max)).then_some(clave))
    }

    async fn insert_webhook(&mut self, row: &NewWebhook<'_>) -> Result<Webhook, StoreError> {
        self.one(sql!(
            "INSERT INTO webhooks (empresa, clave, url, eventos, descripcion, activo, activo_desde, secreto, usuario, creado)
             VALUES (:empresa, :clave, :url, :eventos, :descripcion, :activo, :creado, :secreto, :usuario, :creado)
             RETURNING clave, url, eventos, descripcion, activo, motivo_desactivacion, fallos_consecutivos,
                       ultima_entrega, creado, modificado",
            empresa: self.empresa,
            url: row.data.url,
            eventos: row.data.eventos,
            descripcion: row.data.descripcion,
            activo: row.data.activo;
            from row { clave, secreto, usuario, creado }
        ))
        .await
    }

    async fn webhook(&mut self, clave: i64) -> Result<Option<Webhook>, StoreError> {
        self.optional(sql!(
            "SELECT clave, url, eventos, descripcion, activo, motivo_desactivacion, fallos_consecutivos, ultima_entrega,
                    creado, modificado
             FROM webhooks
             WHERE empresa = :empresa AND clave = :clave AND eliminado IS NULL
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            clave,
        ))
        .await
    }

    async fn update_webhook(
        &mut self,
        clave: i64,
        data: &WebhookData,
        reactivated: bool,
        now: Timestamp,
    ) -> Result<Webhook, StoreError> {
        if reactivated {
            // What a worker has not marked yet must not be sent after all.
            while self.discard(DISCARD_BATCH, Some(clave)).await? == u64::from(DISCARD_BATCH) {}
        }
        self.one(sql!(
            "UPDATE webhooks
             SET url = :url,
                 eventos = :eventos,
                 descripcion = :descripcion,
                 activo = :activo,
                 modificado = :ahora,
                 activo_desde = CASE WHEN :reactivado THEN :ahora ELSE activo_desde END,
                 motivo_desactivacion = CASE WHEN :activo THEN NULL ELSE motivo_desactivacion END,
                 intentos_fallidos = CASE WHEN :reactivado THEN 0 ELSE intentos_fallidos END,
                 fallos_consecutivos = CASE WHEN :reactivado THEN 0 ELSE fallos_consecutivos END,
                 racha_desde = CASE WHEN :reactivado THEN NULL ELSE racha_desde END
             WHERE empresa = :empresa AND clave = :clave
             RETURNING clave, url, eventos, descripcion, activo, motivo_desactivacion, fallos_consecutivos,
                       ultima_entrega, creado, modificado",
            empresa: self.empresa,
            clave,
            ahora: now,
            reactivado: reactivated;
            from data { url, eventos, descripcion, activo }
        ))
        .await
    }

    async fn rotate_webhook_secret(
        &mut self,
        clave: i64,
        sealed: &[u8],
        previous_until: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.changed_one(sql!(
            "UPDATE webhooks
             SET secreto = :sellado,
                 secreto_anterior = secreto,
                 secreto_anterior_hasta = :anterior_hasta,
                 modificado = :ahora
             WHERE empresa = :empresa AND clave = :clave AND eliminado IS NULL",
            empresa: self.empresa,
            clave,
            sellado: sealed,
            anterior_hasta: previous_until,
            ahora: now,
        ))
        .await
    }

    async fn delete_webhook(&mut self, clave: i64, now: Timestamp) -> Result<bool, StoreError> {
        let deleted = self
            .changed_one(sql!(
                "UPDATE webhooks
                 SET eliminado = :ahora,
                     modificado = :ahora,
                     activo = false,
                     secreto = '',
                     secreto_anterior = NULL,
                     secreto_anterior_hasta = NULL,
                     por_descartar = true
                 WHERE empresa = :empresa AND clave = :clave AND eliminado IS NULL",
                empresa: self.empresa,
                clave,
                ahora: now,
            ))
            .await?;
        if deleted {
            self.discard(DISCARD_BATCH, Some(clave)).await?;
        }
        Ok(deleted)
    }

    async fn delivery(&mut self, webhook: i64, entrega: i64) -> Result<Option<EarlierDelivery>, StoreError> {
        self.optional(sql!(
            "SELECT evento, tipo, estado
             FROM entregas
             WHERE empresa = :empresa AND clave = :entrega AND webhook = :webhook",
            empresa: self.empresa,
            entrega,
            webhook,
        ))
        .await
    }

    async fn insert_delivery(&mut self, row: &NewDelivery<'_>) -> Result<Option<i64>, StoreError> {
        // A delivery has a foreign key to its event.
        self.write_events().await?;
        let clave = self.next("entregas", 1).await?;
        let inserted = self
            .changed_one(sql!(
                "WITH programado AS (
                     UPDATE webhooks
                     SET proximo = least(proximo, :creado)
                     WHERE empresa = :empresa AND clave = :webhook
                 ), suceso AS (
                     UPDATE eventos
                     SET ultima_entrega = :creado
                     WHERE empresa = :empresa AND id = :evento
                     RETURNING id
                 )
                 INSERT INTO entregas (empresa, clave, webhook, evento, tipo, origen, creado, proximo_intento)
                 SELECT :empresa, :clave, :webhook, id, :tipo, :origen, :creado, :creado
                 FROM suceso",
                empresa: self.empresa,
                clave;
                from row { webhook, evento, tipo, origen, creado }
            ))
            .await?;
        Ok(inserted.then_some(clave))
    }

    async fn insert_deliveries(&mut self, rows: &NewDeliveries<'_>) -> Result<Option<u64>, StoreError> {
        let found: u64 = self.value(statements::deliver_again(self.empresa, rows)).await?;
        Ok((found <= u64::from(rows.max)).then_some(found))
    }

    async fn gather_groups(&mut self, now: Timestamp, max: u32) -> Result<u64, StoreError> {
        self.changed(statements::gather(self.empresa, now, max)).await
    }

    async fn lock_webhooks(&mut self, deleted: &[i64]) -> Result<TimeDelta, StoreError> {
        let desfase: Option<i64> = self.optional_value(statements::lock(self.empresa, deleted)).await?;
        Ok(seconds(desfase.unwrap_or_default()))
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
    ) -> Result<Vec<RecordedAttempt>, StoreError> {
        self.many(statements::record(self.empresa, attempts, now)).await
    }

    async fn schedule_webhook(&mut self, clave: i64) -> Result<(), StoreError> {
        // A separate statement, so that the next one sees what was queued before this lock.
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
                max: i64::from(MAX_COUNTED),
            ))
            .await?;
        self.run(sql!(
            "WITH agrupados AS (
                 UPDATE eventos_agrupados
                 SET destinos = array_remove(destinos, :clave)
                 WHERE empresa = :empresa AND :clave = ANY (destinos)
             )
             UPDATE webhooks
             SET activo = false,
                 motivo_desactivacion = :motivo,
                 modificado = :ahora,
                 ultimo_descartado = (SELECT max(clave) FROM eventos WHERE empresa = :empresa),
                 por_descartar = true
             WHERE empresa = :empresa AND clave = :clave",
            empresa: self.empresa,
            clave,
            motivo,
            ahora: now,
        ))
        .await?;
        self.discard(DISCARD_BATCH, Some(clave)).await?;
        Ok(pending)
    }

    async fn discard_deliveries(&mut self, max: u32) -> Result<u64, StoreError> {
        self.discard(max, None).await
    }

    async fn append_mail(&mut self, mail: &NewMail<'_>, now: Timestamp) -> Result<(), StoreError> {
        let clave = self.next("avisos", 1).await?;
        self.run(sql!(
            "INSERT INTO avisos (empresa, clave, para, asunto, texto, factura, creado, proximo)
             VALUES (:empresa, :clave, :para, :asunto, :texto, :factura, :ahora, :ahora)",
            empresa: self.empresa,
            clave,
            ahora: now;
            from mail { para, asunto, texto, factura }
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
             RETURNING a.clave, a.para, a.asunto, a.texto, a.factura, a.intentos",
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
    /// Discards pending deliveries of deleted and disabled webhooks, or of one of them. They lose
    /// their token, so a worker that is sending one records no result.
    pub(crate) async fn discard(&mut self, max: u32, webhook: Option<i64>) -> Result<u64, StoreError> {
        self.value(statements::discard(self.empresa, max, webhook)).await
    }
}

/// `None`, with an error in the log, if the event is gone, which only something outside can have
/// removed. Such a delivery delays no other, and is removed by age.
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

impl FromRow for RecordedAttempt {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let place: i64 = row.read("lugar")?;
        let changed = row.read::<_, Option<i32>>("fallos_consecutivos")?.is_some();
        let streak = changed.then(|| FailureStreak::from_row(row)).transpose()?;
        Ok(Self { at: place as usize - 1, streak })
    }
}
