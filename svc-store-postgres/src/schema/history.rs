//! The migrations that a database has had, compared with those that this program has.

use std::collections::BTreeMap;

use sqlx::migrate::{MigrateError, Migration, Migrator};
use sqlx::{Executor, Postgres, Row as _};

use super::OpenError;

/// The table that the history is kept in.
pub(super) const TABLE: &str = "_sqlx_migrations";

/// The error of PostgreSQL for a table that is not there.
const UNDEFINED_TABLE: &str = "42P01";

/// A migration that only databases from before the first release have had: its number and its name.
const FORMER: (i64, &str) = (6, "crm");

/// The migrations that a database has had.
pub(crate) struct History(BTreeMap<i64, Applied>);

struct Applied {
    checksum: Vec<u8>,
    success: bool,
}

impl History {
    /// Reads the history; that of a database without a schema is empty.
    ///
    /// # Errors
    ///
    /// [`OpenError::FormerNumbering`] if it is not a history of this schema.
    pub(crate) async fn read<'e>(executor: impl Executor<'e, Database = Postgres>) -> Result<Self, OpenError> {
        // A simple query: it leaves no prepared statement on a pooler's connection.
        let select = sqlx::raw_sql("SELECT version, description, checksum, success FROM _sqlx_migrations");
        let rows = match select.fetch_all(executor).await {
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(UNDEFINED_TABLE) => Vec::new(),
            rows => rows?,
        };
        let applied = rows.iter().map(|row| {
            if (row.try_get("version")?, row.try_get("description")?) == FORMER {
                return Err(OpenError::FormerNumbering);
            }
            let applied = Applied { checksum: row.try_get("checksum")?, success: row.try_get("success")? };
            Ok((row.try_get("version")?, applied))
        });
        applied.collect::<Result<_, _>>().map(Self)
    }

    /// The migrations that the database has not had, in their order.
    ///
    /// # Errors
    ///
    /// [`MigrateError::VersionMismatch`] if it had one with another text, [`MigrateError::Dirty`]
    /// if it had a part of one.
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

    /// Whether every migration of `migrator` has been done, and to its end.
    pub(crate) fn has_all(&self, migrator: &Migrator) -> bool {
        ups(migrator).all(|migration| self.0.get(&migration.version).is_some_and(|applied| applied.success))
    }

    /// Logs it if the database has had migrations that this program does not have: a later release
    /// made them, and by the rules of `migrations/README.md` this one can work with what they left.
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
