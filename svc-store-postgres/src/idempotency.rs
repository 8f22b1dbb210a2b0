//! Idempotency keys and the stored responses.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::Row as _;
use svc_core::store::{Claim, IdempotencyTx, StoreError};

use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl IdempotencyTx for PostgresTx {
    async fn claim(
        &mut self,
        suffix: &str,
        name: &str,
        fingerprint: &[u8; 32],
        now: DateTime<Utc>,
        expired: DateTime<Utc>,
    ) -> Result<Claim, StoreError> {
        loop {
            // The row of a transaction under way makes this wait until it ends, or for the lock timeout.
            let claimed = sqlx::query(
                "INSERT INTO idempotencia AS i (empresa, llave, nombre, huella, creada) VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT (empresa, llave, nombre) DO UPDATE
                     SET huella = excluded.huella, respuesta = NULL, creada = excluded.creada
                     WHERE i.creada < $6",
            )
            .bind(self.empresa)
            .bind(suffix)
            .bind(name)
            .bind(&fingerprint[..])
            .bind(now)
            .bind(expired)
            .execute(self.connection())
            .await
            .map_err(store_error)?;
            if claimed.rows_affected() == 1 {
                return Ok(Claim::New);
            }
            let earlier = sqlx::query(
                "SELECT huella, respuesta FROM idempotencia WHERE empresa = $1 AND llave = $2 AND nombre = $3",
            )
            .bind(self.empresa)
            .bind(suffix)
            .bind(name)
            .fetch_optional(self.connection())
            .await
            .map_err(store_error)?;
            // Removed as expired between the two statements: it is free after all.
            let Some(row) = earlier else { continue };
            let fingerprint = row.try_get("huella").map_err(store_error)?;
            let body: Vec<u8> = row.try_get("respuesta").map_err(store_error)?;
            return Ok(Claim::Done { fingerprint, body: body.into() });
        }
    }

    async fn remember(&mut self, suffix: &str, name: &str, body: &[u8]) -> Result<(), StoreError> {
        let mut sql = self.with_events()?;
        sql.push("UPDATE idempotencia SET respuesta = ").push_bind(body);
        sql.push(" WHERE empresa = $1 AND llave = ").push_bind(suffix).push(" AND nombre = ").push_bind(name);
        self.run(sql.build()).await
    }
}
