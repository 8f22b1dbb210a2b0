//! Removal of old rows. The searches read the oldest row of each company by an index; deletions
//! take the oldest rows by that index, and read no more than they delete.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::types::Uuid;
use svc_core::domain::company::CompanyId;
use svc_core::store::{Aged, LOGGED, RetentionStore, StoreError};

use crate::run::Run as _;
use crate::sql::{Sql, sql};
use crate::store::PostgresStore;

/// Finds companies. A subquery reads the oldest row, not EXISTS, so that the planner always uses
/// its index.
fn finding(aged: Aged, despues: CompanyId, vencido: DateTime<Utc>, limite: i64) -> Sql {
    match aged {
        Aged::Answers => sql!(
            "SELECT e.empresa
             FROM empresas e
             WHERE e.empresa > :despues
               AND (SELECT min(i.creada)
                    FROM idempotencia i
                    WHERE i.empresa = e.empresa AND i.creada > '-infinity') < :vencido
             ORDER BY e.empresa
             LIMIT :limite",
            despues,
            vencido,
            limite,
        ),
        // Claves and the ids of events ascend with time.
        Aged::Deliveries => sql!(
            "SELECT e.empresa
             FROM empresas e
             WHERE e.empresa > :despues
               AND (SELECT d.creado FROM entregas d WHERE d.empresa = e.empresa ORDER BY d.clave LIMIT 1) < :vencido
             ORDER BY e.empresa
             LIMIT :limite",
            despues,
            vencido,
            limite,
        ),
        Aged::Abandoned => sql!(
            "SELECT DISTINCT s.empresa
             FROM suscripciones_detenidas s
             WHERE s.empresa > :despues AND s.abandonada < :vencido
             ORDER BY s.empresa
             LIMIT :limite",
            despues,
            vencido,
            limite,
        ),
        Aged::Events => sql!(
            "SELECT e.empresa
             FROM empresas e
             WHERE e.empresa > :despues
               AND (SELECT n.id FROM eventos n WHERE n.empresa = e.empresa ORDER BY n.id LIMIT 1) < :primero
             ORDER BY e.empresa
             LIMIT :limite",
            despues,
            primero: first_id(vencido),
            limite,
        ),
        Aged::Webhooks => sql!(
            "SELECT DISTINCT w.empresa
             FROM webhooks w
             WHERE w.empresa > :despues AND w.eliminado < :vencido
             ORDER BY w.empresa
             LIMIT :limite",
            despues,
            vencido,
            limite,
        ),
        // The ids of requests ascend with time.
        Aged::Requests => sql!(
            "SELECT e.empresa
             FROM empresas e
             WHERE e.empresa > :despues
               AND (SELECT b.peticion FROM bitacora b WHERE b.empresa = e.empresa ORDER BY b.peticion LIMIT 1) < :primero
             ORDER BY e.empresa
             LIMIT :limite",
            despues,
            primero: first_id(vencido),
            limite,
        ),
        Aged::ExcessRequests => sql!(
            "SELECT e.empresa
             FROM empresas e
             WHERE e.empresa > :despues
               AND (SELECT b.peticion
                    FROM bitacora b
                    WHERE b.empresa = e.empresa
                    ORDER BY b.peticion
                    OFFSET :quedan LIMIT 1) IS NOT NULL
             ORDER BY e.empresa
             LIMIT :limite",
            despues,
            quedan: LOGGED,
            limite,
        ),
    }
}

/// Deletes rows by `ctid`, which needs no index. A row that was updated in the meantime has another
/// one, and stays.
pub(crate) fn deleting(aged: Aged, empresa: i64, vencido: DateTime<Utc>, limite: i64) -> Sql {
    match aged {
        Aged::Answers => sql!(
            "DELETE FROM idempotencia
             WHERE empresa = :empresa AND creada < :vencido AND ctid = ANY (ARRAY(
                 SELECT ctid
                 FROM idempotencia
                 WHERE empresa = :empresa AND creada < :vencido AND creada > '-infinity'
                 ORDER BY creada
                 LIMIT :limite
             ))",
            empresa,
            vencido,
            limite,
        ),
        Aged::Deliveries => sql!(
            "DELETE FROM entregas
             WHERE empresa = :empresa AND creado < :vencido AND ctid = ANY (ARRAY(
                 SELECT ctid
                 FROM entregas
                 WHERE empresa = :empresa
                 ORDER BY clave
                 LIMIT :limite
             ))",
            empresa,
            vencido,
            limite,
        ),
        Aged::Abandoned => sql!(
            "DELETE FROM suscripciones_detenidas
             WHERE empresa = :empresa AND abandonada < :vencido AND ctid = ANY (ARRAY(
                 SELECT ctid
                 FROM suscripciones_detenidas
                 WHERE empresa = :empresa AND abandonada < :vencido
                 LIMIT :limite
             ))",
            empresa,
            vencido,
            limite,
        ),
        // An event goes when its last delivery has gone. One that is being sent again is locked,
        // one without deliveries yet is of a server whose clock is behind, and one of a group may
        // be younger than its id.
        Aged::Events => sql!(
            "DELETE FROM eventos
             WHERE empresa = :empresa AND id < :primero AND ctid = ANY (ARRAY(
                 SELECT n.ctid
                 FROM eventos n
                 WHERE n.empresa = :empresa AND n.id < :primero AND n.creado < :vencido AND n.repartido
                   AND coalesce(
                       n.ultima_entrega < (
                           SELECT d.creado FROM entregas d WHERE d.empresa = :empresa ORDER BY d.clave LIMIT 1
                       ), true)
                 ORDER BY n.id
                 LIMIT :limite
                 FOR UPDATE SKIP LOCKED
             ))",
            empresa,
            primero: first_id(vencido),
            vencido,
            limite,
        ),
        Aged::Webhooks => sql!(
            "DELETE FROM webhooks
             WHERE empresa = :empresa AND eliminado < :vencido AND clave = ANY (ARRAY(
                 SELECT w.clave
                 FROM webhooks w
                 WHERE w.empresa = :empresa AND w.eliminado < :vencido
                   AND (SELECT count(*) FROM entregas d WHERE d.empresa = :empresa AND d.webhook = w.clave) = 0
                 LIMIT :limite
             ))",
            empresa,
            vencido,
            limite,
        ),
        Aged::Requests => sql!(
            "DELETE FROM bitacora
             WHERE empresa = :empresa AND peticion < :primero AND ctid = ANY (ARRAY(
                 SELECT ctid
                 FROM bitacora
                 WHERE empresa = :empresa AND peticion < :primero
                 ORDER BY peticion
                 LIMIT :limite
             ))",
            empresa,
            primero: first_id(vencido),
            limite,
        ),
        Aged::ExcessRequests => sql!(
            "DELETE FROM bitacora
             WHERE empresa = :empresa AND ctid = ANY (ARRAY(
                 SELECT ctid
                 FROM bitacora
                 WHERE empresa = :empresa AND peticion <= (
                     SELECT peticion FROM bitacora WHERE empresa = :empresa ORDER BY peticion DESC OFFSET :quedan LIMIT 1
                 )
                 ORDER BY peticion
                 LIMIT :limite
             ))",
            empresa,
            quedan: LOGGED,
            limite,
        ),
    }
}

#[async_trait]
impl RetentionStore for PostgresStore {
    async fn companies_with_aged(
        &self,
        aged: Aged,
        expired: DateTime<Utc>,
        after: CompanyId,
        max: u32,
    ) -> Result<Vec<CompanyId>, StoreError> {
        self.background.of_all().values(finding(aged, after, expired, max.into())).await
    }

    async fn remove_interrupted_copies(&self) -> Result<u64, StoreError> {
        PostgresStore::remove_interrupted_copies(self).await
    }
}

/// The lowest id of an event at this time (UUID version 7, RFC 9562).
fn first_id(time: DateTime<Utc>) -> Uuid {
    Uuid::from_u128(u128::from(time.timestamp_millis().max(0).cast_unsigned()) << 80)
}
