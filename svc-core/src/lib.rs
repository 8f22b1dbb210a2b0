//! A whole ERP/CRM HTTP API as one [`tower::Service`]: customers, products, prospects — scoped to one company by API key.
//!
//! Everything is [`Api`]: `http::Request` in, `http::Response` out, `Error = Infallible`. It knows no web framework and no
//! database: a front end mounts it, a [`store::Store`] keeps its data. It runs in a tokio runtime with timers enabled, and
//! spawns nothing there.
//!
//! # Quick start
//!
//! From an empty database to a customer, and what there is to do beside answering:
//!
//! ```
//! use std::sync::Arc;
//!
//! use bytes::Bytes;
//! use http::Request;
//! use svc_core::backoffice::CreateKey;
//! use svc_core::domain::clock::SystemClock;
//! use svc_core::domain::scope::Scopes;
//! use svc_core::stamping::{SandboxStamper, stamp_due};
//! use svc_core::store::{CompanyChange, CompanyId};
//! use svc_core::{Api, Budget, clean_up};
//! use svc_store_postgres::local::Cluster;
//! use svc_store_postgres::{PostgresStore, Settings};
//!
//! # #[tokio::main(flavor = "multi_thread", worker_threads = 1)]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A private PostgreSQL of the machine's own binaries, which goes with its variable (feature `local`). In earnest it is
//! // PostgresStore::open("postgres://user:password@host/database", &Settings::default())?
//! let cluster = Cluster::ephemeral()?;
//! let store = Arc::new(PostgresStore::with_options(cluster.options("postgres"), &Settings::default()));
//! store.migrate().await?;
//!
//! // The API, as the world knows it. Mount it in any server: it is a tower::Service.
//! let api = Api::builder(store.clone(), "https://erp.example.com/api/v1").build()?;
//!
//! // A company, and a key of its owner's. The secret is shown once.
//! let office = api.office();
//! let company = CompanyChange { nombre: Some("Mi empresa".to_owned()), ..CompanyChange::default() };
//! let company = CompanyId(office.create_company(company).await?.empresa);
//! let key = CreateKey { usuario: None, scopes: Scopes::all(), expires: None, accept_terms: true };
//! let key = office.perform(company, &key).await?;
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
//! // Beside answering: four times a second what was used is brought to the store,
//! api.merge_usage().await?;
//! // every second what is due is stamped and delivered,
//! stamp_due(&office, &SandboxStamper, Budget::unlimited()).await?;
//! # #[cfg(feature = "client")]
//! # {
//! use svc_core::webhooks::{HttpSender, Networks, deliver_due};
//! match HttpSender::new(Networks::default()) {
//!     Ok(sender) => println!("{:?}", deliver_due(&office, &sender, Budget::unlimited()).await?),
//!     Err(no_authorities) => eprintln!("nothing is delivered: {no_authorities}"),
//! }
//! # }
//! // and now and then what is kept no longer is removed.
//! clean_up(store.as_ref(), &SystemClock).await?;
//! # store.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! All are off by default, and each adds to the others:
//!
//! - `client`: outgoing connections, over hyper and rustls. With it there are `webhooks::HttpSender` and
//!   `stamping::HttpStamper`; without it bring a [`webhooks::Sender`] and a [`stamping::Stamper`] of your own.
//! - `smtp`: e-mails over SMTP. With it there is `webhooks::SmtpNotifier`; without it bring a [`webhooks::Notifier`] of your own.
//! - `settings`: the settings of `svc serve` that any server may have, as flags and environment variables (clap): the module
//!   `settings`. It includes both of the others, since it makes the stamper, the sender and the notifier that are set.
//!
//! # What is where
//!
//! - [`operation`] is what an operation is, and how to add one; [`api`] holds them all.
//! - [`store`] is what is asked of a database; the crate `svc-store-postgres` answers it.
//! - [`backoffice`] is what the ERP's own screens do, for embedders and the command line.
//! - [`stamping`] has tax documents stamped; [`domain::cfdi`] makes them.
//! - [`domain`] holds the rules, without I/O.
//! - [`usage`] counts what companies use, for the limits.
//! - [`webhooks`] tells others what happened.
//! - [`observe`] is what it tells of itself: spans, lines, figures.
//! - [`secrets`] is how secrets are kept at rest.
//! - `settings` (feature `settings`) is what a server is set by.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod api;
pub mod backoffice;
mod budget;
mod cleanup;
pub mod domain;
mod error;
pub mod json;
pub mod observe;
pub mod operation;
#[cfg(feature = "client")]
mod outbound;
mod pipeline;
mod posting;
mod schema;
pub mod secrets;
mod service;
#[cfg(feature = "settings")]
pub mod settings;
pub mod stamping;
pub mod store;
#[cfg(test)]
mod testing;
pub mod usage;
pub mod webhooks;

pub use budget::Budget;
pub use cleanup::clean_up;
pub use error::{Code, Error};
pub use pipeline::{TERMS_VERSION, parse_key_id};
pub use service::{Api, ApiBuilder, BuildError, DEFAULT_IN_FLIGHT, DEFAULT_MAX_BODY, DEFAULT_RATE_PER_MINUTE};
