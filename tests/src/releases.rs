//! Schemas of other releases than this one.

use std::path::Path;

use sqlx::{AssertSqlSafe, PgConnection};
use svc_store_postgres::Migrator;

/// A made-up next release that follows the rules of `migrations/README.md`.
pub async fn next() -> Migrator {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../svc-store-postgres/migrations/next"));
    Migrator::new(folder).await.expect("the folder")
}

/// The additions of a release beside columns.
const ADDED: &str = "
    CREATE TABLE nuevas (empresa bigint NOT NULL REFERENCES empresas, clave bigint NOT NULL, PRIMARY KEY (empresa, clave));
    INSERT INTO _sqlx_migrations VALUES (9999, 'later', now(), true, '\\x00', 0)";

/// The attempts at locking a table, each as long as a migration waits.
const ATTEMPTS: usize = 60;

/// Gives a database what a later release may add, and more than any will: two columns per table.
/// The database may be in use: tables are locked one after the other, each for at most a second in
/// front of others, as migrations do.
pub async fn migrate_to_a_later_one(database: &mut PgConnection) {
    let tables =
        "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_sqlx_migrations'";
    let tables: Vec<String> = sqlx::query_scalar(tables).fetch_all(&mut *database).await.expect("the tables");
    sqlx::raw_sql("SET lock_timeout = '1s'").execute(&mut *database).await.expect("a setting");
    for table in tables {
        let columns = "ADD COLUMN nueva text, ADD COLUMN cuantas integer NOT NULL DEFAULT 0";
        let mut attempts = 0..ATTEMPTS;
        loop {
            let add = AssertSqlSafe(format!("ALTER TABLE {table} {columns}"));
            let Err(refused) = sqlx::raw_sql(add).execute(&mut *database).await else { break };
            assert!(attempts.next().is_some(), "{table}: {refused}");
        }
    }
    sqlx::raw_sql(ADDED).execute(&mut *database).await.expect("the rest of it");
    sqlx::raw_sql("RESET lock_timeout").execute(&mut *database).await.expect("a setting");
}
