//! A whole ERP/CRM HTTP API as one [`tower::Service`]: customers, products, prospects — scoped to one company by API key.
//!
//! Everything is [`Api`]: `http::Request` in, `http::Response` out, `Error = Infallible`. It knows no web framework and no
//! database: a front end mounts it, a [`store::Store`] keeps its data.
//!
//! ```
//! use std::sync::Arc;
//! use svc_core::{Api, store::Store};
//!
//! /// The API over any store, published at `https://erp.example.com/api/v1`.
//! fn api(store: Arc<dyn Store>) -> Result<Api, svc_core::BuildError> {
//!     Api::builder(store, "https://erp.example.com/api/v1").max_body(256 * 1024).build()
//! }
//! ```
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

#![forbid(unsafe_code)]

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
