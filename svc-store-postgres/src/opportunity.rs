//! Opportunities and their stages.

use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::money::Money;
use svc_core::domain::opportunity as domain;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::OpportunityStatus;
use svc_core::store::{NewOpportunity, OpportunityTx, StoreError};

use crate::columns::instant_or_null;
use crate::error::store_error;
use crate::transaction::PostgresTx;

/// A column that a constraint keeps to the words of the status.
fn status(row: &PgRow, at: usize) -> Result<OpportunityStatus, sqlx::Error> {
    let word: &str = row.try_get(at)?;
    OpportunityStatus::of(word).ok_or_else(|| sqlx::Error::Decode(format!("{word:?} is no status").into()))
}

#[async_trait]
impl OpportunityTx for PostgresTx {
    async fn is_stage_used(&mut self, etapa: i64) -> Result<bool, StoreError> {
        self.exists("SELECT EXISTS (SELECT FROM oportunidades WHERE empresa = $1 AND etapa = $2)", etapa).await
    }

    async fn stage(&mut self, clave: i64) -> Result<Option<domain::Stage>, StoreError> {
        let row = sqlx::query(
            "SELECT clave, tipo, estatus = 'activo' FROM etapas_oportunidad
             WHERE empresa = $1 AND clave = $2 FOR SHARE",
        )
        .bind(self.empresa)
        .bind(clave)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        let read =
            |row: &PgRow| Ok(domain::Stage { clave: row.try_get(0)?, tipo: status(row, 1)?, activa: row.try_get(2)? });
        row.as_ref().map(read).transpose().map_err(store_error)
    }

    async fn is_loss_reason(&mut self, clave: i64) -> Result<bool, StoreError> {
        let statement =
            "SELECT EXISTS (SELECT FROM motivos_perdida WHERE empresa = $1 AND clave = $2 AND estatus = 'activo')";
        self.exists(statement, clave).await
    }

    async fn insert_opportunity(&mut self, row: &NewOpportunity<'_>) -> Result<i64, StoreError> {
        let clave = self.next("oportunidades", 1).await?;
        let query = sqlx::query(
            "INSERT INTO oportunidades (empresa, clave, folio, nombre, estatus, etapa, motivo_perdida, fecha_cierre, cliente,
                 contacto_nombre, contacto_empresa, contacto_correo, contacto_telefono, vendedor, monto, moneda,
                 probabilidad, cierre, origen, creado, modificado)
             VALUES ($1, $2::bigint, $2::bigint::text, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19, $19)",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(row.nombre)
        .bind(row.standing.estatus.word())
        .bind(row.standing.etapa)
        .bind(row.standing.motivo_perdida)
        .bind(row.standing.fecha_cierre.map(Timestamp::get))
        .bind(row.cliente)
        .bind(row.contacto_nombre)
        .bind(row.contacto_empresa)
        .bind(row.contacto_correo)
        .bind(row.contacto_telefono)
        .bind(row.vendedor)
        .bind(row.monto.map(Money::get))
        .bind(row.moneda)
        .bind(row.probabilidad)
        .bind(row.cierre)
        .bind(row.origen)
        .bind(row.creado.get());
        self.run(query).await?;
        Ok(clave)
    }

    async fn opportunity(&mut self, clave: i64) -> Result<Option<domain::Standing>, StoreError> {
        let row = sqlx::query(
            "SELECT etapa, estatus, motivo_perdida, fecha_cierre FROM oportunidades
             WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(clave)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        let read = |row: &PgRow| {
            let (etapa, estatus) = (row.try_get(0)?, status(row, 1)?);
            let (motivo_perdida, fecha_cierre) = (row.try_get(2)?, instant_or_null(row, 3)?);
            Ok(domain::Standing { etapa, estatus, motivo_perdida, fecha_cierre })
        };
        row.as_ref().map(read).transpose().map_err(store_error)
    }

    async fn update_standing(
        &mut self,
        clave: i64,
        standing: &domain::Standing,
        modificado: Timestamp,
    ) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE oportunidades SET etapa = $3, estatus = $4, motivo_perdida = $5, fecha_cierre = $6, modificado = $7
             WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(clave)
        .bind(standing.etapa)
        .bind(standing.estatus.word())
        .bind(standing.motivo_perdida)
        .bind(standing.fecha_cierre.map(Timestamp::get))
        .bind(modificado.get());
        self.run(query).await
    }
}
