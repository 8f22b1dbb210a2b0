use sqlx::postgres::{PgArguments, PgRow};
use sqlx::{Executor as _, SqlStr};
use svc_core::store::StoreError;

use crate::PostgresStore;
use crate::error::store_error;

/// Reads of one company.
pub(crate) struct PostgresReader<'a> {
    pub(crate) store: &'a PostgresStore,
    pub(crate) empresa: i64,
}

impl PostgresReader<'_> {
    /// What a list's statement yields: from the replica where there is one that may answer, else from the primary.
    /// `needed` says that there must be a row; one that is missing may be too new for the replica.
    pub(crate) async fn rows(
        &self,
        sql: SqlStr,
        arguments: PgArguments,
        needed: bool,
    ) -> Result<Vec<PgRow>, StoreError> {
        if let Some(replica) = &self.store.replica
            && let Some(rows) = replica.rows(self.empresa, sql.clone(), arguments.clone()).await
            && !(needed && rows.is_empty())
        {
            return Ok(rows);
        }
        let query = sqlx::query_with(sql, arguments);
        (&self.store.database).fetch_all(query).await.map_err(store_error)
    }
}
