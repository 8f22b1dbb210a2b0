//! A whole ERP/CRM HTTP API as one [`tower::Service`]: customers, products, prospects — scoped to
//! one company by API key.
//!
//! The API is [`Api`]: `http::Request` in, `http::Response` out, `Error = Infallible`. It knows no
//! web framework and no database: a front end mounts it, a [`store::Store`] keeps its data. It runs
//! in a tokio runtime with timers enabled, and spawns nothing there.
//!
//! # Quick start
//!
//! From an empty database to a customer, with all background work:
//!
//! ```
//! use std::sync::Arc;
//!
//! use bytes::Bytes;
//! use http::Request;
//! use svc_core::operations::CreateKey;
//! use svc_core::domain::scope::Scopes;
//! use svc_core::stamping::{SandboxStamper, Stamper};
//! use svc_core::store::CompanyChange;
//! use svc_core::{Api, Context, Providers};
//! use svc_local_postgres::Cluster;
//! use svc_store_postgres::{PostgresStore, Settings};
//!
//! # #[tokio::main(flavor = "multi_thread", worker_threads = 1)]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A private PostgreSQL from the machine's own binaries, which stops when it is dropped. In production use
//! // PostgresStore::open("postgres://user:password@host/database", &Settings::default())?
//! let cluster = Cluster::ephemeral()?;
//! let store = Arc::new(PostgresStore::with_options(cluster.options("postgres"), &Settings::default()));
//! store.migrate().await?;
//!
//! // What a process has once: store, clock, secrets, public address. On it the API: mount it in any server, it is a
//! // tower::Service.
//! let context = Context::builder(store.clone(), "https://erp.example.com/api/v1").build()?;
//! let api = Api::new(&context)?;
//!
//! // All background work as one future: stamping here; webhooks and e-mails too, given a sender and a notifier (features
//! // `client` and `smtp`); usage and clean-up in any case.
//! let stamper: Arc<dyn Stamper> = Arc::new(SandboxStamper);
//! let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
//! let background = context.clone();
//! let work = tokio::spawn(async move {
//!     background.work(Providers::default().stamper(stamper), async { stopped.await.unwrap_or_default() }).await;
//! });
//!
//! // A company, and a key of its owner's. The secret is shown once.
//! let company = CompanyChange { nombre: Some("Mi empresa".to_owned()), ..CompanyChange::default() };
//! let company = context.create_company(company).await?.empresa;
//! let key = CreateKey { usuario: None, scopes: Scopes::all(), expires: None, accept_terms: true };
//! let key = context.run(company, &key).await?;
//!
//! // A request, as a front end would hand it over.
//! let request = Request::post("/clientes")
//!     .header("Authorization", format!("Bearer {}", key.api_key))
//!     .header("X-Svc-Key-Id", &key.key_id)
//!     .header("Idempotency-Key", "my-first-customer")
//!     .header("Content-Type", "application/json")
//!     .body(Bytes::from(r#"{"nombre": "Ana"}"#))?;
//! let answer = api.handle(request).await;
//! assert_eq!(answer.status(), 201);
//!
//! // At the end what was under way is finished, and what was used last is merged.
//! drop(stop);
//! work.await?;
//! # store.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! All are off by default, and each adds to the others:
//!
//! - `client`: outgoing connections, over hyper and rustls. With it there are
//!   `webhooks::HttpSender` and `stamping::HttpStamper`; without it bring a [`webhooks::Sender`]
//!   and a [`stamping::Stamper`] of your own.
//! - `smtp`: e-mails over SMTP. With it there is `mail::SmtpNotifier`; without it bring a
//!   [`mail::Notifier`] of your own.
//! - `settings`: the settings of `svc serve` that any server may have, as flags and environment
//!   variables (clap): the module `settings`. It includes both of the others, since it makes the
//!   stamper, the sender and the notifier that are set.
//!
//! # To embed it
//!
//! - [`Context`] is made once; [`Api`] answers, [`Context::work`] does the rest, [`Providers`] is
//!   what that goes through.
//! - [`Context::run`] runs an operation from Rust, [`Context::run_by_name`] one by its name: those of
//!   [`operations`], whether HTTP reaches them or only the back office. [`Context::import`] loads
//!   records in bulk.
//! - [`webhooks`] and [`stamping`] say what a sender, a notifier and a stamper are, and have them;
//!   each pass over a backlog can be called by itself, within a [`Budget`], as a scheduled function
//!   does.
//! - [`registry`] lists all operations as data. [`observe`] says what is logged and counted.
//!   [`secrets`] says how secrets are kept at rest. `settings` (feature `settings`) is what a
//!   server is set by.
//!
//! # The store
//!
//! - [`store`] is the seam to the database: [`store::Store`], [`store::Reader`] for lists, and a
//!   trait per aggregate for writes. The crate `svc-store-postgres` implements it;
//!   [`store::StoreLayer`] wraps it, to observe it.
//! - [`record`] says what a record is: its table, its columns, its list and filters, and what a
//!   column holds.
//! - [`domain`] holds the rules and the types that both sides speak in, without I/O.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// `record!` names this crate as a host of it does.
extern crate self as svc_core;

mod budget;
mod cleanup;
mod context;
pub mod domain;
mod error;
#[cfg(test)]
mod fuzz;
pub mod json;
mod leases;
pub mod mail;
pub mod observe;
mod openapi;
pub mod operation;
pub mod operations;
#[cfg(feature = "client")]
mod outbound;
mod pipeline;
mod posting;
pub mod record;
pub mod registry;
mod schema;
pub mod secrets;
mod service;
#[cfg(feature = "settings")]
pub mod settings;
pub mod stamping;
pub mod store;
#[cfg(test)]
mod testing;
mod usage;
pub mod webhooks;
mod work;

pub use budget::Budget;
pub use cleanup::clean_up;
pub use context::{BaseUrlError, Context, ContextBuilder, DEFAULT_MAX_BODY};
pub use domain::company::{TERMS_VERSION, parse_key_id};
pub use error::{Code, Error};
pub use openapi::{Language, openapi, remedy};
pub use operation::RouteError;
pub use service::Api;
pub use work::Providers;
