//! The migrations that a database has applied, compared with those of this program.

use std::collections::BTreeMap;

use sqlx::migrate::{MigrateError, Migration, Migrator};
use sqlx::{AssertSqlSafe, Executor, Postgres, Row as _};

use super::{MIGRATOR, OpenError};

/// PostgreSQL's error for a missing table.
const UNDEFINED_TABLE: &str = "42P01";

/// A migration that only databases from before the first release have: its number and its name.
const FORMER: (i64, &str) = (6, "crm");

/// The applied migrations of a database.
pub(crate) struct History(BTreeMap<i64, Applied>);

struct Applied {
    checksum: Vec<u8>,
    success: bool,
}

impl History {
    /// Reads the history of `migrator`; it is empty for a database without a schema.
    ///
    /// # Errors
    ///
    /// [`OpenError::FormerNumbering`] if it is not a history of this schema.
    pub(crate) async fn read<'e>(
        executor: impl Executor<'e, Database = Postgres>,
        migrator: &Migrator,
    ) -> Result<Self, OpenError> {
        // A simple query: it leaves no prepared statement on a pooler's connection.
        let select = format!("SELECT version, description, checksum, success FROM {}", migrator.table_name);
        let select = sqlx::raw_sql(AssertSqlSafe(select));
        let rows = match select.fetch_all(executor).await {
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(UNDEFINED_TABLE) => Vec::new(),
            rows => rows?,
        };
        let is_own = migrator.table_name == MIGRATOR.table_name;
        let applied = rows.iter().map(|row| {
            if is_own && (row.try_get("version")?, row.try_get("description")?) == FORMER {
                return Err(OpenError::FormerNumbering);
            }
            let applied = Applied { checksum: row.try_get("checksum")?, success: row.try_get("success")? };
            Ok((row.try_get("version")?, applied))
        });
        applied.collect::<Result<_, _>>().map(Self)
    }

    /// The pending migrations, in order.
    ///
    /// # Errors
    ///
    /// [`MigrateError::VersionMismatch`] if one was applied with another text,
    /// [`MigrateError::Dirty`] if one was applied in part.
    pub(crate) fn pending<'m>(&self, migrator: &'m Migrator) -> Result<Vec<&'m Migration>, MigrateError> {
        let mut pending = Vec::new();
        for migration in ups(migrator) {
            match self.0.get(&migration.version) {
                None => pending.push(migration),
                Some(applied) if !applied.success => return Err(MigrateError::Dirty(migration.version)),
                Some(applied) if *applied.checksum != *migration.checksum => {
                    return Err(MigrateError::VersionMismatch(migration.version));
                }
                Some(_) => {}
            }
        }
        Ok(pending)
    }

    /// Whether every migration of `migrator` was applied completely.
    pub(crate) fn has_all(&self, migrator: &Migrator) -> bool {
        ups(migrator).all(|migration| self.0.get(&migration.version).is_some_and(|applied| applied.success))
    }

    /// Logs a warning if the database has migrations that this program does not know: they belong
    /// to a later release, and by the rules of `migrations/README.md` this program can work with
    /// them.
    pub(crate) fn log_newer(&self, migrator: &Migrator) {
        let unknown: Vec<i64> =
            self.0.keys().copied().filter(|version| !ups(migrator).any(|one| one.version == *version)).collect();
        if !unknown.is_empty() {
            let known = ups(migrator).map(|migration| migration.version).max();
            tracing::info!(?unknown, known, "the schema is newer than this program, which goes on with it");
        }
    }
}

fn ups(migrator: &Migrator) -> impl Iterator<Item = &Migration> {
    migrator.iter().filter(|migration| migration.migration_type.is_up_migration())
}
