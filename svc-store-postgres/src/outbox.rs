use async_trait::async_trait;
use svc_core::store::{NewEvent, OutboxTx, StoreError};

use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl OutboxTx for PostgresTx {
    async fn append_event(&mut self, event: &NewEvent<'_>) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO eventos (empresa, id, tipo, recurso, recurso_clave, cuerpo, creado, repartido)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(self.empresa)
        .bind(event.id)
        .bind(event.tipo)
        .bind(event.recurso)
        .bind(event.clave)
        .bind(event.cuerpo)
        .bind(event.creado.get())
        .bind(event.repartido)
        .execute(self.connection())
        .await
        .map_err(store_error)?;
        Ok(())
    }
}
