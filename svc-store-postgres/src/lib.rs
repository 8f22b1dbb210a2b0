//! The PostgreSQL store of [`svc_core`]: all SQL lives here, and only SQL.
//!
//! Each file is the twin of the file of that name in `svc_core::store`. A read is one statement without BEGIN, and every
//! filter is served by an index. [`PostgresStore::migrate`] brings the schema up to date.
//! With the feature `local`, the module `local` runs a private PostgreSQL from the machine's own binaries.

#![deny(unsafe_code)]

mod accounting;
mod bank;
mod catalogue;
mod certificate;
mod columns;
mod company;
mod copy;
mod customer;
mod delivery;
mod error;
mod idempotency;
mod import;
mod interaction;
mod invoice;
mod invoicing;
#[cfg(feature = "local")]
#[allow(unsafe_code, reason = "the death signal of a child process is set between fork and exec")]
pub mod local;
mod movement;
mod opportunity;
mod outbox;
mod page;
mod payable;
mod payment;
mod probe;
mod product;
mod purchase;
mod quota;
mod reader;
mod receivable;
mod sale;
mod settings;
mod staff;
mod stamping;
mod stock;
mod supplier;
mod transaction;
mod usage;
mod webhook;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use svc_core::domain::quota::Period;
use svc_core::store::{
    CompanyId, KeyId, KeyRecord, LeasedStamping, Reader, StampingLease, Store, StoreError, Tx, Usage, UsageStore,
};

use crate::error::store_error;
pub use crate::probe::Probe;
pub use crate::settings::Settings;

/// The schema's history.
static MIGRATOR: Migrator = sqlx::migrate!();

/// A [`Store`] on a PostgreSQL database, version 14 or later.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    pool: PgPool,
}

/// Why a store could not be opened or migrated.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address is not a PostgreSQL URL.
    #[error("DATABASE_URL is not a PostgreSQL address")]
    Url(#[source] sqlx::Error),
    /// The database refused or failed.
    #[error("the database cannot be used: {0}")]
    Database(#[from] sqlx::Error),
    /// A migration failed, or the schema is not one of ours.
    #[error("the schema cannot be brought up to date: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// Migrations are still to be done.
    #[error("the schema is older than this program")]
    Outdated,
}

impl PostgresStore {
    /// The store of the database at `url` (`postgres://user:password@host/database`). It connects when it is first asked.
    pub fn open(url: &str, settings: &Settings) -> Result<Self, OpenError> {
        Ok(Self::with_options(url.parse().map_err(OpenError::Url)?, settings))
    }

    /// The store of a database by its connection options.
    pub fn with_options(options: sqlx::postgres::PgConnectOptions, settings: &Settings) -> Self {
        Self { pool: settings.pool(options) }
    }

    /// Brings the schema up to date; gives how many migrations it took. Processes that do so at once wait for each other.
    pub async fn migrate(&self) -> Result<u64, OpenError> {
        let before = self.migrations().await?;
        MIGRATOR.run(&self.pool).await?;
        Ok(self.migrations().await?.saturating_sub(before))
    }

    /// How many migrations have been done.
    async fn migrations(&self) -> Result<u64, sqlx::Error> {
        let exists: bool =
            sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NOT NULL").fetch_one(&self.pool).await?;
        if !exists {
            return Ok(0);
        }
        let count: i64 =
            sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations WHERE success").fetch_one(&self.pool).await?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// The pool, for what a front end wants of it (a readiness check, figures).
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// What tells whether the database answers.
    pub fn probe(&self) -> Probe {
        Probe::new(self.pool.connect_options().as_ref().clone())
    }

    /// Waits for its connections to be handed back and closes them.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

#[async_trait]
impl UsageStore for PostgresStore {
    async fn keys(&self, ids: &[KeyId], period: Period) -> Result<Vec<KeyRecord>, StoreError> {
        usage::keys(&self.pool, ids, period).await
    }

    async fn add_usage(&self, usage: &Usage) -> Result<Usage, StoreError> {
        usage::add(&self.pool, usage).await
    }
}

#[async_trait]
impl Store for PostgresStore {
    fn reader(&self, company: CompanyId) -> Box<dyn Reader + '_> {
        Box::new(reader::PostgresReader { pool: &self.pool, empresa: company.0 })
    }

    async fn begin(&self, company: CompanyId) -> Result<Box<dyn Tx>, StoreError> {
        let tx = self.pool.begin().await.map_err(store_error)?;
        Ok(Box::new(transaction::PostgresTx { tx, empresa: company.0 }))
    }

    async fn forget_answers(&self, expired: DateTime<Utc>, most: u32) -> Result<u64, StoreError> {
        idempotency::forget(&self.pool, expired, most).await
    }

    async fn lease_stampings(&self, lease: &StampingLease) -> Result<Vec<LeasedStamping>, StoreError> {
        stamping::lease(&self.pool, lease).await
    }

    async fn next_company(&self) -> Result<CompanyId, StoreError> {
        sqlx::query_scalar("SELECT nextval('empresas_numero')")
            .fetch_one(&self.pool)
            .await
            .map(CompanyId)
            .map_err(store_error)
    }
}
