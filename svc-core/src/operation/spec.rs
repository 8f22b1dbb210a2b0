//! The specification of an operation: data for the router, `Allow` headers, `svc do --list` and the
//! table tests.

use http::StatusCode;

use crate::domain::event::EventKind;
use crate::domain::scope::{Scope, Scopes};
use crate::error::Code;
use crate::record::ListSpec;

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

/// How a repetition of a request with the same Idempotency-Key is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// The first answer, byte for byte.
    Replayed,
    /// The operation runs again; it finds its effect already made, and answers with its current
    /// state.
    Answered,
}

/// Whether a write comes with a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyNeed {
    /// It does.
    Required,
    /// An empty one is taken as `{}`.
    Optional,
    /// No: the body must be empty or `{}`; its Content-Type does not matter.
    None,
}

/// Status and headers of a success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its status.
    pub status: StatusCode,
    /// The URL of the created record (`Location`).
    pub location: Option<String>,
    /// When to request that URL again, in seconds (`Retry-After`).
    pub retry_after: Option<u32>,
}

impl Head {
    /// That status alone.
    pub const fn of(status: StatusCode) -> Self {
        Self { status, location: None, retry_after: None }
    }
}

/// The content type of all answers but files.
pub(crate) const JSON: &str = "application/json";

/// How an operation is reached over HTTP.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Http {
    /// Method.
    pub method: Method,
    /// Path below the base URL; what stands in braces, `{clave}`, is an integer, and the field of
    /// that name of the input.
    pub path: &'static str,
    /// A key needs one of these scopes; empty only where no key is needed.
    pub scopes: Scopes,
    /// The status of its success.
    pub status: StatusCode,
    /// The content type of its success; errors are always JSON.
    pub content: &'static str,
    /// Whether it takes an Idempotency-Key (writes only).
    pub idempotency: Idempotency,
    /// What a repetition of it gets (writes only).
    pub repetition: Repetition,
    /// Whether it comes with a body (writes only).
    pub body: BodyNeed,
}

impl Http {
    /// An operation without a key.
    pub(crate) const fn open(method: Method, path: &'static str) -> Self {
        Self {
            method,
            path,
            scopes: Scopes::NONE,
            status: StatusCode::OK,
            content: JSON,
            idempotency: Idempotency::Optional,
            repetition: Repetition::Replayed,
            body: BodyNeed::Required,
        }
    }

    /// A list.
    pub(crate) const fn list(list: &ListSpec) -> Self {
        Self { scopes: list.scopes, ..Self::open(Method::Get, list.path) }
    }

    /// A file of that content type.
    pub(crate) const fn download(path: &'static str, scope: Scope, content: &'static str) -> Self {
        Self { scopes: Scopes::only(scope), content, ..Self::open(Method::Get, path) }
    }

    /// Creates something, or acts: answers 201; an Idempotency-Key is required.
    pub(crate) const fn post(path: &'static str, scope: Scope) -> Self {
        Self { status: StatusCode::CREATED, ..Self::write(Method::Post, path, scope) }
    }

    /// Edits in part: answers 200; an Idempotency-Key is required.
    pub(crate) const fn put(path: &'static str, scope: Scope) -> Self {
        Self::write(Method::Put, path, scope)
    }

    /// Removes: answers 200; an Idempotency-Key is required, and there is no body.
    pub(crate) const fn delete(path: &'static str, scope: Scope) -> Self {
        Self::write(Method::Delete, path, scope).no_body()
    }

    const fn write(method: Method, path: &'static str, scope: Scope) -> Self {
        let idempotency = Idempotency::Required;
        Self { scopes: Scopes::only(scope), idempotency, ..Self::open(method, path) }
    }

    /// With another status of its success.
    #[must_use]
    pub(crate) const fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Answering a repetition anew.
    #[must_use]
    pub(crate) const fn answers_repetitions(mut self) -> Self {
        self.repetition = Repetition::Answered;
        self
    }

    /// With a body that may be empty.
    #[must_use]
    pub(crate) const fn optional_body(mut self) -> Self {
        self.body = BodyNeed::Optional;
        self
    }

    /// Without a body: its input is in the path.
    #[must_use]
    pub(crate) const fn no_body(mut self) -> Self {
        self.body = BodyNeed::None;
        self
    }

    /// With an Idempotency-Key that may be left out.
    #[must_use]
    pub(crate) const fn optional_idempotency(mut self) -> Self {
        self.idempotency = Idempotency::Optional;
        self
    }
}

/// The specification of an operation.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Spec {
    /// What it does, in a few words.
    pub summary: &'static str,
    /// Its name on the command line (`svc do`), if it has one: what it is about, a dot, and what is
    /// done (`stock.move`).
    pub name: Option<&'static str>,
    /// How it is reached over HTTP, if it is.
    pub http: Option<Http>,
    /// The events that it may emit.
    pub emits: &'static [EventKind],
    /// The errors of its own, beyond those that any operation of its kind can answer.
    pub errors: &'static [Code],
    /// Whether it changes what a key may do: the key itself, its owner or its company.
    pub changes_access: bool,
}

impl Spec {
    /// An operation that Rust code calls.
    pub const fn new(summary: &'static str) -> Self {
        Self { summary, name: None, http: None, emits: &[], errors: &[], changes_access: false }
    }

    /// With a name on the command line.
    #[must_use]
    pub(crate) const fn named(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// With a way to reach it over HTTP.
    #[must_use]
    pub(crate) const fn http(mut self, http: Http) -> Self {
        self.http = Some(http);
        self
    }

    /// With events that it may emit.
    #[must_use]
    pub const fn emits(mut self, emits: &'static [EventKind]) -> Self {
        self.emits = emits;
        self
    }

    /// With errors of its own.
    #[must_use]
    pub(crate) const fn errors(mut self, errors: &'static [Code]) -> Self {
        self.errors = errors;
        self
    }

    /// As one that changes what a key may do: the company's cached keys are evicted after it.
    #[must_use]
    pub const fn changes_access(mut self) -> Self {
        self.changes_access = true;
        self
    }
}
