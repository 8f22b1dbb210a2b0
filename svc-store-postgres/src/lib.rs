//! The PostgreSQL store of [`svc_core`]: all SQL of the API, and no business rule.
//!
//! Each file implements the trait in the file of the same name in `svc_core::store`, where business
//! rules call it. `page/` builds the statements of lists, `sources/` the joins and filters that
//! need more than a table. A read is one statement without BEGIN, and every filter is served by an
//! index. [`PostgresStore::migrate`] brings the schema up to date.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use svc_core::{Api, Context};
//! use svc_store_postgres::{Pooler, PostgresStore, Settings};
//!
//! # async fn open() -> Result<(), Box<dyn std::error::Error>> {
//! // It connects at the first statement. Migrations take a session lock, so they bypass the pooler.
//! let direct = PostgresStore::open("postgres://user:password@database/svc", &Settings::default())?;
//! println!("{} migrations", direct.migrate().await?);
//! direct.close().await;
//!
//! // Behind PgBouncer in transaction mode, with a replica that lists are read from: both are optional.
//! let mut settings = Settings::default();
//! settings.pooler = Pooler::Transaction;
//! settings.max_connections = 50;
//! let store = PostgresStore::open("postgres://user:password@pooler:6432/svc", &settings)?
//!     .with_replica("postgres://user:password@pooler-of-the-replica:6432/svc", &settings)?;
//! let api = Api::new(&Context::builder(Arc::new(store), "https://erp.example.com/api/v1").build()?);
//! # Ok(())
//! # }
//! ```
//!
//! For development and tests, the crate `svc-local-postgres` runs a private PostgreSQL.

#![forbid(unsafe_code)]

mod accounting;
mod books;
mod cancellation;
mod certificate;
mod companies;
mod company;
mod copy;
mod correction;
mod credit;
mod customer;
mod database;
mod discard;
mod error;
mod events;
mod fork;
mod fragment;
mod host;
mod import;
mod invoice;
mod list;
pub mod metadata;
mod owner;
mod page;
mod parameter;
mod part;
mod payment;
mod pool;
mod printed;
mod probe;
mod product;
mod purchase;
mod queue;
mod reader;
mod receivable;
mod replica;
mod report;
mod request;
mod request_log;
mod restored;
mod retention;
mod row;
mod run;
mod sale;
mod schema;
mod searches;
mod secrets;
mod service;
mod settings;
mod sources;
mod sql;
mod stamping;
mod statistics;
mod store;
mod stored;
mod subscription;
mod ticket;
mod tls;
mod transaction;
mod usage;
mod value;
mod webhook;
mod xml;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use svc_core::domain::company::CompanyId;
use svc_core::store::{Reader, Store, StoreError, Tx};

pub use crate::certificate::EndingCertificate;
pub use crate::companies::ListedCompany;
pub use crate::error::store_error;
pub use crate::fork::{ForkError, LEFT_OUT};
pub use crate::host::{OwnReads, OwnTables, own_reads, own_tables};
pub use crate::pool::Connections;
pub use crate::probe::Probe;
pub use crate::restored::UnderWay;
use crate::run::Run as _;
pub use crate::schema::{OpenError, migrations};
pub use crate::settings::{Pooler, Settings};
use crate::sql::sql;
pub use crate::store::PostgresStore;
/// The sqlx that [`OwnTables::executor`] and [`store_error`] belong to. A host's own dependency on
/// sqlx has to be of the same version.
pub use sqlx;
/// The migrations of a host, made by [`migrations`] or by `sqlx::migrate!`.
pub use sqlx::migrate::Migrator;

#[async_trait]
impl Store for PostgresStore {
    fn reader(&self, company: CompanyId) -> Box<dyn Reader + '_> {
        Box::new(reader::PostgresReader { store: self, empresa: company.0 })
    }

    async fn begin(&self, company: CompanyId) -> Result<Box<dyn Tx>, StoreError> {
        let tx = self.requests.begin(company.0).await.map_err(store_error)?;
        Ok(Box::new(transaction::PostgresTx::new(tx, company.0, self.replica.clone())))
    }

    fn for_background(&self) -> Option<Arc<dyn Store>> {
        Some(Arc::new(self.in_background()))
    }

    async fn now(&self) -> Result<DateTime<Utc>, StoreError> {
        self.service.of_all().value(sql!("SELECT clock_timestamp()")).await
    }

    async fn next_company(&self) -> Result<CompanyId, StoreError> {
        self.requests.of_all().value(sql!("SELECT nextval('empresas_numero')")).await
    }

    async fn installation(&self) -> Result<String, StoreError> {
        let number: i64 = self.background.of_all().value(sql!("SELECT last_value FROM instalacion")).await?;
        Ok(restored::installation(number))
    }
}
