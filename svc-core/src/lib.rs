//! The HTTP API of an ERP and CRM with Mexican invoicing, as one [`tower::Service`]. The API key of
//! a request selects the company.
//!
//! [`Api`] takes an `http::Request` and returns an `http::Response`; `Error = Infallible`. It
//! depends on no web framework and no database: a front end mounts it, and a [`store::Store`] keeps
//! its data. It runs in a tokio runtime with timers enabled, and spawns no tasks but the short
//! ones that write down what keys have used.
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
//! use svc_core::stamping::SandboxStamper;
//! use svc_core::store::CompanyChange;
//! use svc_core::{Api, Context, Providers};
//! use svc_local_postgres::Cluster;
//! use svc_store_postgres::{PostgresStore, Settings};
//!
//! # #[tokio::main(flavor = "multi_thread", worker_threads = 1)]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A private PostgreSQL from the machine's own binaries, which stops when it is dropped. In
//! // production: PostgresStore::open("postgres://user:password@host/database", &Settings::default())?
//! let cluster = Cluster::ephemeral()?;
//! let store = Arc::new(PostgresStore::with_options(cluster.options("postgres"), &Settings::default()));
//! store.migrate().await?;
//!
//! // A process has one context: store, clock, secrets, public address. The API over it is a
//! // tower::Service, which any server can mount.
//! let context = Context::builder(store.clone(), "https://erp.example.com/api/v1").build()?;
//! let api = Api::new(&context);
//!
//! // All background work is one future. Here it stamps, merges usage and cleans up; with a sender and
//! // a notifier (features `client` and `smtp`) it also delivers webhooks and e-mails.
//! let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
//! let background = context.clone();
//! let work = tokio::spawn(async move {
//!     background.work(Providers::default().stamper(SandboxStamper), async { stopped.await.unwrap_or_default() }).await;
//! });
//!
//! // A company, and a key that its owner owns. The secret is shown once.
//! let company = CompanyChange { nombre: Some("Mi empresa".to_owned()), ..CompanyChange::default() };
//! let company = context.create_company(company).await?.empresa;
//! let key = CreateKey { usuario: None, scopes: Scopes::all().into(), expires: None, accept_terms: true };
//! let key = context.run(company, &key).await?;
//!
//! // A request, as a front end would pass it on.
//! let request = Request::post("/clientes")
//!     .header("Authorization", format!("Bearer {}", key.api_key))
//!     .header("X-Svc-Key-Id", &key.key_id)
//!     .header("Idempotency-Key", "my-first-customer")
//!     .header("Content-Type", "application/json")
//!     .body(Bytes::from(r#"{"nombre": "Ana"}"#))?;
//! let answer = api.handle(request).await;
//! assert_eq!(answer.status(), 201);
//!
//! // Before it ends, the background work finishes attempts in progress and merges the last usage.
//! drop(stop);
//! work.await?;
//! # store.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! All are off by default, and each only adds items:
//!
//! - `client`: outgoing connections over hyper and rustls: `webhooks::HttpSender`,
//!   `stamping::HttpStamper` and others. Without it, implement [`webhooks::Sender`] and
//!   [`stamping::Stamper`] yourself.
//! - `logos`: logos of companies, from PNG and SVG files, on their documents.
//! - `mcp`: the module `mcp`, with the operations as tools for agents, over the Model Context
//!   Protocol.
//! - `pages`: the module `pages`, with the reference, guides and descriptions for the authors of
//!   clients.
//! - `smtp`: e-mails over SMTP: `mail::SmtpNotifier`. Without it, implement [`mail::Notifier`]
//!   yourself.
//! - `settings`: the module `settings`, with the flags and environment variables (clap) of
//!   `svc serve` that any server may have. It includes `client` and `smtp`, since it creates the
//!   stamper, the sender and the notifier that are configured.
//!
//! # To embed it
//!
//! - Create one [`Context`] per process. [`Api`] answers requests, and [`Context::work`] does all
//!   background work through [`Providers`].
//! - [`Context::run`] runs one of the [`operations`] from Rust, and [`Context::run_by_name`] runs
//!   it by name, whether HTTP reaches it or not. [`Context::import`] loads records in bulk.
//! - [`Context::list`] reads the records of any list as a stream of their type.
//! - [`webhooks`], [`stamping`] and [`mail`] define sender, stamper and notifier, and implement
//!   them. Each pass over a backlog can also be called by itself, within a [`Budget`], as a
//!   scheduled function does.
//! - [`ContextBuilder::operation`], [`ContextBuilder::list`], [`ContextBuilder::event`] and
//!   [`ContextBuilder::hook`] add operations, lists, events and rules of your own, with their
//!   paths, scopes, errors and tables; [`ContextBuilder::subscriber`] adds what follows from
//!   events. The example `parcels` shows all of them.
//! - [`ContextBuilder::attachments`] adds complements and addendas of your own to tax documents.
//! - [`Context::authenticate`] and [`Context::sign_in`] let routes of your own take the API's keys,
//!   and an [`Authenticator`] lets the API take your sessions.
//! - [`registry`] lists all operations as data, [`observe`] documents logs and metrics, [`secrets`]
//!   how secrets are stored, and `settings` (feature `settings`) reads a server's configuration.
//!
//! # The store
//!
//! - [`store`] is the interface to the database: [`store::Store`], [`store::Reader`] for lists, and
//!   a trait per area of the domain for writes. The crate `svc-store-postgres` implements it;
//!   [`store::StoreLayer`] wraps an implementation to observe it.
//! - [`record`] declares the records: table, columns, list and filters, and the values of columns.
//! - [`domain`] has the rules and the types that both sides share, without I/O.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// `record!` writes `svc_core::` paths, which must also resolve inside this crate.
extern crate self as svc_core;

mod budget;
mod cleanup;
mod compute;
mod context;
pub mod domain;
mod error;
#[cfg(test)]
mod fuzz;
pub mod json;
mod leases;
pub mod mail;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod observe;
mod office;
mod openapi;
pub mod operation;
pub mod operations;
#[cfg(feature = "client")]
mod outbound;
#[cfg(feature = "pages")]
pub mod pages;
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
pub mod subscribers;
#[cfg(test)]
mod testing;
mod usage;
pub mod webhooks;
mod work;

pub use budget::Budget;
pub use cleanup::{clean_up, clean_up_telling};
pub use compute::Job;
pub use context::{
    AttachmentFault, Attachments, Authenticator, ClockOffset, Context, ContextBuilder, ContextError, DEFAULT_MAX_BODY,
    Identity, Listing, UnsealedDocument,
};
pub use domain::company::{TERMS_VERSION, parse_key_id};
pub use error::{Code, Error, OwnCode};
pub use office::{Office, OfficeBody};
pub use openapi::{Language, NamedOperation, meaning, openapi, remedy};
pub use operation::{Registry, RegistryError, RouteError};
pub use pipeline::{Authenticated, SignIn, SignedIn};
/// The schemars whose `JsonSchema` the types of operations and lists implement. A host that derives
/// it through this name adds `#[schemars(crate = "svc_core::schemars")]`; `record!` needs the crate
/// among the host's own dependencies.
pub use schemars;
pub use service::{Api, ClientAddress};
pub use work::{Provider, Providers};
