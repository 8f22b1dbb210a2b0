//! Events waiting for the webhooks.

use async_trait::async_trait;
use svc_core::store::{NewEvent, OutboxTx, StoreError};
use svc_core::webhooks::{LONGEST_WAIT, QUIET};

use crate::transaction::PostgresTx;

/// The webhooks of `$1` that are active and subscribed to the event `e`.
macro_rules! subscribed {
    () => {
        "LATERAL (SELECT coalesce(array_agg(w.clave), '{}') AS destinos FROM webhooks w
                  WHERE w.empresa = $1 AND w.activo AND w.eliminado IS NULL
                    AND e.tipo = ANY (w.eventos)) AS d"
    };
}

#[async_trait]
impl OutboxTx for PostgresTx {
    async fn append_events(&mut self, events: &[NewEvent]) -> Result<(), StoreError> {
        let query = sqlx::query(concat!(
            "INSERT INTO eventos (empresa, id, tipo, recurso, recurso_clave, cuerpo, creado, destinos, repartido)
             SELECT $1, e.id, e.tipo, e.recurso, e.clave, e.cuerpo, e.creado, d.destinos, e.repartido OR d.destinos = '{}'
             FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::timestamptz[], $8::boolean[])
                  AS e (id, tipo, recurso, clave, cuerpo, creado, repartido), ",
            subscribed!(),
        ))
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
        let query = sqlx::query(concat!(
            "INSERT INTO eventos_agrupados AS g
                 (empresa, tipo, recurso_clave, id, recurso, cuerpo, primero, vence, limite, destinos)
             SELECT DISTINCT ON (e.tipo, e.clave) $1, e.tipo, e.clave, e.id, e.recurso, e.cuerpo, e.creado, e.creado + $8,
                    e.creado + $9, d.destinos
             FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::timestamptz[])
                  WITH ORDINALITY AS e (id, tipo, recurso, clave, cuerpo, creado, n), ",
            subscribed!(),
            " ORDER BY e.tipo, e.clave, e.n DESC
             ON CONFLICT (empresa, tipo, recurso_clave) DO UPDATE SET
                 id = excluded.id, cuerpo = excluded.cuerpo,
                 vence = least(greatest(g.vence, excluded.vence), coalesce(g.limite, excluded.limite)),
                 destinos = CASE WHEN g.destinos @> excluded.destinos THEN g.destinos
                                 ELSE g.destinos || excluded.destinos END",
        ))
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
