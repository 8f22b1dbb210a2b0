use async_trait::async_trait;
use svc_core::store::{NewEvent, OutboxTx, StoreError};

use crate::error::store_error;
use crate::transaction::PostgresTx;

#[async_trait]
impl OutboxTx for PostgresTx {
    async fn append_events(&mut self, events: &[NewEvent]) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO eventos (empresa, id, tipo, recurso, recurso_clave, cuerpo, creado, repartido)
             SELECT $1, id, tipo, recurso, clave, cuerpo, creado, repartido
             FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::timestamptz[], $8::boolean[])
                  AS e (id, tipo, recurso, clave, cuerpo, creado, repartido)",
        )
        .bind(self.empresa)
        .bind(events.iter().map(|event| event.id).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.tipo).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.recurso).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.clave).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.cuerpo.as_slice()).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.creado.get()).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.repartido).collect::<Vec<_>>())
        .execute(self.connection())
        .await
        .map_err(store_error)?;
        Ok(())
    }
}
