//! Statistics of tables into which many rows were just copied.

use sqlx::AssertSqlSafe;
use svc_core::store::StoreError;

use crate::run::Run;
use crate::sql::sql;

/// Fewer rows than these change no plan.
const MANY: u64 = 1_000;

/// Has PostgreSQL analyse a table, if so many new rows are a tenth of it, from which on autovacuum
/// does so too. Until that comes, up to a minute later, PostgreSQL expects next to no rows of a company
/// that is new in the table.
#[expect(clippy::manual_async_fn, reason = "callers need the bound, which the compiler does not infer")]
pub(crate) fn analyze(database: &mut impl Run, table: &str, rows: u64) -> impl Future<Output = ()> + Send {
    async move {
        if rows >= MANY
            && let Err(error) = analyze_if_outdated(database, table, rows).await
        {
            tracing::warn!(table, %error, "a table was not analysed after rows were copied into it");
        }
    }
}

async fn analyze_if_outdated(database: &mut impl Run, table: &str, rows: u64) -> Result<(), StoreError> {
    let is_outdated = sql!(
        "SELECT reltuples < 10 * :filas::bigint FROM pg_class WHERE oid = :tabla::text::regclass",
        filas: rows.cast_signed(),
        tabla: table,
    );
    if database.value(is_outdated.planned_each_time()).await? {
        // Whoever holds the table's lock for it does the same.
        let statement = format!("ANALYZE (SKIP_LOCKED) {table}");
        database.run(sqlx::query(AssertSqlSafe(statement)).persistent(false)).await?;
    }
    Ok(())
}
