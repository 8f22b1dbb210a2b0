//! Statistics of tables into which many rows were just copied.

use sqlx::AssertSqlSafe;
use svc_core::store::StoreError;

use crate::run::Run;

/// Fewer rows than these change no plan.
const MANY: u64 = 1_000;

/// Has PostgreSQL analyse a table, if so many new rows are a tenth of it, from which on autovacuum
/// does so too. Until that comes, up to a minute later, PostgreSQL expects next to no rows of a
/// company that is new in the table.
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

/// Only the owner of a table may analyse it. Both statements are sent whole, in one message each: no
/// transaction holds a pooler to one server.
async fn analyze_if_outdated(database: &mut impl Run, table: &str, rows: u64) -> Result<(), StoreError> {
    let name = table.replace('\'', "''");
    let is_outdated = format!(
        "SELECT reltuples < 10 * {rows}::bigint AND pg_has_role(relowner, 'USAGE')
         FROM pg_class
         WHERE oid = '{name}'::regclass"
    );
    if database.value(sqlx::raw_sql(AssertSqlSafe(is_outdated))).await? {
        // Whoever holds the table's lock for it does the same.
        let analyze = format!("ANALYZE (SKIP_LOCKED) {table}");
        database.run(sqlx::raw_sql(AssertSqlSafe(analyze))).await?;
    }
    Ok(())
}
