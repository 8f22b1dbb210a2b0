//! Webhooks and their deliveries, as a company manages them.

use async_trait::async_trait;
use sqlx::AssertSqlSafe;
use sqlx::postgres::PgRow;
use svc_core::domain::event::EventKind;
use svc_core::domain::time::Timestamp;
use svc_core::record::Record as _;
use svc_core::record::webhook::Webhook;
use svc_core::store::{
    DISCARDED_AT_ONCE, EarlierDelivery, NewDelivery, NewWebhook, StoreError, WebhookData, WebhookTx,
};

use crate::error::store_error;
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;
use crate::value::PostgresRow;

from_row!(EarlierDelivery { evento, tipo, estado });

/// What a webhook is shown by.
fn columns() -> String {
    Webhook::COLUMNS.join(", ")
}

fn webhook(row: &PgRow) -> Result<Webhook, StoreError> {
    Ok(Webhook::read(&PostgresRow(row))?)
}

#[async_trait]
impl WebhookTx for PostgresTx {
    async fn next_webhook(&mut self, max: u32) -> Result<Option<i64>, StoreError> {
        // The series is locked first, so that the count includes what earlier transactions wrote.
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
        let inserted = sqlx::query(AssertSqlSafe(format!(
            "INSERT INTO webhooks (empresa, clave, url, eventos, descripcion, activo, activo_desde, secreto, usuario, creado)
             VALUES ($1, $2, $3, $4, $5, $6, $9, $7, $8, $9) RETURNING {}",
            columns()
        )))
        .bind(self.empresa)
        .bind(row.clave)
        .bind(&row.data.url)
        .bind(names(&row.data.eventos))
        .bind(&row.data.descripcion)
        .bind(row.data.activo)
        .bind(row.secreto)
        .bind(row.usuario)
        .bind(row.creado.get())
        .fetch_one(self.connection())
        .await;
        webhook(&inserted.map_err(store_error)?)
    }

    async fn webhook(&mut self, clave: i64) -> Result<Option<Webhook>, StoreError> {
        let row = sqlx::query(AssertSqlSafe(format!(
            "SELECT {} FROM webhooks WHERE empresa = $1 AND clave = $2 AND eliminado IS NULL FOR NO KEY UPDATE",
            columns()
        )))
        .bind(self.empresa)
        .bind(clave)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(webhook).transpose()
    }

    async fn update_webhook(
        &mut self,
        clave: i64,
        data: &WebhookData,
        reactivated: bool,
        now: Timestamp,
    ) -> Result<Webhook, StoreError> {
        let updated = sqlx::query(AssertSqlSafe(format!(
            "UPDATE webhooks SET url = $3, eventos = $4, descripcion = $5, activo = $6, modificado = $7,
                 activo_desde = CASE WHEN $8 THEN $7 ELSE activo_desde END,
                 motivo_desactivacion = CASE WHEN $6 THEN NULL ELSE motivo_desactivacion END,
                 intentos_fallidos = CASE WHEN $8 THEN 0 ELSE intentos_fallidos END,
                 fallos_consecutivos = CASE WHEN $8 THEN 0 ELSE fallos_consecutivos END,
                 racha_desde = CASE WHEN $8 THEN NULL ELSE racha_desde END
             WHERE empresa = $1 AND clave = $2 RETURNING {}",
            columns()
        )))
        .bind(self.empresa)
        .bind(clave)
        .bind(&data.url)
        .bind(names(&data.eventos))
        .bind(&data.descripcion)
        .bind(data.activo)
        .bind(now.get())
        .bind(reactivated)
        .fetch_one(self.connection())
        .await;
        webhook(&updated.map_err(store_error)?)
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
            self.discard(DISCARDED_AT_ONCE, Some(clave)).await?;
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
        // It refers to its event.
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
                clave,
                webhook: row.webhook,
                evento: row.evento,
                tipo: row.tipo,
                origen: row.origen,
                creado: row.creado,
            ))
            .await?;
        Ok(inserted.then_some(clave))
    }
}

fn names(kinds: &[EventKind]) -> Vec<&'static str> {
    kinds.iter().map(|kind| kind.word()).collect()
}
