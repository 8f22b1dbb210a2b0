//! What is due, over all companies. Plain reads of indexes that lead with the time.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::company::CompanyId;
use svc_core::domain::words::Held;
use svc_core::store::{Backlog, Due, QueueStore, StoreError};

use crate::columns::word;
use crate::error::store_error;
use crate::store::PostgresStore;

/// Each row: the company, the place of its queue in [`Backlog::queues`], and since when. What a webhook of before 0020 has due is not
/// known before it has been looked at.
const DUE_NOTICES: &str = "
    SELECT empresa, 0, min(vence) AS desde FROM eventos_agrupados WHERE vence <= $1 GROUP BY empresa
    UNION ALL
    SELECT empresa, 1, min(creado) FROM eventos WHERE NOT repartido GROUP BY empresa
    UNION ALL
    SELECT empresa, 2, min(nullif(proximo, '1970-01-01Z')) FROM webhooks
    WHERE activo AND eliminado IS NULL AND proximo <= $1 GROUP BY empresa
    UNION ALL
    SELECT empresa, 3, NULL FROM webhooks WHERE por_descartar GROUP BY empresa
    ORDER BY desde NULLS LAST LIMIT $2";

const DUE_STAMPINGS: &str = "
    SELECT empresa, 0, min(proximo) AS desde FROM timbrados WHERE proximo <= $1 GROUP BY empresa
    UNION ALL
    SELECT empresa, 1, min(proximo) FROM cancelaciones WHERE proximo <= $1 GROUP BY empresa
    ORDER BY desde LIMIT $2";

const DUE_MAIL: &str = "
    SELECT empresa, 0, min(proximo) AS desde FROM avisos WHERE proximo <= $1 GROUP BY empresa ORDER BY desde LIMIT $2";

/// Entries of one answer. More are found when these have been worked off.
const MOST: i64 = 10_000;

#[async_trait]
impl QueueStore for PostgresStore {
    async fn due(&self, backlog: Backlog, now: DateTime<Utc>) -> Result<Vec<Due>, StoreError> {
        let statement = match backlog {
            Backlog::Stamping => DUE_STAMPINGS,
            Backlog::Notices => DUE_NOTICES,
            Backlog::Mail => DUE_MAIL,
        };
        let rows = sqlx::query(statement).bind(now).bind(MOST).fetch_all(self.background.of_all()).await;
        let due = |row: &PgRow| {
            let place: i32 = row.try_get(1)?;
            let queue = backlog.queues().get(place as usize).copied().ok_or(sqlx::Error::RowNotFound)?;
            Ok(Due { company: CompanyId(row.try_get(0)?), queue, since: row.try_get(2)? })
        };
        rows.map_err(store_error)?.iter().map(due).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn held(&self) -> Result<Vec<(Held, u64)>, StoreError> {
        let rows = sqlx::query(
            "SELECT detenido, sum(n)::bigint FROM (
                 SELECT detenido, count(*) AS n FROM timbrados WHERE detenido IS NOT NULL GROUP BY detenido
                 UNION ALL
                 SELECT detenido, count(*) FROM cancelaciones WHERE detenido IS NOT NULL GROUP BY detenido
             ) d GROUP BY detenido ORDER BY detenido DESC",
        )
        .fetch_all(self.background.of_all())
        .await
        .map_err(store_error)?;
        let held = |row: &PgRow| Ok((word(row, 0, Held::of)?, row.try_get::<i64, _>(1)?.cast_unsigned()));
        rows.iter().map(held).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn unscheduled_webhooks(&self) -> Result<Vec<(CompanyId, i64)>, StoreError> {
        let rows: Vec<(i64, i64)> = sqlx::query_as(
            "SELECT w.empresa, w.clave FROM webhooks w
             CROSS JOIN LATERAL (SELECT d.proximo_intento FROM entregas d
                                 WHERE d.empresa = w.empresa AND d.webhook = w.clave AND d.estado = 'pendiente'
                                   AND (d.token IS NULL OR d.arrendado <= now())
                                 ORDER BY d.proximo_intento LIMIT 1) p
             WHERE w.activo AND w.eliminado IS NULL AND (w.proximo IS NULL OR w.proximo > p.proximo_intento)
             LIMIT $1",
        )
        .bind(MOST)
        .fetch_all(self.background.of_all())
        .await
        .map_err(store_error)?;
        Ok(rows.into_iter().map(|(company, clave)| (CompanyId(company), clave)).collect())
    }
}
