//! Webhooks and their deliveries, as a company manages them.

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use svc_core::domain::time::Timestamp;
use svc_core::record::Record as _;
use svc_core::record::webhook::Webhook;
use svc_core::store::{
    DISCARDED_AT_ONCE, EarlierDelivery, NewDelivery, NewWebhook, StoreError, WebhookData, WebhookTx,
};

use crate::row::{FromRow, from_row};
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
        self.one(sql!(
            "INSERT INTO webhooks (empresa, clave, url, eventos, descripcion, activo, activo_desde, secreto, usuario, creado)
             VALUES (:empresa, :clave, :url, :eventos, :descripcion, :activo, :creado, :secreto, :usuario, :creado)
             RETURNING clave, url, eventos, descripcion, activo, motivo_desactivacion, fallos_consecutivos,
                       ultima_entrega, creado, modificado",
            empresa: self.empresa,
            clave: row.clave,
            url: row.data.url,
            eventos: row.data.eventos,
            descripcion: row.data.descripcion,
            activo: row.data.activo,
            secreto: row.secreto,
            usuario: row.usuario,
            creado: row.creado,
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
            url: data.url,
            eventos: data.eventos,
            descripcion: data.descripcion,
            activo: data.activo,
            ahora: now,
            reactivado: reactivated,
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
