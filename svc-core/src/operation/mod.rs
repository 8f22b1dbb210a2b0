//! Operations: the trait, its context, its specification, the router, pages and queries.
//!
//! An operation is one type: its fields are its input, its [`Spec`] declares its route and its
//! errors, and [`Operation::run`] executes it. Over HTTP the parameters of the path are fields of
//! the input like those of the body; on the command line and in Rust they are passed with the
//! others. A list is a record with a [`crate::record::List`]; a read that returns a file instead of
//! JSON is a [`Download`].
//!
//! # How to add one
//! 1. In `operations/<resource>/`, add a struct of the input's fields by their names on the wire,
//!    which derives `Deserialize` and `JsonSchema`, with `impl Operation`. Its output derives
//!    `Serialize` and `JsonSchema`.
//! 2. Its line in [`crate::registry`]; what it is in `openapi/texts/`, where a test says what is
//!    missing.
//! 3. What it needs of the database: a method of the aggregate's trait in `store/`, its SQL in the
//!    twin file. A rule that needs no database is a pure function in `domain/`.
//! 4. A test file in `tests/it/` under the same path. The table tests go over the registry, so they
//!    cover it already.

mod cx;
mod download;
mod entry;
mod errors;
pub mod page;
pub(crate) mod path;
pub(crate) mod query;
mod router;
mod run;
mod spec;

use std::future::Future;

use http::StatusCode;

pub(crate) use cx::uuid_v7;
pub use cx::{Actor, Cx};
pub use download::Download;
pub use entry::Entry;
pub(crate) use entry::{Answer, AnyOperation, Handler, Input};
pub use router::RouteError;
pub(crate) use router::{Named, Router};
pub(crate) use run::{Step, existing};
pub(crate) use spec::JSON;
pub use spec::{BodyNeed, Head, Http, Idempotency, Method, Repetition, Spec};

use crate::error::Error;

/// An operation: something that is done in one transaction with its events and, over HTTP, its
/// Idempotency-Key and its stored answer. The type is its own input.
pub trait Operation: Send + Sync {
    /// Its specification.
    const SPEC: Spec;
    /// Its answer, without the member `ok`.
    type Output: Send;

    /// Runs it. After a collision it runs again, so its only side effects are those of `cx`.
    fn run(&self, cx: &mut Cx<'_>) -> impl Future<Output = Result<Self::Output, Error>> + Send;

    /// Status and headers of its answer over HTTP; links begin with `base_url`. The default is the
    /// status of its spec.
    fn head(output: &Self::Output, base_url: &str) -> Head {
        let _ = (output, base_url);
        Head::of(Self::SPEC.http.map_or(StatusCode::OK, |http| http.status))
    }

    /// The answer that is stored for repetitions with the same Idempotency-Key, where it differs
    /// from the first: it does not contain a secret that is shown only once (contract §4,
    /// "Webhooks").
    fn remembered(output: Self::Output) -> Option<Self::Output> {
        let _ = output;
        None
    }
}
