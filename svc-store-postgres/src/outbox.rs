use async_trait::async_trait;
use svc_core::store::{NewEvent, OutboxTx, StoreError};
use svc_core::webhooks::{LONGEST_WAIT, QUIET};

use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl OutboxTx for PostgresTx {
    async fn append_event(&mut self, event: &NewEvent<'_>) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO eventos (empresa, id, tipo, recurso, recurso_clave, cuerpo, creado)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(self.empresa)
        .bind(event.id)
        .bind(event.tipo)
        .bind(event.recurso)
        .bind(event.clave)
        .bind(event.cuerpo)
        .bind(event.creado.get())
        .execute(self.connection())
        .await
        .map_err(store_error)?;
        Ok(())
    }

    async fn group_event(&mut self, event: &NewEvent<'_>) -> Result<(), StoreError> {
        let now = event.creado.get();
        sqlx::query(
            "INSERT INTO eventos_agrupados AS g (empresa, tipo, recurso_clave, id, recurso, cuerpo, primero, vence)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT (empresa, tipo, recurso_clave) DO UPDATE SET
                 id = excluded.id, cuerpo = excluded.cuerpo,
                 vence = least(greatest(g.vence, excluded.vence), g.primero + $9)",
        )
        .bind(self.empresa)
        .bind(event.tipo)
        .bind(event.clave)
        .bind(event.id)
        .bind(event.recurso)
        .bind(event.cuerpo)
        .bind(now)
        .bind(now + QUIET)
        .bind(LONGEST_WAIT)
        .execute(self.connection())
        .await
        .map_err(store_error)?;
        Ok(())
    }
}
