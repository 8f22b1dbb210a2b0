//! Reads of one company. Lists are read from the replica if there is one.

use std::any::Any;
use std::time::Duration;

use async_trait::async_trait;
use chrono::DateTime;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::{Execute as _, Executor as _, Row as _, SqlStr};
use svc_core::domain::company::CompanyId;
use svc_core::domain::paper::ticket::SaleTicket;
use svc_core::record::{ListSpec, Query};
use svc_core::store::{BooksOfMonth, BooksRequest, EachRow, PrintableDocument, Reader, StoreError, StoredDocument};
use tokio::time::timeout;

use crate::error::store_error;
use crate::host::OwnReads;
use crate::page::PageQuery;
use crate::pool::is_late;
use crate::run::Run as _;
use crate::searches::SearchSlot;
use crate::sources;
use crate::sql::sql;
use crate::store::PostgresStore;
use crate::value::PostgresRow;

pub(crate) struct PostgresReader<'a> {
    pub(crate) store: &'a PostgresStore,
    pub(crate) empresa: i64,
}

#[async_trait]
impl Reader for PostgresReader<'_> {
    fn for_host(&self) -> Box<dyn Any + Send + Sync> {
        Box::new(OwnReads::new(self.store.requests.clone(), self.empresa))
    }

    async fn page(&self, list: &'static ListSpec, query: &Query, each: EachRow<'_>) -> Result<(), StoreError> {
        let under = query.under.is_some();
        let mut sql = PageQuery::of(sources::of(list.table), list, query, self.empresa).into_sql();
        let mut statement = sql.build();
        let arguments = statement.take_arguments().map_err(StoreError::Other)?.unwrap_or_default();
        let limit = query.is_search().then(|| self.store.requests.pool().search_timeout());
        let _turn = match limit {
            Some(limit) => Some(self.search_slot(limit).await?),
            None => None,
        };
        let mut rows = self.rows(statement.sql(), arguments, under, limit).await?;
        if under {
            rows = children(rows)?;
        }
        for row in rows.iter().take(query.limit as usize + 1) {
            each(&PostgresRow(row))?;
        }
        Ok(())
    }

    async fn document(&self, factura: i64) -> Result<Option<StoredDocument>, StoreError> {
        // Always from the primary: clients ask for what was stamped a moment ago.
        let mut database = self.store.requests.of(self.empresa);
        database
            .optional(sql!(
                "SELECT f.clave AS factura, f.estatus, f.serie, f.folio, x.xml
                 FROM facturas f
                 LEFT JOIN facturas_xml x ON x.empresa = f.empresa AND x.factura = f.clave AND x.timbrado
                 WHERE f.empresa = :empresa AND f.clave = :factura",
                empresa: self.empresa,
                factura,
            ))
            .await
    }

    async fn printable_document(&self, factura: i64) -> Result<Option<PrintableDocument>, StoreError> {
        crate::printed::document(self.store.requests.of(self.empresa), self.empresa, factura).await
    }

    async fn sale_ticket(&self, venta: i64) -> Result<Option<SaleTicket>, StoreError> {
        crate::printed::ticket(self.store.requests.of(self.empresa), self.empresa, venta).await
    }

    async fn books(&self, request: BooksRequest) -> Result<BooksOfMonth, StoreError> {
        crate::books::of_month(self.store.requests.of(self.empresa), self.empresa, request).await
    }
}

impl PostgresStore {
    /// How many records a list of a company has.
    pub async fn count(&self, company: CompanyId, list: &'static ListSpec) -> Result<u64, StoreError> {
        let query = Query::new(list, None, 0, DateTime::UNIX_EPOCH);
        let mut sql = PageQuery::counting(sources::of(list.table), list, &query, company.0);
        let count: i64 = self.requests.of(company.0).value(sql.build().persistent(false)).await?;
        Ok(count.unsigned_abs())
    }
}

impl PostgresReader<'_> {
    /// Waits for the company's slot to search in, as long as a search may take.
    async fn search_slot(&self, limit: Duration) -> Result<SearchSlot, StoreError> {
        timeout(limit, self.store.searches.slot(self.empresa)).await.map_err(|_| StoreError::SearchTooLong)
    }

    /// The rows of a list's statement, from the replica if it may answer, else from the primary.
    /// `needed` says that there must be a row; if the replica has none, it may lag behind. `limit`
    /// is that of a search.
    async fn rows(
        &self,
        sql: SqlStr,
        arguments: PgArguments,
        needed: bool,
        limit: Option<Duration>,
    ) -> Result<Vec<PgRow>, StoreError> {
        if let Some(replica) = &self.store.replica
            && let Some(rows) = replica.rows(self.empresa, sql.clone(), arguments.clone(), limit).await?
            && !(needed && rows.is_empty())
        {
            return Ok(rows);
        }
        let query = sqlx::query_with(sql, arguments).persistent(false);
        let read = self.store.requests.of(self.empresa).within(limit).fetch_all(query).await;
        read.map_err(|error| match limit {
            Some(_) if is_late(&error) => StoreError::SearchTooLong,
            _ => store_error(error),
        })
    }
}

/// The records of a page below a parent record. A join may return them in any order, so they are
/// sorted by clave.
fn children(rows: Vec<PgRow>) -> Result<Vec<PgRow>, StoreError> {
    if rows.is_empty() {
        return Err(StoreError::NoRecord);
    }
    let mut records = Vec::with_capacity(rows.len());
    for row in rows {
        let clave: Option<i64> = row.try_get("clave").map_err(store_error)?;
        records.extend(clave.map(|clave| (clave, row)));
    }
    records.sort_by_key(|(clave, _)| *clave);
    Ok(records.into_iter().map(|(_, record)| record).collect())
}
