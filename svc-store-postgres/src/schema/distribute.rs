//! Distributes the tables over the workers of Citus, an extension of PostgreSQL.
//!
//! Every table is distributed by `empresa` and colocated with the others: all rows of a company are
//! on one worker, and its statements run there.

use sqlx::PgConnection;

/// Reads whether the engine is in this database.
pub(crate) const HAS_ENGINE: &str = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')";

pub(super) async fn has_engine(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(HAS_ENGINE).fetch_one(connection).await
}

/// Whether the tables of this database are distributed.
pub(super) async fn is_distributed(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    if !has_engine(connection).await? {
        return Ok(false);
    }
    let statement = "SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('empresas'))";
    sqlx::query_scalar(statement).fetch_one(connection).await
}

/// The next table to distribute. A table comes after those it refers to.
const NEXT: &str = "
    SELECT c.oid::regclass::text FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
      AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'empresa' AND NOT a.attisdropped)
      AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)
      AND NOT EXISTS (SELECT FROM pg_constraint k
                      WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid
                        AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = k.confrelid))
    ORDER BY c.relname <> 'empresas', c.oid LIMIT 1";

/// Distributes the remaining tables, each in its own transaction, so that it can continue after an
/// error.
pub(super) async fn rest(connection: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let mut done = 0;
    while let Some(table) = sqlx::query_scalar::<_, String>(NEXT).fetch_optional(&mut *connection).await? {
        let with = if table == "empresas" { "none" } else { "empresas" };
        tracing::info!(table, "a table is distributed");
        sqlx::query("SELECT create_distributed_table($1::regclass, 'empresa', colocate_with => $2)")
            .bind(&table)
            .bind(with)
            .execute(&mut *connection)
            .await?;
        done += 1;
    }
    Ok(done)
}
