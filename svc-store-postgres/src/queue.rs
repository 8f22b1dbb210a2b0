//! Finding what is due in all companies: plain reads of indexes that begin with the time.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use svc_core::domain::company::CompanyId;
use svc_core::domain::words::Held;
use svc_core::store::{Backlog, Due, Queue, QueueStore, StoreError};

use crate::company::seconds;
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::{Sql, sql};
use crate::store::PostgresStore;

/// Maximum number of companies in one answer; the next search finds the others.
const MAX_FOUND: i64 = 10_000;

from_row! {
    struct HeldCount { detenido: Held, documentos: u64 }
}

from_row! {
    struct UnscheduledWebhook { empresa: CompanyId, clave: i64 }
}

from_row!(Due { company: "empresa", queue: (queue_named("cola")?), since: "desde", desfase: (seconds("desfase")) });

fn queue_named(name: &str) -> Result<Queue, sqlx::Error> {
    let queue = Backlog::ALL.iter().flat_map(|backlog| backlog.queues()).find(|queue| queue.name() == name);
    queue.copied().ok_or(sqlx::Error::RowNotFound)
}

#[async_trait]
impl QueueStore for PostgresStore {
    async fn due(&self, backlog: Backlog, now: DateTime<Utc>) -> Result<Vec<Due>, StoreError> {
        let search = match backlog {
            Backlog::Stamping => stamping(now),
            Backlog::TestStamping => test_stamping(now),
            Backlog::Notices => notices(now),
            Backlog::Mail => mails(now),
        };
        self.background.of_all().many(search).await
    }

    async fn held(&self) -> Result<Vec<(Held, u64)>, StoreError> {
        let held: Vec<HeldCount> = self
            .background
            .of_all()
            .many(sql!(
                "SELECT d.detenido, sum(d.documentos)::bigint AS documentos
                 FROM (
                     SELECT detenido, count(*) AS documentos
                     FROM timbrados
                     WHERE detenido IS NOT NULL
                     GROUP BY detenido
                     UNION ALL
                     SELECT detenido, count(*)
                     FROM cancelaciones
                     WHERE detenido IS NOT NULL
                     GROUP BY detenido
                 ) d
                 GROUP BY d.detenido
                 ORDER BY d.detenido DESC"
            ))
            .await?;
        Ok(held.into_iter().map(|held| (held.detenido, held.documentos)).collect())
    }

    async fn waiting_for_provider(&self) -> Result<u64, StoreError> {
        self.background
            .of_all()
            .value(sql!(
                "SELECT sum(d.documentos)::bigint
                 FROM (
                     SELECT count(*) AS documentos
                     FROM timbrados t
                     JOIN empresas e ON e.empresa = t.empresa
                     WHERE NOT e.prueba
                     UNION ALL
                     SELECT count(*)
                     FROM cancelaciones c
                     JOIN empresas e ON e.empresa = c.empresa
                     WHERE NOT e.prueba
                 ) d"
            ))
            .await
    }

    async fn waiting_mails(&self) -> Result<u64, StoreError> {
        self.background.of_all().value(sql!("SELECT count(*) FROM avisos")).await
    }

    async fn unscheduled_webhooks(&self) -> Result<Vec<(CompanyId, i64)>, StoreError> {
        let webhooks: Vec<UnscheduledWebhook> = self
            .background
            .of_all()
            .many(sql!(
                "SELECT w.empresa, w.clave
                 FROM webhooks w
                 CROSS JOIN LATERAL (
                     SELECT d.proximo_intento
                     FROM entregas d
                     WHERE d.empresa = w.empresa AND d.webhook = w.clave AND d.estado = 'pendiente'
                       AND (d.token IS NULL OR d.arrendado <= now())
                     ORDER BY d.proximo_intento
                     LIMIT 1
                 ) p
                 WHERE w.activo AND w.eliminado IS NULL AND (w.proximo IS NULL OR w.proximo > p.proximo_intento)
                 LIMIT :max",
                max: MAX_FOUND,
            ))
            .await?;
        Ok(webhooks.into_iter().map(|webhook| (webhook.empresa, webhook.clave)).collect())
    }
}

fn stamping(now: DateTime<Utc>) -> Sql {
    sql!(
        "SELECT d.empresa, d.cola, min(d.desde) AS desde, max(d.desfase) AS desfase
         FROM (
             SELECT empresa, 'stampings' AS cola, min(proximo) AS desde, 0 AS desfase
             FROM timbrados
             WHERE proximo <= :ahora
             GROUP BY empresa
             UNION ALL
             SELECT empresa, 'cancellations', min(proximo), 0
             FROM cancelaciones
             WHERE proximo <= :ahora
             GROUP BY empresa
             UNION ALL
             SELECT e.empresa, 'stampings', NULL, e.desfase
             FROM empresas e
             WHERE e.desfase > 0
               AND EXISTS (
                   SELECT FROM timbrados t
                   WHERE t.empresa = e.empresa AND t.proximo <= :ahora + make_interval(secs => e.desfase)
               )
             UNION ALL
             SELECT e.empresa, 'cancellations', NULL, e.desfase
             FROM empresas e
             WHERE e.desfase > 0
               AND EXISTS (
                   SELECT FROM cancelaciones c
                   WHERE c.empresa = e.empresa AND c.proximo <= :ahora + make_interval(secs => e.desfase)
               )
         ) d
         GROUP BY d.empresa, d.cola
         ORDER BY desde NULLS LAST
         LIMIT :max",
        ahora: now,
        max: MAX_FOUND,
    )
}

/// From the few test companies to their rows, so that what waits for a provider costs
/// nothing.
fn test_stamping(now: DateTime<Utc>) -> Sql {
    sql!(
        "SELECT e.empresa, 'stampings' AS cola, CASE WHEN e.desfase = 0 THEN p.desde END AS desde, e.desfase
         FROM empresas e
         CROSS JOIN LATERAL (
             SELECT min(t.proximo) AS desde
             FROM timbrados t
             WHERE t.empresa = e.empresa AND t.proximo <= :ahora + make_interval(secs => e.desfase)
         ) p
         WHERE e.prueba AND p.desde IS NOT NULL
         UNION ALL
         SELECT e.empresa, 'cancellations', CASE WHEN e.desfase = 0 THEN p.desde END, e.desfase
         FROM empresas e
         CROSS JOIN LATERAL (
             SELECT min(c.proximo) AS desde
             FROM cancelaciones c
             WHERE c.empresa = e.empresa AND c.proximo <= :ahora + make_interval(secs => e.desfase)
         ) p
         WHERE e.prueba AND p.desde IS NOT NULL
         ORDER BY desde NULLS LAST
         LIMIT :max",
        ahora: now,
        max: MAX_FOUND,
    )
}

/// `1970-01-01` marks a webhook of the previous release: when its deliveries are due is
/// not known yet. An event of a company whose clock is ahead may lie ahead.
fn notices(now: DateTime<Utc>) -> Sql {
    sql!(
        "SELECT d.empresa, d.cola, min(d.desde) AS desde, max(d.desfase) AS desfase
         FROM (
             SELECT empresa, 'groups' AS cola, min(vence) AS desde, 0 AS desfase
             FROM eventos_agrupados
             WHERE vence <= :ahora
             GROUP BY empresa
             UNION ALL
             SELECT empresa, 'events', nullif(least(min(creado), :ahora), :ahora), 0
             FROM eventos
             WHERE NOT repartido
             GROUP BY empresa
             UNION ALL
             SELECT empresa, 'deliveries', min(nullif(proximo, '1970-01-01Z')), 0
             FROM webhooks
             WHERE activo AND eliminado IS NULL AND proximo <= :ahora
             GROUP BY empresa
             UNION ALL
             SELECT empresa, 'discards', NULL, 0
             FROM webhooks
             WHERE por_descartar
             GROUP BY empresa
             UNION ALL
             SELECT e.empresa, 'groups', NULL, e.desfase
             FROM empresas e
             WHERE e.desfase > 0
               AND EXISTS (
                   SELECT FROM eventos_agrupados g
                   WHERE g.empresa = e.empresa AND g.vence <= :ahora + make_interval(secs => e.desfase)
               )
             UNION ALL
             SELECT e.empresa, 'deliveries', NULL, e.desfase
             FROM empresas e
             WHERE e.desfase > 0
               AND EXISTS (
                   SELECT FROM webhooks w
                   WHERE w.empresa = e.empresa AND w.activo AND w.eliminado IS NULL
                     AND w.proximo <= :ahora + make_interval(secs => e.desfase)
               )
         ) d
         GROUP BY d.empresa, d.cola
         ORDER BY desde NULLS LAST
         LIMIT :max",
        ahora: now,
        max: MAX_FOUND,
    )
}

fn mails(now: DateTime<Utc>) -> Sql {
    sql!(
        "SELECT d.empresa, 'mails' AS cola, min(d.desde) AS desde, max(d.desfase) AS desfase
         FROM (
             SELECT empresa, min(proximo) AS desde, 0 AS desfase
             FROM avisos
             WHERE proximo <= :ahora
             GROUP BY empresa
             UNION ALL
             SELECT e.empresa, NULL, e.desfase
             FROM empresas e
             WHERE e.desfase > 0
               AND EXISTS (
                   SELECT FROM avisos a
                   WHERE a.empresa = e.empresa AND a.proximo <= :ahora + make_interval(secs => e.desfase)
               )
         ) d
         GROUP BY d.empresa
         ORDER BY desde NULLS LAST
         LIMIT :max",
        ahora: now,
        max: MAX_FOUND,
    )
}
