//! The schema and its history.

use sqlx::migrate::Migrator;

/// The schema's history.
pub(crate) static MIGRATOR: Migrator = sqlx::migrate!();

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
    /// There are migrations to do, and a pooler in the way of them.
    #[error(
        "the schema is older than this program, and is brought up to date past the pooler: at the database's own address"
    )]
    Pooled,
    /// Migrations are still to be done.
    #[error("the schema is older than this program")]
    Outdated,
}
