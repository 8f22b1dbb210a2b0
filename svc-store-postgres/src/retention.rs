//! Removing what is too old. The finding statements look at the oldest row of each company, by an index; the deleting ones take
//! the oldest rows by that index, and go no further than they delete.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::types::Uuid;
use svc_core::domain::company::CompanyId;
use svc_core::store::{Aged, RetentionStore, RetentionTx, StoreError};

use crate::error::store_error;
use crate::store::PostgresStore;
use crate::transaction::PostgresTx;

/// The oldest row is asked for by a subquery, and not by EXISTS, so that it is always looked up by its index.
fn finding(aged: Aged) -> &'static str {
    match aged {
        Aged::Answers => {
            "SELECT e.empresa FROM empresas e WHERE e.empresa > $1
               AND (SELECT min(i.creada) FROM idempotencia i WHERE i.empresa = e.empresa) < $2
             ORDER BY e.empresa LIMIT $3"
        }
        // Claves ascend with time, and so do the ids of events.
        Aged::Deliveries => {
            "SELECT e.empresa FROM empresas e WHERE e.empresa > $1
               AND (SELECT d.creado FROM entregas d WHERE d.empresa = e.empresa ORDER BY d.clave LIMIT 1) < $2
             ORDER BY e.empresa LIMIT $3"
        }
        Aged::Events => {
            "SELECT e.empresa FROM empresas e WHERE e.empresa > $1
               AND (SELECT n.creado FROM eventos n WHERE n.empresa = e.empresa ORDER BY n.id LIMIT 1) < $2
             ORDER BY e.empresa LIMIT $3"
        }
        Aged::Webhooks => {
            "SELECT DISTINCT w.empresa FROM webhooks w WHERE w.empresa > $1 AND w.eliminado < $2
             ORDER BY w.empresa LIMIT $3"
        }
    }
}

/// Rows are found again by where they lie, which no index is needed for; one that was written meanwhile lies elsewhere, and is
/// judged again before it goes.
fn deleting(aged: Aged) -> &'static str {
    match aged {
        Aged::Answers => {
            "DELETE FROM idempotencia WHERE empresa = $1 AND creada < $2 AND ctid = ANY (ARRAY(
                 SELECT ctid FROM idempotencia WHERE empresa = $1 AND creada < $2 ORDER BY creada LIMIT $3))"
        }
        Aged::Deliveries => {
            "DELETE FROM entregas WHERE empresa = $1 AND creado < $2 AND ctid = ANY (ARRAY(
                 SELECT ctid FROM entregas WHERE empresa = $1 ORDER BY clave LIMIT $3))"
        }
        // An event goes when its last delivery has gone. One that is being sent again is locked.
        Aged::Events => {
            "DELETE FROM eventos WHERE empresa = $1 AND id < $2 AND ctid = ANY (ARRAY(
                 SELECT n.ctid FROM eventos n
                 WHERE n.empresa = $1 AND n.id < $2
                   AND coalesce(n.ultima_entrega < (SELECT d.creado FROM entregas d WHERE d.empresa = $1
                                                    ORDER BY d.clave LIMIT 1), true)
                 ORDER BY n.id LIMIT $3 FOR UPDATE SKIP LOCKED))"
        }
        Aged::Webhooks => {
            "DELETE FROM webhooks WHERE empresa = $1 AND eliminado < $2 AND clave = ANY (ARRAY(
                 SELECT w.clave FROM webhooks w
                 WHERE w.empresa = $1 AND w.eliminado < $2
                   AND (SELECT count(*) FROM entregas d WHERE d.empresa = $1 AND d.webhook = w.clave) = 0
                 LIMIT $3))"
        }
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
        let companies: Vec<i64> = sqlx::query_scalar(finding(aged))
            .bind(after.0)
            .bind(expired)
            .bind(i64::from(max))
            .fetch_all(self.background.of_all())
            .await
            .map_err(store_error)?;
        Ok(companies.into_iter().map(CompanyId).collect())
    }
}

#[async_trait]
impl RetentionTx for PostgresTx {
    async fn forget(&mut self, aged: Aged, expired: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        let query = sqlx::query(deleting(aged)).bind(self.empresa);
        let query = if aged == Aged::Events { query.bind(first_id(expired)) } else { query.bind(expired) };
        query
            .bind(i64::from(max))
            .execute(self.connection())
            .await
            .map(|done| done.rows_affected())
            .map_err(store_error)
    }
}

/// What no event's id of this time or later is below (UUIDs of version 7, RFC 9562).
fn first_id(time: DateTime<Utc>) -> Uuid {
    Uuid::from_u128(u128::from(time.timestamp_millis().max(0).cast_unsigned()) << 80)
}
