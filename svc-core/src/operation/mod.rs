//! What an operation is, and how to add one.
//!
//! An operation is one type that says everything about itself: method, path, scope, input, output, errors, and what it
//! does. A list says its filters instead of what it does. Router, `Allow` headers and table tests are derived.
//!
//! # How to add one
//! 1. In `api/<resource>/`, one file: a unit type with `impl Operation` (or `impl List`), its input as a
//!    `#[derive(Deserialize)]` struct of the wire's field names, its output as a `#[derive(Serialize)]` struct.
//! 2. One line in [`registry::OPERATIONS`].
//! 3. What it needs of the database: for a list a line in [`crate::store::Reader`] and an `impl ListReader` in
//!    `svc-store-postgres`; for a write a method of the aggregate's trait in `store/`, its SQL in the twin file.
//!    A rule that needs no database is a pure function in `domain/`.
//! 4. A test file in `tests/it/` under the same path. The table tests cover it without being told.

mod context;
mod erased;
pub mod filters;
pub mod page;
mod path;
pub mod query;
pub mod registry;
pub mod window;

use std::future::Future;

use http::StatusCode;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub(crate) use context::uuid_v7;
pub use context::{Actor, Cx};
pub(crate) use erased::{Answer, AnyWrite, Ask, Handler, Keyed as KeyedHandler};
pub use filters::Filter;
pub use page::{Keyed, Pages};
pub use path::PathParameters;
pub use query::Query;

use crate::domain::scope::{Scope, Scopes};
use crate::error::{Code, Error};

/// An HTTP method the API answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// Reads.
    Get,
    /// Creates, or acts.
    Post,
    /// Edits in part.
    Put,
    /// Removes.
    Delete,
}

impl Method {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }

    /// The method of that name; HEAD, OPTIONS and the rest are none of ours (contract §2).
    pub(crate) fn of(method: &http::Method) -> Option<Self> {
        [Self::Get, Self::Post, Self::Put, Self::Delete].into_iter().find(|ours| ours.name() == method.as_str())
    }
}

/// Whether a write takes an Idempotency-Key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idempotency {
    /// It must come with one.
    Required,
    /// It may come with one.
    Optional,
}

/// What the same request with the same Idempotency-Key gets once it was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// The first answer, byte for byte.
    Replayed,
    /// What the operation says now: it finds its work done, and tells what has become of it.
    Answered,
}

/// Whether a write comes with a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyNeed {
    /// It does.
    Required,
    /// An empty one is taken as `{}`.
    Optional,
    /// It does not: whatever type is announced, the body is empty or `{}`.
    None,
}

/// How a success is sent, beyond its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its status.
    pub status: StatusCode,
    /// Where to look for what was made.
    pub location: Option<String>,
    /// When to look again, in seconds.
    pub retry_after: Option<u32>,
}

impl Head {
    /// That status alone.
    pub const fn of(status: StatusCode) -> Self {
        Self { status, location: None, retry_after: None }
    }
}

/// What an operation says about itself.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Method.
    pub method: Method,
    /// Path below the base URL; what stands in braces, `{clave}`, is an integer parameter.
    pub path: &'static str,
    /// The scopes of which a key needs one; none only where no key is needed.
    pub scopes: Scopes,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// The status of its success.
    pub status: StatusCode,
    /// Whether it takes an Idempotency-Key (writes only).
    pub idempotency: Idempotency,
    /// What a repetition of it gets (writes only).
    pub repetition: Repetition,
    /// Whether it comes with a body (writes only).
    pub body: BodyNeed,
    /// The errors of its own, beyond those that any operation of its kind can answer.
    pub errors: &'static [Code],
}

impl Spec {
    /// An operation without a key.
    pub const fn open(method: Method, path: &'static str) -> Self {
        Self {
            method,
            path,
            scopes: Scopes::NONE,
            summary: "",
            status: StatusCode::OK,
            idempotency: Idempotency::Optional,
            repetition: Repetition::Replayed,
            body: BodyNeed::Required,
            errors: &[],
        }
    }

    /// A read.
    pub const fn read(path: &'static str, scope: Scope) -> Self {
        Self { scopes: Scopes::only(scope), ..Self::open(Method::Get, path) }
    }

    /// A write: POST answers 201 and the others 200; an Idempotency-Key is required.
    pub const fn write(method: Method, path: &'static str, scope: Scope) -> Self {
        let status = match method {
            Method::Post => StatusCode::CREATED,
            _ => StatusCode::OK,
        };
        Self { scopes: Scopes::only(scope), status, idempotency: Idempotency::Required, ..Self::open(method, path) }
    }

    /// With a summary.
    #[must_use]
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// With another scope that suffices.
    #[must_use]
    pub const fn or(mut self, scope: Scope) -> Self {
        self.scopes = self.scopes.and(scope);
        self
    }

    /// With errors of its own.
    #[must_use]
    pub const fn errors(mut self, errors: &'static [Code]) -> Self {
        self.errors = errors;
        self
    }

    /// With another status of its success.
    #[must_use]
    pub const fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Answering a repetition anew.
    #[must_use]
    pub const fn answers_repetitions(mut self) -> Self {
        self.repetition = Repetition::Answered;
        self
    }

    /// With a body that may be empty.
    #[must_use]
    pub const fn optional_body(mut self) -> Self {
        self.body = BodyNeed::Optional;
        self
    }

    /// Without a body; its [`Operation::Input`] is [`NoBody`].
    #[must_use]
    pub const fn no_body(mut self) -> Self {
        self.body = BodyNeed::None;
        self
    }

    /// With an Idempotency-Key that may be left out.
    #[must_use]
    pub const fn optional_idempotency(mut self) -> Self {
        self.idempotency = Idempotency::Optional;
        self
    }
}

/// An operation that changes something, in one transaction with its Idempotency-Key, its events and its stored answer.
pub trait Operation: Send + Sync + 'static {
    /// What it says about itself.
    const SPEC: Spec;
    /// The parameters of its path: `()`, `i64` or `(i64, i64)`.
    type Path: PathParameters;
    /// Its body.
    type Input: DeserializeOwned + Send + Sync;
    /// Its answer, without `ok`.
    type Output: Serialize + Send + Sync;

    /// Does it. It may run more than once for one request, so it touches the world only through `cx`.
    fn run(
        cx: &mut Cx<'_>,
        path: Self::Path,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output, Error>> + Send;

    /// How its answer is sent; links begin with `base_url`. Most operations have nothing to add to their status.
    fn head(output: &Self::Output, base_url: &str) -> Head {
        let _ = (output, base_url);
        Head::of(Self::SPEC.status)
    }

    /// What is stored under the Idempotency-Key for a repetition to be answered with, where that is not the answer itself:
    /// a secret that is shown once is not in it (contract §4, "Webhooks").
    fn remembered(output: Self::Output) -> Option<Self::Output> {
        let _ = output;
        None
    }
}

/// The input of an operation without a body: an object without fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoBody {}

/// A page-by-page read. What reads it is [`crate::store::ListReader`].
pub trait List: Send + Sync + 'static {
    /// What it says about itself.
    const SPEC: ListSpec<Self::Filter>;
    /// The parameters of its path: `()`, or the clave of the record that it is under.
    type Path: PathParameters;
    /// Its filters: one variant each, matched exhaustively by the store.
    type Filter: Send + Sync + 'static;
    /// A record.
    type Item: Serialize + Keyed + Send + Sync + 'static;

    /// Judges and completes a query as a whole: selectors that must be there, date windows, what is shown when nothing
    /// is asked. Most lists have nothing to add.
    fn settle(query: &mut Query<Self::Filter, Self::Path>) -> Result<(), Error> {
        let _ = query;
        Ok(())
    }
}

/// What a list says about itself.
#[derive(Debug)]
pub struct ListSpec<F: 'static> {
    /// What every operation says.
    pub spec: Spec,
    /// Its page regime.
    pub pages: Pages,
    /// Its filters; no other query parameter but `cursor` and `limite` is accepted.
    pub filters: &'static [Filter<F>],
}

impl<F> ListSpec<F> {
    /// The list at `path`.
    pub const fn new(path: &'static str, scope: Scope, pages: Pages, filters: &'static [Filter<F>]) -> Self {
        Self { spec: Spec::read(path, scope), pages, filters }
    }

    /// With a summary.
    #[must_use]
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.spec = self.spec.summary(summary);
        self
    }

    /// With another scope that suffices.
    #[must_use]
    pub const fn or(mut self, scope: Scope) -> Self {
        self.spec = self.spec.or(scope);
        self
    }
}

/// An operation that needs no key and touches no store.
pub trait OpenOperation: Send + Sync + 'static {
    /// What it says about itself.
    const SPEC: Spec;
    /// Its answer, without `ok`.
    type Output: Serialize;

    /// Does it; `peticion` is the request's id.
    fn run(peticion: &str) -> Self::Output;
}
