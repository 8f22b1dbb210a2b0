//! What an operation is: the trait, its context, its specification, the router, pages and queries.
//!
//! An operation is one type. Its fields are its input, its [`Spec`] declares its route and its
//! errors, and [`Operation::run`] executes it. Over HTTP, the parameters of the path and the
//! members of the body fill the fields; on the command line and in Rust they are passed together. A
//! list is a record with a [`crate::record::List`]; a read that returns a file instead of JSON is a
//! [`Download`].
//!
//! # How to add one
//! 1. In `operations/<resource>/`, add a struct whose fields are the input, named as on the wire.
//!    It derives `Deserialize` and `JsonSchema`, and implements `Operation`. Its output derives
//!    `Serialize` and `JsonSchema`.
//! 2. Add a line to [`crate::registry`], and its texts to `openapi/texts/`; a test names the
//!    missing ones.
//! 3. Add what it needs from the database as a method of the area's trait in `store/`, with
//!    the SQL in the twin file. A rule that needs no database is a pure function in `domain/`.
//! 4. Add a test file in `tests/it/` under the same path. The table tests cover the whole registry.

mod checks;
mod cx;
mod download;
mod entry;
mod errors;
mod hook;
pub mod page;
pub(crate) mod path;
pub(crate) mod query;
mod registered;
mod router;
mod spec;
mod subscriber;

use std::future::Future;

use http::StatusCode;

pub(crate) use cx::uuid_v7;
pub use cx::{Actor, Cx};
pub(crate) use download::FileBytes;
pub use download::{Download, File};
pub use entry::Entry;
pub(crate) use entry::{Answer, AnyOperation, Handler, Input, Shape};
pub use hook::Hook;
pub(crate) use hook::Hooks;
pub use registered::{Registry, RegistryError};
pub use router::RouteError;
pub(crate) use router::{PREFIX, Router};
pub(crate) use spec::JSON;
pub use spec::{BodyNeed, Head, Http, Idempotency, Method, Repetition, Spec, SpecTexts};
pub(crate) use subscriber::RegisteredSubscriber;
pub use subscriber::{ReceivedEvent, Subscriber, SubscriberStart};

use crate::error::Error;

/// Something that is done in one transaction, together with its events and, over HTTP, its
/// Idempotency-Key and its stored answer. The type's fields are its input.
///
/// A field may have nearly any type of serde; the keys of a map are texts or integers. An optional
/// one is an `Option`: it is absent too if it is `null` or blank (contract §1).
/// [`Money`](crate::domain::money::Money), [`Quantity`](crate::domain::quantity::Quantity) and
/// [`Text`](crate::json::Text) take exact decimals and trimmed texts, and word their faults in
/// Spanish; a float takes a number as it is. In what is flattened, and in internally tagged and
/// untagged enums, a blank string is a text, and faults have serde's words. A body has at most 6
/// levels and 50,000 values.
pub trait Operation: Send + Sync + 'static {
    /// How it is reached and what it may answer.
    const SPEC: Spec;
    /// The answer, without the member `ok`.
    type Output: Send + Sync + 'static;

    /// Runs the operation. It may run again after a collision of transactions, so it must have no
    /// side effects outside `cx`. PostgreSQL ends a transaction that rests for ten seconds between
    /// two statements, as one does that calls another service.
    fn run(&self, cx: &mut Cx<'_>) -> impl Future<Output = Result<Self::Output, Error>> + Send;

    /// Status and headers of the answer over HTTP; links begin with `base_url`. By default, the
    /// status of the specification.
    fn head(output: &Self::Output, base_url: &str) -> Head {
        let _ = (output, base_url);
        Head::of(Self::SPEC.http.map_or(StatusCode::OK, |http| http.status))
    }

    /// The answer that repetitions with the same Idempotency-Key get, if it differs from the first:
    /// it leaves out secrets that are shown only once (contract §4, "Webhooks").
    fn remembered(output: Self::Output) -> Option<Self::Output> {
        let _ = output;
        None
    }
}
