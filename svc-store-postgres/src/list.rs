//! Lists, read in a transaction.

use async_trait::async_trait;
use svc_core::record::{ListSpec, Query};
use svc_core::store::{EachRow, ListTx, StoreError};

use crate::error::store_error;
use crate::page::PageQuery;
use crate::sources;
use crate::transaction::PostgresTx;
use crate::value::PostgresRow;

#[async_trait]
impl ListTx for PostgresTx {
    async fn list(&mut self, list: &'static ListSpec, query: &Query, each: EachRow<'_>) -> Result<(), StoreError> {
        let mut sql = PageQuery::of(sources::of(list.table), list, query, self.empresa).into_sql();
        let rows = sql.build().persistent(false).fetch_all(self.connection()).await.map_err(store_error)?;
        for row in rows.iter().take(query.limit as usize + 1) {
            each(&PostgresRow(row))?;
        }
        Ok(())
    }
}
