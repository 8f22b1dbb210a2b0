//! Copies of companies (contract §8).
//!
//! A copy is made on two connections of its own. One reads the company in a transaction that sees
//! one moment throughout, and holds the locks that keep other copies away; the other writes, one
//! transaction a table, what the first one reads, in PostgreSQL's own binary format. So what is
//! written to the company meanwhile makes no part of a copy, and memory holds a buffer of rows. The
//! tables and their columns are the catalogue's: what is left out is named in [`tables::LEFT_OUT`].
//!
//! Until all is written the copy is `incompleta`, and no company to anybody. What a process that
//! was killed leaves of one is removed by the next copy of any company, or by the clean-up.

mod connection;
mod tables;

use std::time::Duration;

use futures_util::StreamExt as _;
use sqlx::AssertSqlSafe;
use svc_core::domain::company::CompanyId;
use svc_core::operations::NewFork;
use svc_core::store::{Store as _, StoreError};
use tokio::time::timeout;

use self::connection::{ForkConnection, STALLED};
use self::tables::{CopiedTable, copied_columns, copied_tables};
use crate::run::Run as _;
use crate::sql::sql;
use crate::statistics::analyze;
use crate::store::PostgresStore;

pub use self::tables::LEFT_OUT;

/// Bytes of rows that are sent at once.
const BUFFER: usize = 256 * 1024;

/// How long the database may check the rows of a table.
const LONGEST_CHECK: Duration = Duration::from_mins(30);

/// Why a company was not copied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ForkError {
    /// There is no such company.
    #[error("la empresa {0} no existe")]
    NoCompany(i64),
    /// It is being copied.
    #[error("la empresa {0} se está copiando en este momento; espere a que termine")]
    Running(i64),
    /// Neither rows nor an answer came for a minute.
    #[error("the database does not go on with the copy")]
    Stalled,
    /// The tables refer to each other in a circle.
    #[error("no order of the tables has each after those that it refers to: {0}")]
    Circle(String),
    /// No number was given out.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The database failed.
    #[error("the company could not be copied: {0}")]
    Database(#[from] sqlx::Error),
}

impl PostgresStore {
    /// Copies a company with all its records into a new test company, whose number it returns: the
    /// same claves and the same time on its clock, but no keys, webhooks, certificates or users'
    /// e-mail addresses, and nothing queued. Tables of a host's own are copied too. The company is
    /// read as it is when the copy begins, and goes on meanwhile.
    ///
    /// Fails if the company does not exist, or if it is being copied by anybody. After an error,
    /// what was written is removed.
    pub async fn fork(&self, company: CompanyId, fork: &NewFork) -> Result<CompanyId, ForkError> {
        self.fork_watched(company, fork, None).await
    }

    /// [`Self::fork`], which reports now and then how many of all rows are copied; to count them it
    /// reads all rows once more.
    pub async fn fork_telling(
        &self,
        company: CompanyId,
        fork: &NewFork,
        progress: &mut (dyn FnMut(u64, u64) + Send),
    ) -> Result<CompanyId, ForkError> {
        self.fork_watched(company, fork, Some(progress)).await
    }

    async fn fork_watched(
        &self,
        company: CompanyId,
        fork: &NewFork,
        progress: Option<Progress<'_>>,
    ) -> Result<CompanyId, ForkError> {
        let mut reader = ForkConnection::open(self.options()).await?;
        let mut writer = ForkConnection::open(self.options()).await?;
        let (tables, _) = cleared_tables(&mut reader, &mut writer).await?;
        reader.begin_reading().await?;
        let outcome = copy(self, &mut reader, &mut writer, &tables, company.0, fork, progress).await;
        // Its locks end with the transaction.
        reader.close().await;
        writer.close().await;
        outcome.map(CompanyId)
    }

    /// Removes what copies whose process was killed have left; returns their number.
    pub(crate) async fn remove_interrupted_copies(&self) -> Result<u64, StoreError> {
        let interrupted: Vec<CompanyId> = self.background.of_all().values(sql!(INTERRUPTED)).await?;
        if interrupted.is_empty() {
            return Ok(0);
        }
        let removing = async {
            let mut reader = ForkConnection::open(self.options()).await?;
            let mut writer = ForkConnection::open(self.options()).await?;
            let cleared = cleared_tables(&mut reader, &mut writer).await;
            reader.close().await;
            writer.close().await;
            cleared
        };
        match removing.await {
            Ok((_, removed)) => Ok(removed),
            Err(ForkError::Store(error)) => Err(error),
            Err(error) => Err(StoreError::Other(error.into())),
        }
    }
}

/// Called with the number of rows copied so far, and with that of all rows.
type Progress<'p> = &'p mut (dyn FnMut(u64, u64) + Send);

/// Reads which companies are incomplete: copies under way, and what is left of interrupted ones.
const INTERRUPTED: &str = "SELECT empresa FROM empresas WHERE incompleta ORDER BY empresa";

async fn copy(
    store: &PostgresStore,
    reader: &mut ForkConnection,
    writer: &mut ForkConnection,
    tables: &[CopiedTable],
    source: i64,
    fork: &NewFork,
    mut progress: Option<Progress<'_>>,
) -> Result<i64, ForkError> {
    if !reader.lock("svc fork of", source).await? {
        return Err(ForkError::Running(source));
    }
    let is_there = "SELECT EXISTS (SELECT FROM empresas WHERE empresa = $1 AND NOT incompleta)";
    if !reader.asks(is_there, source).await? {
        return Err(ForkError::NoCompany(source));
    }
    let next = store.next_company().await?.0;
    // Keeps it from being removed as an interrupted copy.
    if !reader.lock("svc fork into", next).await? {
        return Err(ForkError::Running(next));
    }
    let written = async {
        insert_company(writer, source, next, fork).await?;
        // Counting reads every row once more, so it is done only for somebody who watches.
        let (mut done, mut all) = (0, 0);
        for table in tables.iter().filter(|_| progress.is_some()) {
            all += reader.count(&table.count(source)).await?;
        }
        let mut copied = |rows| progress.iter_mut().for_each(|progress| progress(rows, all));
        for table in tables {
            let rows = copy_table(reader, writer, table, source, next, &mut |rows| copied(done + rows)).await?;
            analyze(writer, &table.name, rows).await;
            done += rows;
            copied(done);
        }
        writer.begin().await?;
        writer.run(&format!("UPDATE empresas SET incompleta = false WHERE empresa = {next}")).await?;
        writer.commit().await
    };
    match written.await {
        Ok(()) => Ok(next),
        Err(error) => {
            if let Err(left) = remove_after_error(store, tables, next).await {
                tracing::warn!(empresa = next, %left, "what was copied is removed by the clean-up");
            }
            Err(error)
        }
    }
}

/// Inserts the copy's own row, not to be used yet.
async fn insert_company(writer: &mut ForkConnection, source: i64, next: i64, fork: &NewFork) -> Result<(), ForkError> {
    writer.begin().await?;
    let columns = copied_columns(writer, "empresas").await?;
    let changed = |column: &String| match column.as_str() {
        "empresa" => next.to_string(),
        "nombre" => "$1".to_owned(),
        "cursor_clave" => "$2".to_owned(),
        "creada" => "$3".to_owned(),
        "prueba" | "incompleta" => "true".to_owned(),
        _ => column.clone(),
    };
    let values: Vec<String> = columns.iter().map(changed).collect();
    let statement = format!(
        "INSERT INTO empresas ({}) SELECT {} FROM empresas WHERE empresa = {source}",
        columns.join(", "),
        values.join(", ")
    );
    let insert = sqlx::query(AssertSqlSafe(statement));
    let insert = insert.bind(&fork.nombre).bind(&fork.cursor_key[..]).bind(fork.creada);
    writer.execute(insert.persistent(false)).await?;
    writer.commit().await
}

/// Copies a company's rows of a table, in one transaction; returns their number.
async fn copy_table(
    reader: &mut ForkConnection,
    writer: &mut ForkConnection,
    table: &CopiedTable,
    source: i64,
    next: i64,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<u64, ForkError> {
    let (select, into) = (table.select(source, next), table.copy_in());
    writer.begin().await?;
    let mut rows = reader.copy_out(&select).await?;
    let mut copy = writer.copy_in(&into).await?;
    let mut buffer = Vec::with_capacity(BUFFER + BUFFER / 4);
    let mut read = 0;
    loop {
        let row = timeout(STALLED, rows.next()).await.map_err(|_| ForkError::Stalled)?.transpose()?;
        let is_last = row.is_none();
        if let Some(row) = &row {
            buffer.extend_from_slice(row.as_ref());
            read += 1;
        }
        if !buffer.is_empty() && (is_last || buffer.len() >= BUFFER) {
            timeout(STALLED, copy.send(&buffer[..])).await.map_err(|_| ForkError::Stalled)??;
            buffer.clear();
            progress(read);
        }
        if is_last {
            break;
        }
    }
    // Indexes and references are checked at the end of the statement.
    let count = timeout(LONGEST_CHECK, copy.finish()).await.map_err(|_| ForkError::Stalled)??;
    drop(rows);
    writer.commit().await?;
    tracing::debug!(table = table.name, rows = count, "a table was copied");
    Ok(count)
}

/// Removes what copies whose process was killed have left. Returns the tables that are copied, and
/// the number of copies removed.
async fn cleared_tables(
    reader: &mut ForkConnection,
    writer: &mut ForkConnection,
) -> Result<(Vec<CopiedTable>, u64), ForkError> {
    reader.begin().await?;
    let tables = copied_tables(reader).await?;
    let interrupted = reader.values(INTERRUPTED).await?;
    reader.commit().await?;
    let mut removed = 0;
    for copy in interrupted {
        reader.begin().await?;
        // A copy that is still being written holds the lock.
        if reader.lock("svc fork into", copy).await? {
            tracing::warn!(empresa = copy, "an interrupted copy is removed");
            remove(writer, &tables, copy).await?;
            removed += 1;
        }
        reader.commit().await?;
    }
    Ok((tables, removed))
}

/// Removes a copy that failed, on a new connection: the others may be in any state.
async fn remove_after_error(store: &PostgresStore, tables: &[CopiedTable], copy: i64) -> Result<(), ForkError> {
    let mut connection = ForkConnection::open(store.options()).await?;
    let removed = remove(&mut connection, tables, copy).await;
    connection.close().await;
    removed
}

/// Removes all rows of an incomplete copy, one transaction a table: first those that refer to
/// others.
async fn remove(writer: &mut ForkConnection, tables: &[CopiedTable], copy: i64) -> Result<(), ForkError> {
    for name in tables.iter().rev().map(|table| table.name.as_str()).chain(["empresas"]) {
        writer.begin().await?;
        writer.run(&format!("DELETE FROM {name} WHERE empresa = {copy}")).await?;
        writer.commit().await?;
    }
    Ok(())
}
