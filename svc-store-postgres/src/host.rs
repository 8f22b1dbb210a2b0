//! A host's own tables: in the transactions of its operations, and read for its files.

use sqlx::postgres::PgExecutor;
use svc_core::store::{Reader, StoreError, Tx};

use crate::database::Database;
use crate::run::Run as _;
use crate::transaction::PostgresTx;

/// The transaction of a host's operation, on whose connection it reads and writes its own tables.
/// What it writes is committed together with all else that the operation does, or not at all. After
/// a statement that PostgreSQL refused, the transaction cannot be committed, even if the operation
/// ignores the error: ask first, or write `ON CONFLICT DO NOTHING`.
///
/// ```no_run
/// # use svc_core::operation::Cx;
/// # use svc_core::Error;
/// # async fn run(cx: &mut Cx<'_>) -> Result<(), Error> {
/// let mut own = svc_store_postgres::own_tables(cx.tx)?;
/// let clave = own.next("paqueteria_entregas").await?;
/// sqlx::query("INSERT INTO paqueteria_entregas (empresa, clave, guia) VALUES ($1, $2, $3)")
///     .bind(own.company())
///     .bind(clave)
///     .bind("794612345678")
///     .execute(own.executor())
///     .await
///     .map_err(svc_store_postgres::store_error)?;
/// # Ok(())
/// # }
/// ```
pub struct OwnTables<'t>(&'t mut PostgresTx);

/// The transaction `tx`, for a host's own tables. Fails if another crate's store made it.
pub fn own_tables(tx: &mut dyn Tx) -> Result<OwnTables<'_>, StoreError> {
    let other = || StoreError::Other("the transaction is none of svc-store-postgres".into());
    tx.as_any().downcast_mut().map(OwnTables).ok_or_else(other)
}

impl OwnTables<'_> {
    /// The number of the company, which is fixed. Every statement of a host names it: `empresa` is
    /// the first column of every key.
    pub fn company(&self) -> i64 {
        self.0.empresa
    }

    /// Runs one statement within the limits of all others; a longer one is cancelled and fails.
    pub fn executor(&mut self) -> impl PgExecutor<'_> + Send {
        self.0.executor()
    }

    /// The company's next number in a series of the host's, from 1 on. The series is locked until
    /// the end of the transaction, so that numbers are not skipped and rise in the order of the
    /// commits.
    pub async fn next(&mut self, series: &str) -> Result<i64, StoreError> {
        self.0.next(&format!("{OWN_SERIES}{series}"), 1).await
    }
}

/// What the names of hosts' series begin with in the table of counters, and no other's does.
const OWN_SERIES: &str = "propio:";

/// Reads a host's own tables for a file of its own ([`Download`](svc_core::operation::Download)),
/// on the connections of requests. It is for reading: what a statement writes is committed at once.
///
/// ```no_run
/// # use svc_core::store::Reader;
/// # use svc_core::Error;
/// # async fn read(reader: &dyn Reader) -> Result<(), Error> {
/// let own = svc_store_postgres::own_reads(reader)?;
/// let guia: Option<String> = sqlx::query_scalar("SELECT guia FROM paqueteria_entregas WHERE empresa = $1 AND clave = $2")
///     .bind(own.company())
///     .bind(7)
///     .fetch_optional(own.executor())
///     .await
///     .map_err(svc_store_postgres::store_error)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OwnReads {
    requests: Database,
    empresa: i64,
}

/// The company of `reader`, for a host's own tables. Fails if another crate's store made it.
pub fn own_reads(reader: &dyn Reader) -> Result<OwnReads, StoreError> {
    let other = |_| StoreError::Other("the reader is none of svc-store-postgres".into());
    reader.for_host().downcast().map(|own| *own).map_err(other)
}

impl OwnReads {
    pub(crate) fn new(requests: Database, empresa: i64) -> Self {
        Self { requests, empresa }
    }

    /// The number of the company, which is fixed. Every statement of a host names it: `empresa` is
    /// the first column of every key.
    pub fn company(&self) -> i64 {
        self.empresa
    }

    /// Runs one statement within the limits of all others; a longer one is cancelled and fails.
    pub fn executor(&self) -> impl PgExecutor<'_> + Send {
        self.requests.of(self.empresa)
    }
}
