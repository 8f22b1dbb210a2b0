//! What the project tests itself with, for tests of a host's own operations.
//!
//! A [`World`] is a database on a private PostgreSQL, which the tests' process starts once and
//! takes with it, the API over it without a port, and a clock that stands still until the test
//! moves it. [`World::host`] adds a host's operations and tables. A [`Company`] in it takes
//! milliseconds; an [`Actor`] is a client with a key of that company, whose answers are checked
//! against the OpenAPI document, the host's operations included. [`checks`] holds what every list,
//! write and table must do.
//!
//! ```no_run
//! use serde_json::json;
//! use svc_test_kit::{World, checks};
//!
//! # fn with_parcels(context: svc_core::ContextBuilder) -> svc_core::ContextBuilder { context }
//! # fn migrations() -> svc_store_postgres::Migrator { unimplemented!() }
//! # async fn test() {
//! // In the database that tests share: each has its own company, so that none sees another's records.
//! let world = World::host().part(with_parcels).migrations("paqueteria", migrations).shared().await;
//! let company = world.company().await;
//! let ana = company.key_with(&["paqueteria:read", "paqueteria:write", "ventas:write"]).await;
//! let sent = ana.post("/paqueteria/envios", json!({"venta": 1, "guia": "7946"})).await;
//! sent.fails(422, "referencia_invalida");
//! checks::tables(&world).await;
//! checks::lists(&ana).await;
//! # }
//! ```
//!
//! The passes of workers ([`World::deliver`] and the like) do what is due in the whole database: a
//! test of them has a database of its own ([`Setup::own_database`], [`World::new`]).

#![allow(clippy::missing_panics_doc, reason = "a harness that cannot go on panics: that is how a test fails")]

mod actor;
mod certificate;
pub mod checks;
mod clock;
mod company;
pub mod contract;
mod database;
pub mod lists;
mod nodes;
pub mod office;
pub mod pooler;
pub mod receiver;
mod setup;
pub mod values;
mod world;

pub use actor::{Actor, Reply, fresh_key};
pub use clock::TestClock;
pub use company::{Company, any_key};
pub use database::url as database_url;
pub use setup::Setup;
pub use svc_core::operations::import::{Existing, Resource};
pub use world::{BASE_URL, World, in_notice_mode, key, pool_of, pool_of_options, secrets_key};

/// A value with some fields set, of a type that may get more fields: `with!(Settings::default(),
/// max_connections: 1)`.
#[macro_export]
macro_rules! with {
    ($base:expr, $($field:ident: $value:expr),+ $(,)?) => {{
        let mut value = $base;
        $(value.$field = $value;)+
        value
    }};
}
