//! The queues of a company's events, deliveries and e-mails.

mod statements;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{Postgres, Row};
use svc_core::domain::event::CREADO;
use svc_core::domain::time::Timestamp;
use svc_core::domain::webhook::{DeliveryOrigin, DeliveryStatus};
use svc_core::store::{
    AttemptRecord, COUNTED, ClaimedDelivery, DISCARDED_AT_ONCE, DeliveryClaim, DeliveryTx, FailingWebhook, FannedOut,
    LeaseTerms, LeasedMail, Recorded, StoreError, WebhookStanding,
};
use uuid::Uuid;

use self::statements::{CLAIM, DISCARD, FAN_OUT, GATHER, LOCK, RECORD};
use crate::columns::{count, word};
use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl DeliveryTx for PostgresTx {
    async fn gather_groups(&mut self, now: Timestamp, max: u32) -> Result<u64, StoreError> {
        sqlx::query(GATHER)
            .bind(self.empresa)
            .bind(now.get())
            .bind(i64::from(max))
            .bind(CREADO.as_bytes())
            .bind(now.to_string().into_bytes())
            .execute(self.connection())
            .await
            .map(|done| done.rows_affected())
            .map_err(store_error)
    }

    async fn lock_webhooks(&mut self, deleted: &[i64]) -> Result<(), StoreError> {
        self.run(sqlx::query(LOCK).bind(self.empresa).bind(deleted)).await
    }

    async fn fan_out(&mut self, now: Timestamp, max: u32) -> Result<FannedOut, StoreError> {
        let (events, deliveries): (i64, i64) = sqlx::query_as(FAN_OUT)
            .bind(self.empresa)
            .bind(now.get())
            .bind(i64::from(max))
            .fetch_one(self.connection())
            .await
            .map_err(store_error)?;
        Ok(FannedOut { events: events as u64, deliveries: deliveries as u64 })
    }

    async fn claim_deliveries(&mut self, claim: &DeliveryClaim<'_>) -> Result<Vec<ClaimedDelivery>, StoreError> {
        let lease = claim.lease;
        let rows = sqlx::query(CLAIM)
            .bind(self.empresa)
            .bind(i64::from(lease.max))
            .bind(i64::from(claim.each))
            .bind(claim.probe_after as i32)
            .bind(lease.due)
            .bind(lease.token)
            .bind(lease.until)
            .bind(lease.duration())
            .bind(claim.busy)
            .bind(i64::from(claim.each_slow))
            .bind(claim.slow_after)
            .fetch_all(self.connection())
            .await
            .map_err(store_error)?;
        rows.iter().filter_map(|row| claimed(row).transpose()).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn record_attempts(
        &mut self,
        attempts: &[AttemptRecord],
        now: DateTime<Utc>,
    ) -> Result<Vec<Recorded>, StoreError> {
        let made = || attempts.iter().map(|record| record.attempt);
        let rows = sqlx::query(RECORD)
            .bind(self.empresa)
            .bind(attempts.iter().map(|record| record.clave).collect::<Vec<_>>())
            .bind(attempts.iter().map(|record| record.webhook).collect::<Vec<_>>())
            .bind(attempts.iter().map(|record| record.token).collect::<Vec<_>>())
            .bind(attempts.iter().map(|record| record.estado().word()).collect::<Vec<_>>())
            .bind(made().map(|made| made.and_then(|made| made.judged.http).map(i32::from)).collect::<Vec<_>>())
            .bind(made().map(|made| made.and_then(|made| made.motivo())).collect::<Vec<_>>())
            .bind(made().map(|made| made.map(|made| made.duracion_ms)).collect::<Vec<_>>())
            .bind(made().map(|made| made.map(|made| made.at)).collect::<Vec<_>>())
            .bind(attempts.iter().map(|record| record.next_attempt(now)).collect::<Vec<_>>())
            .bind(made().map(|made| made.is_some_and(|made| made.judged.counts)).collect::<Vec<_>>())
            .fetch_all(self.connection())
            .await
            .map_err(store_error)?;
        rows.iter().map(recorded).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn schedule_webhook(&mut self, clave: i64) -> Result<(), StoreError> {
        // In a statement of its own: what was queued before this lock must be seen.
        self.run(lock_webhook(self.empresa, clave)).await?;
        let query = sqlx::query(
            "UPDATE webhooks w SET proximo = (SELECT min(proximo_intento) FROM entregas
                                              WHERE empresa = $1 AND webhook = $2 AND estado = 'pendiente')
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave);
        self.run(query).await
    }

    async fn lock_active_webhook(&mut self, clave: i64) -> Result<Option<FailingWebhook>, StoreError> {
        let row = sqlx::query(
            "SELECT w.url, w.fallos_consecutivos, w.racha_desde,
                    (SELECT correo FROM usuarios WHERE empresa = $1 AND clave = w.usuario)
             FROM webhooks w WHERE w.empresa = $1 AND w.clave = $2 AND w.activo AND w.eliminado IS NULL
             FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(clave)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(failing).transpose().map_err(store_error)
    }

    async fn disable_webhook(&mut self, clave: i64, motivo: &str, now: Timestamp) -> Result<u64, StoreError> {
        let pending: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM (SELECT FROM entregas WHERE empresa = $1 AND webhook = $2 AND estado = 'pendiente'
                                   LIMIT $3) p",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(i64::from(COUNTED))
        .fetch_one(self.connection())
        .await
        .map_err(store_error)?;
        let query = sqlx::query(
            "UPDATE webhooks SET activo = false, motivo_desactivacion = $3, modificado = $4, descartado = $4,
                 por_descartar = true
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(motivo)
        .bind(now.get());
        self.run(query).await?;
        self.discard(DISCARDED_AT_ONCE, Some(clave)).await?;
        Ok(pending as u64)
    }

    async fn discard_deliveries(&mut self, max: u32) -> Result<u64, StoreError> {
        self.discard(max, None).await
    }

    async fn append_mail(&mut self, para: &str, asunto: &str, texto: &str, now: Timestamp) -> Result<(), StoreError> {
        let clave = self.next("avisos", 1).await?;
        let query = sqlx::query(
            "INSERT INTO avisos (empresa, clave, para, asunto, texto, creado, proximo) VALUES ($1, $2, $3, $4, $5, $6, $6)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(para)
        .bind(asunto)
        .bind(texto)
        .bind(now.get());
        self.run(query).await
    }

    async fn lease_mail(&mut self, terms: LeaseTerms) -> Result<Vec<LeasedMail>, StoreError> {
        let rows = sqlx::query(
            "WITH libres AS MATERIALIZED (
                 SELECT clave FROM avisos
                 WHERE empresa = $1 AND proximo <= $2 AND (token IS NULL OR arrendado <= now())
                 ORDER BY proximo LIMIT $3
                 FOR NO KEY UPDATE SKIP LOCKED
             )
             UPDATE avisos a SET token = $4, arrendado = now() + $6, proximo = $5, intentos = a.intentos + 1
             FROM libres l WHERE a.empresa = $1 AND a.clave = l.clave
             RETURNING a.clave, a.para, a.asunto, a.texto, a.intentos",
        )
        .bind(self.empresa)
        .bind(terms.due)
        .bind(i64::from(terms.max))
        .bind(terms.token)
        .bind(terms.until)
        .bind(terms.duration())
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        rows.iter().map(mail).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn finish_mail(&mut self, clave: i64, token: Uuid, again: Option<DateTime<Utc>>) -> Result<(), StoreError> {
        let statement = match again {
            Some(_) => {
                "UPDATE avisos SET proximo = $4, token = NULL, arrendado = NULL
                 WHERE empresa = $1 AND clave = $2 AND token = $3"
            }
            None => "DELETE FROM avisos WHERE empresa = $1 AND clave = $2 AND token = $3",
        };
        let query = sqlx::query(statement).bind(self.empresa).bind(clave).bind(token);
        let query = if again.is_some() { query.bind(again) } else { query };
        self.run(query).await
    }
}

impl PostgresTx {
    /// Discards what is pending of webhooks that were deleted or disabled, or of one of them. Without its token, a worker that is
    /// sending one records no result.
    pub(crate) async fn discard(&mut self, max: u32, webhook: Option<i64>) -> Result<u64, StoreError> {
        let discarded: i64 = sqlx::query_scalar(DISCARD)
            .bind(self.empresa)
            .bind(i64::from(max))
            .bind(DeliveryStatus::Descartada.word())
            .bind(webhook)
            .fetch_one(self.connection())
            .await
            .map_err(store_error)?;
        Ok(discarded as u64)
    }
}

fn lock_webhook<'q>(empresa: i64, clave: i64) -> Query<'q, Postgres, PgArguments> {
    sqlx::query("SELECT FROM webhooks WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE").bind(empresa).bind(clave)
}

/// A delivery whose event is gone, which only somebody else can have removed, is left out: it holds up no other, and goes when it is too old.
fn claimed(row: &PgRow) -> Result<Option<ClaimedDelivery>, sqlx::Error> {
    let clave = row.try_get(0)?;
    let Some(cuerpo) = row.try_get::<Option<Vec<u8>>, _>(9)? else {
        tracing::error!(entrega = clave, "a delivery's event is not there");
        return Ok(None);
    };
    Ok(Some(ClaimedDelivery {
        clave,
        webhook: row.try_get(1)?,
        url: row.try_get(2)?,
        secreto: row.try_get(3)?,
        secreto_anterior: row.try_get(4)?,
        intentos_fallidos: count(row, 5)?,
        demora_ms: row.try_get::<Option<i32>, _>(6)?.map(i64::from),
        evento: row.try_get(7)?,
        tipo: row.try_get(8)?,
        cuerpo: cuerpo.into(),
        intentos: count(row, 10)?,
        origen: word(row, 11, DeliveryOrigin::of)?,
    }))
}

fn recorded(row: &PgRow) -> Result<Recorded, sqlx::Error> {
    let place: i64 = row.try_get(0)?;
    let standing = match row.try_get::<Option<i32>, _>(1)? {
        Some(_) => Some(WebhookStanding { fallos_consecutivos: count(row, 1)?, racha_desde: row.try_get(2)? }),
        None => None,
    };
    Ok(Recorded { at: place as usize - 1, standing })
}

fn failing(row: &PgRow) -> Result<FailingWebhook, sqlx::Error> {
    let standing = WebhookStanding { fallos_consecutivos: count(row, 1)?, racha_desde: row.try_get(2)? };
    Ok(FailingWebhook { url: row.try_get(0)?, standing, correo: row.try_get(3)? })
}

fn mail(row: &PgRow) -> Result<LeasedMail, sqlx::Error> {
    Ok(LeasedMail {
        clave: row.try_get(0)?,
        para: row.try_get(1)?,
        asunto: row.try_get(2)?,
        texto: row.try_get(3)?,
        intentos: count(row, 4)?,
    })
}
