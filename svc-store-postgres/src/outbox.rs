//! Events waiting for the webhooks.

use async_trait::async_trait;
use svc_core::store::{NewEvent, OutboxTx, StoreError};
use svc_core::webhooks::{LONGEST_WAIT, QUIET};

use crate::transaction::PostgresTx;

#[async_trait]
impl OutboxTx for PostgresTx {
    async fn append_events(&mut self, events: &[NewEvent]) -> Result<(), StoreError> {
        let query = sqlx::query(
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
        .bind(events.iter().map(|event| event.repartido).collect::<Vec<_>>());
        self.run(query).await
    }

    /// In the order of their resources, as everyone locks them; of several of one resource the last.
    async fn group_events(&mut self, events: &[NewEvent]) -> Result<(), StoreError> {
        let query = sqlx::query(
            "INSERT INTO eventos_agrupados AS g (empresa, tipo, recurso_clave, id, recurso, cuerpo, primero, vence)
             SELECT DISTINCT ON (tipo, clave) $1, tipo, clave, id, recurso, cuerpo, creado, creado + $8
             FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::timestamptz[])
                  WITH ORDINALITY AS e (id, tipo, recurso, clave, cuerpo, creado, n)
             ORDER BY tipo, clave, n DESC
             ON CONFLICT (empresa, tipo, recurso_clave) DO UPDATE SET
                 id = excluded.id, cuerpo = excluded.cuerpo,
                 vence = least(greatest(g.vence, excluded.vence), g.primero + $9)",
        )
        .bind(self.empresa)
        .bind(events.iter().map(|event| event.id).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.tipo).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.recurso).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.clave).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.cuerpo.as_slice()).collect::<Vec<_>>())
        .bind(events.iter().map(|event| event.creado.get()).collect::<Vec<_>>())
        .bind(QUIET)
        .bind(LONGEST_WAIT);
        self.run(query).await
    }
}
