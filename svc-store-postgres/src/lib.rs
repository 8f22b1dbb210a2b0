//! The PostgreSQL store of [`svc_core`]: all SQL lives here, and only SQL.
//!
//! Each file is the twin of the file of that name in `svc_core::store`. A read is one statement without BEGIN, and every
//! filter is served by an index. [`PostgresStore::migrate`] brings the schema up to date.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use svc_core::Api;
//! use svc_store_postgres::{Pooler, PostgresStore, Settings};
//!
//! # async fn open() -> Result<(), Box<dyn std::error::Error>> {
//! // It connects when it is first asked. Migrations take a lock of the session's: they go past a pooler.
//! let direct = PostgresStore::open("postgres://user:password@database/svc", &Settings::default())?;
//! println!("{} migrations", direct.migrate().await?);
//! direct.close().await;
//!
//! // Behind PgBouncer in transaction mode, with a replica that lists are read from: both are optional.
//! let settings = Settings { pooler: Pooler::Transaction, max_connections: 50, ..Settings::default() };
//! let store = PostgresStore::open("postgres://user:password@pooler:6432/svc", &settings)?
//!     .with_replica("postgres://user:password@pooler-of-the-replica:6432/svc", &settings)?;
//! let api = Api::builder(Arc::new(store), "https://erp.example.com/api/v1").build()?;
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! `local` (off by default): the module `local` runs a private PostgreSQL from the machine's own binaries, for development and
//! tests.

#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod accounting;
mod bank;
mod catalogue;
mod certificate;
mod columns;
mod company;
mod copy;
mod customer;
mod database;
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
mod replica;
mod sale;
mod settings;
mod staff;
mod stamping;
mod stock;
mod supplier;
mod transaction;
mod usage;
mod webhook;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use sqlx::postgres::PgConnectOptions;
use svc_core::domain::quota::Period;
use svc_core::store::{
    CompanyId, KeyId, KeyRecord, LeasedStamping, Reader, StampingLease, Store, StoreError, Tx, Usage, UsageStore,
};

use crate::database::Database;
use crate::error::store_error;
pub use crate::probe::Probe;
use crate::replica::Replica;
pub use crate::settings::{Pooler, Settings};

/// The schema's history.
static MIGRATOR: Migrator = sqlx::migrate!();

/// A [`Store`] on a PostgreSQL database, version 14 or later.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    database: Database,
    replica: Option<Arc<Replica>>,
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
    /// There are migrations to do, and a pooler in the way of them.
    #[error(
        "the schema is older than this program, and is brought up to date past the pooler: at the database's own address"
    )]
    Pooled,
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
    pub fn with_options(options: PgConnectOptions, settings: &Settings) -> Self {
        Self { database: Database::new(options, settings), replica: None }
    }

    /// With a replica at `url`, from which lists are read; see [`PostgresStore::with_replica_options`].
    pub fn with_replica(self, url: &str, settings: &Settings) -> Result<Self, OpenError> {
        Ok(self.with_replica_options(url.parse().map_err(OpenError::ReplicaUrl)?, settings))
    }

    /// With a replica, by its connection options, from which lists are read, and nothing else.
    ///
    /// What it yields is as old as the replica is behind: nothing here measures how far that is. A company reads from the primary for
    /// one second after it wrote through this store, so that it finds what it wrote; through another process it may have to wait
    /// until the replica has it. A replica that fails, or takes longer than three seconds, is left alone for five; its reads go to the
    /// primary.
    #[must_use]
    pub fn with_replica_options(mut self, options: PgConnectOptions, settings: &Settings) -> Self {
        self.replica = Some(Arc::new(Replica::new(options, settings)));
        self
    }

    /// Brings the schema up to date; gives how many migrations it took. Processes that do so at once wait for each other, by
    /// a lock of the session's: behind a pooler in transaction mode, where sessions keep nothing, a schema that is not up to date is
    /// [`OpenError::Pooled`].
    pub async fn migrate(&self) -> Result<u64, OpenError> {
        let before = self.migrations().await?;
        if self.database.is_pooled() {
            let all = MIGRATOR.iter().filter(|migration| migration.migration_type.is_up_migration()).count();
            return if before < all as u64 { Err(OpenError::Pooled) } else { Ok(0) };
        }
        MIGRATOR.run(self.database.pool()).await?;
        Ok(self.migrations().await?.saturating_sub(before))
    }

    /// How many migrations have been done.
    async fn migrations(&self) -> Result<u64, sqlx::Error> {
        let exists: bool =
            sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NOT NULL").fetch_one(&self.database).await?;
        if !exists {
            return Ok(0);
        }
        let count: i64 =
            sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations WHERE success").fetch_one(&self.database).await?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// The pool, for what a front end wants of it (a readiness check, figures).
    pub fn pool(&self) -> &PgPool {
        self.database.pool()
    }

    /// What tells whether the database answers.
    pub fn probe(&self) -> Probe {
        Probe::new(self.database.pool().connect_options().as_ref().clone())
    }

    /// Waits for its connections to be handed back and closes them.
    pub async fn close(&self) {
        if let Some(replica) = &self.replica {
            replica.close().await;
        }
        self.database.pool().close().await;
    }
}

#[async_trait]
impl UsageStore for PostgresStore {
    async fn keys(&self, ids: &[KeyId], period: Period) -> Result<Vec<KeyRecord>, StoreError> {
        usage::keys(&self.database, ids, period).await
    }

    async fn add_usage(&self, usage: &Usage) -> Result<Usage, StoreError> {
        usage::add(&self.database, usage).await
    }
}

#[async_trait]
impl Store for PostgresStore {
    fn reader(&self, company: CompanyId) -> Box<dyn Reader + '_> {
        Box::new(reader::PostgresReader { store: self, empresa: company.0 })
    }

    async fn begin(&self, company: CompanyId) -> Result<Box<dyn Tx>, StoreError> {
        let tx = self.database.begin().await.map_err(store_error)?;
        let named = !self.database.is_pooled();
        Ok(Box::new(transaction::PostgresTx { tx, empresa: company.0, named, replica: self.replica.clone() }))
    }

    async fn forget_answers(&self, expired: DateTime<Utc>, most: u32) -> Result<u64, StoreError> {
        idempotency::forget(&self.database, expired, most).await
    }

    async fn lease_stampings(&self, lease: &StampingLease) -> Result<Vec<LeasedStamping>, StoreError> {
        stamping::lease(&self.database, lease).await
    }

    async fn next_company(&self) -> Result<CompanyId, StoreError> {
        sqlx::query_scalar("SELECT nextval('empresas_numero')")
            .fetch_one(&self.database)
            .await
            .map(CompanyId)
            .map_err(store_error)
    }
}
