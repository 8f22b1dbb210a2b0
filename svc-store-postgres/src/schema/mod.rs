//! The schema and its history. `migrations/README.md` has the rules of migrations.

mod distribute;
mod history;
mod migrate;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::LazyLock;

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

pub(crate) use self::distribute::HAS_ENGINE;
pub(crate) use self::history::History;
pub(crate) use self::migrate::{HistoryAttempts, MigrationProgress, Patience, distribute, migrate};

/// Files of a folder, as [`migrations`] takes them.
macro_rules! migration_files {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        [$(($name, include_str!(concat!("../../migrations/", $folder, $name, ".sql")))),+]
    };
}

/// The migrations of this program.
pub(crate) static MIGRATOR: LazyLock<Migrator> = LazyLock::new(|| {
    migrations(&migration_files!("":
        "0001_companies",
        "0002_catalogue",
        "0003_customers",
        "0004_stock",
        "0005_sales",
        "0006_documents",
        "0007_money_and_purchases",
        "0008_webhooks_and_operation",
    ))
});

/// The name of the part for metadata among hosts' migrations.
pub(crate) const METADATA: &str = "metadatos";

/// The migrations of the part for metadata.
pub(crate) fn metadata_migrator() -> Migrator {
    migrations(&migration_files!("metadata/": "0001_metadata"))
}

/// The longest name of a host's migrations, in bytes. PostgreSQL cuts names of tables at 63.
const MAX_HOST_NAME: usize = 50;

/// Whether two lists of migrations are the same.
fn same(one: &Migrator, other: &Migrator) -> bool {
    one.iter().map(|one| &one.checksum).eq(other.iter().map(|one| &one.checksum))
}

/// A host's migrations, recorded in a table of their own.
pub(crate) fn own_migrations(host: &str, mut migrations: Migrator) -> Result<Migrator, OpenError> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let is_taken = host == METADATA && !same(&migrations, &metadata_migrator());
    if host.is_empty() || host.len() > MAX_HOST_NAME || !host.bytes().all(is_plain) || is_taken {
        return Err(OpenError::HostName(host.to_owned()));
    }
    let mut numbers = HashSet::new();
    for one in migrations.iter().filter(|one| !one.migration_type.is_down_migration()) {
        if one.version < 1 || !numbers.insert(one.version) {
            return Err(OpenError::HostNumber(host.to_owned(), one.description.clone().into_owned(), one.version));
        }
    }
    migrations.dangerous_set_table_name(format!("_migraciones_{host}"));
    Ok(migrations)
}

/// Migrations of files: name and text of each. A name is a number from 1 on, `_` and a description;
/// [`PostgresStore::migrate_own`](crate::PostgresStore::migrate_own) refuses others. A text that
/// begins with `-- no-transaction` runs without. `sqlx::migrate!` makes the same of a folder,
/// but contains the whole driver, so that everything is compiled a second time for it.
///
/// ```
/// let migrations = svc_store_postgres::migrations(&[
///     // The text of a file: include_str!("../migrations/0001_parcels.sql").
///     ("0001_parcels", "CREATE TABLE paquetes (empresa bigint, clave bigint, PRIMARY KEY (empresa, clave))"),
/// ]);
/// assert_eq!(migrations.iter().count(), 1);
/// ```
pub fn migrations(files: &[(&'static str, &'static str)]) -> Migrator {
    let migration = |&(name, sql): &(&'static str, &'static str)| {
        let (number, description) = name.split_once('_').unwrap_or((name, ""));
        let version = number.parse().unwrap_or_default();
        let is_outside = sql.starts_with("-- no-transaction");
        let description = description.replace('_', " ").into();
        Migration::new(version, description, MigrationType::Simple, sql.into_sql_str(), is_outside)
    };
    Migrator::with_migrations(files.iter().map(migration).collect())
}

/// Why a store could not be opened or migrated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The address is not a PostgreSQL URL.
    #[error("DATABASE_URL is not a PostgreSQL address")]
    Url(#[source] sqlx::Error),
    /// The replica's address is not a PostgreSQL URL.
    #[error("the replica's address is not a PostgreSQL address")]
    ReplicaUrl(#[source] sqlx::Error),
    /// The database refused or failed.
    #[error("the database cannot be used: {0}")]
    Database(#[from] sqlx::Error),
    /// A migration failed, or the schema is not one of ours.
    #[error("the schema cannot be brought up to date: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// A host's migration failed, or its tables are not those of the migrations; contains the name
    /// of the migrations.
    #[error("the tables of {0} cannot be brought up to date: {1}")]
    OwnMigrate(String, #[source] sqlx::migrate::MigrateError),
    /// The schema was made by a program from before the first release, whose migrations had other
    /// numbers.
    #[error(
        "the database is from before the first release and cannot be brought up to date: create an empty one, and import \
         into it what the program that made it lists"
    )]
    FormerNumbering,
    /// Another process has been migrating for longer than
    /// [`Settings::migration_patience`](crate::Settings::migration_patience).
    #[error("another process is still migrating the database (application_name 'svc migrate' in pg_stat_activity)")]
    Migrating,
    /// Migrations are pending, and a pooler stands in their way.
    #[error(
        "the schema is older than this program, and is brought up to date past the pooler: at the database's own address"
    )]
    Pooled,
    /// The name of a host's migrations is empty, has more than 50 characters or others than
    /// lower-case letters, digits and `_`, or is that of [`metadata`](crate::metadata); contains
    /// it.
    #[error("{0:?} is no name for a host's migrations: up to 50 lower-case letters, digits and _, and not metadatos")]
    HostName(String),
    /// A host's migration has the number of another, or none; contains the name of the migrations,
    /// the description of the migration, and its number, which is 0 if it has none.
    #[error("the migration {1:?} of {0} has the number {2}, which is that of another, or none: they are 1, 2, 3 …")]
    HostNumber(String, String, i64),
    /// The database has no engine to distribute tables with.
    #[error(
        "the extension citus is not in this database: CREATE EXTENSION citus in it and in the one of its name on every \
         worker, and citus_add_node each worker"
    )]
    NoEngine,
    /// Migrations are pending.
    #[error("the schema is older than this program")]
    Outdated,
    /// The server is read-only: it is a replica, or was made read-only.
    #[error("the database takes no writes")]
    ReadOnly,
    /// All connections for requests are in use, and none has returned for seconds.
    #[error("the connections to the database are stuck")]
    Stuck,
}

impl OpenError {
    /// The error of migrations named `host`.
    pub(crate) fn of_host(self, host: &str) -> Self {
        match self {
            Self::Migrate(error) => Self::OwnMigrate(host.to_owned(), error),
            other => other,
        }
    }

    /// Whether the database cannot be reached for now: it is starting, is full, or the way to it is
    /// cut.
    pub fn is_unreachable(&self) -> bool {
        match self {
            Self::Database(sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut) => true,
            Self::Database(sqlx::Error::Database(error)) => {
                // connection exceptions; out of connections; shutting down, crashing, starting up
                error.code().is_some_and(|code| code.starts_with("08") || code == "53300" || code.starts_with("57P"))
            }
            _ => false,
        }
    }
}
