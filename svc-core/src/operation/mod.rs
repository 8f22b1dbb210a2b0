//! What an operation is, and how to add one.
//!
//! An operation is one type: its fields are its input, its [`Spec`] says how it is reached and what it may answer, and
//! [`Operation::run`] does it. Over HTTP the parameters of the path are fields of the input like those of the body; on the
//! command line and in Rust they are given with the others. A list is a record with a [`crate::record::List`].
//!
//! # How to add one
//! 1. In `api/<resource>/` (reached over HTTP) or `backoffice/`, a struct of the input's fields by their names on the wire,
//!    which derives `Deserialize` and `JsonSchema`, with `impl Operation`. Its output derives `Serialize`.
//! 2. Its line in [`crate::registry`].
//! 3. What it needs of the database: a method of the aggregate's trait in `store/`, its SQL in the twin file. A rule that
//!    needs no database is a pure function in `domain/`.
//! 4. A test file in `tests/it/` under the same path. The table tests go over the registry, so they cover it already.

mod cx;
mod entry;
pub mod page;
pub(crate) mod path;
mod perform;
pub mod query;
mod router;
mod spec;

use std::future::Future;

use http::StatusCode;

pub(crate) use cx::uuid_v7;
pub use cx::{Actor, Cx};
pub(crate) use entry::{Answer, AnyOperation, Handler};
pub use entry::{Entry, Input};
pub(crate) use perform::existing;
pub use router::RouteError;
pub(crate) use router::{Named, Router};
pub use spec::{BodyNeed, Head, Http, Idempotency, Method, Repetition, Spec};

use crate::error::Error;

/// An operation: something that is done in one transaction with its events and, over HTTP, its Idempotency-Key and its
/// stored answer. The type is its own input.
pub trait Operation: Send + Sync {
    /// What it says about itself.
    const SPEC: Spec;
    /// What it answers, without `ok`.
    type Output: Send;

    /// Does it. It may run more than once, so it touches the world only through `cx`.
    fn run(&self, cx: &mut Cx<'_>) -> impl Future<Output = Result<Self::Output, Error>> + Send;

    /// How its answer is sent over HTTP; links begin with `base_url`. Most operations have nothing to add to their status.
    fn head(output: &Self::Output, base_url: &str) -> Head {
        let _ = (output, base_url);
        Head::of(Self::SPEC.http.map_or(StatusCode::OK, |http| http.status))
    }

    /// What is stored under the Idempotency-Key for a repetition to be answered with, where that is not the answer itself:
    /// a secret that is shown once is not in it (contract §4, "Webhooks").
    fn remembered(output: Self::Output) -> Option<Self::Output> {
        let _ = output;
        None
    }
}
