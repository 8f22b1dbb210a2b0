//! Webhooks and their deliveries, as a company manages them.

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Row};
use svc_core::domain::event::EventKind;
use svc_core::domain::time::Timestamp;
use svc_core::domain::webhook::DeliveryStatus;
use svc_core::record::Record as _;
use svc_core::record::webhook::Webhook;
use svc_core::store::{
    DISCARDED_AT_ONCE, EarlierDelivery, NewDelivery, NewWebhook, StoreError, WebhookData, WebhookTx,
};

use crate::columns::word;
use crate::error::store_error;
use crate::transaction::PostgresTx;
use crate::value::PostgresRow;

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
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM webhooks WHERE empresa = $1 AND eliminado IS NULL")
            .bind(self.empresa)
            .fetch_one(self.connection())
            .await
            .map_err(store_error)?;
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
        let done = sqlx::query(
            "UPDATE webhooks SET secreto = $3, secreto_anterior = secreto, secreto_anterior_hasta = $4, modificado = $5
             WHERE empresa = $1 AND clave = $2 AND eliminado IS NULL",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(sealed)
        .bind(previous_until.get())
        .bind(now.get())
        .execute(self.connection())
        .await
        .map_err(store_error)?;
        Ok(done.rows_affected() > 0)
    }

    async fn delete_webhook(&mut self, clave: i64, now: Timestamp) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "UPDATE webhooks SET eliminado = $3, modificado = $3, activo = false, secreto = '', secreto_anterior = NULL,
                 secreto_anterior_hasta = NULL, por_descartar = true
             WHERE empresa = $1 AND clave = $2 AND eliminado IS NULL",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(now.get())
        .execute(self.connection())
        .await
        .map_err(store_error)?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        self.discard(DISCARDED_AT_ONCE, Some(clave)).await?;
        Ok(true)
    }

    async fn delivery(&mut self, webhook: i64, entrega: i64) -> Result<Option<EarlierDelivery>, StoreError> {
        let row =
            sqlx::query("SELECT evento, tipo, estado FROM entregas WHERE empresa = $1 AND clave = $2 AND webhook = $3")
                .bind(self.empresa)
                .bind(entrega)
                .bind(webhook)
                .fetch_optional(self.connection())
                .await
                .map_err(store_error)?;
        let read = |row: &PgRow| {
            let estado = word(row, 2, DeliveryStatus::of)?;
            Ok(EarlierDelivery { evento: row.try_get(0)?, tipo: row.try_get(1)?, estado })
        };
        row.as_ref().map(read).transpose().map_err(store_error)
    }

    async fn insert_delivery(&mut self, row: &NewDelivery<'_>) -> Result<Option<i64>, StoreError> {
        // It refers to its event.
        self.write_events().await?;
        let clave = self.next("entregas", 1).await?;
        let inserted = sqlx::query(
            "WITH programado AS (
                 UPDATE webhooks SET proximo = least(proximo, $7) WHERE empresa = $1 AND clave = $3
             ), suceso AS (
                 UPDATE eventos SET ultima_entrega = $7 WHERE empresa = $1 AND id = $4 RETURNING id
             )
             INSERT INTO entregas (empresa, clave, webhook, evento, tipo, origen, creado, proximo_intento)
             SELECT $1, $2, $3, id, $5, $6, $7, $7 FROM suceso",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(row.webhook)
        .bind(row.evento)
        .bind(row.tipo)
        .bind(row.origen.word())
        .bind(row.creado.get())
        .execute(self.connection())
        .await
        .map_err(store_error)?;
        Ok((inserted.rows_affected() > 0).then_some(clave))
    }
}

fn names(kinds: &[EventKind]) -> Vec<&'static str> {
    kinds.iter().map(|kind| kind.word()).collect()
}
