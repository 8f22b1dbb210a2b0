//! The specification of an operation: data for the router, `Allow` headers, the OpenAPI document,
//! `svc do --list` and the table tests.

use http::StatusCode;

use crate::domain::event::{EventKind, OwnEventKind};
use crate::domain::scope::{Scope, Scopes};
use crate::error::Code;
use crate::record::ListSpec;

/// An HTTP method that the API answers (contract §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// `GET`: reads.
    Get,
    /// `POST`: creates a record or runs an action on one.
    Post,
    /// `PUT`: changes the fields that are sent and keeps the others.
    Put,
    /// `DELETE`: removes a record.
    Delete,
}

impl Method {
    /// The method's name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }

    /// The method of a request; `None` for HEAD, OPTIONS and others, which the API does not answer
    /// (contract §2).
    pub(crate) fn of(method: &http::Method) -> Option<Self> {
        [Self::Get, Self::Post, Self::Put, Self::Delete].into_iter().find(|ours| ours.name() == method.as_str())
    }
}

/// Whether a write needs an Idempotency-Key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idempotency {
    /// A request without one is refused (`idempotencia_requerida`).
    Required,
    /// A request without one is not protected against repetition.
    Optional,
}

/// What a repetition of a request with the same Idempotency-Key gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// The stored first answer, byte for byte.
    Replayed,
    /// The current state: the operation runs again and finds its effect already made.
    Answered,
}

/// Whether a write needs a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyNeed {
    /// It needs a JSON object.
    Required,
    /// A JSON object; an empty body counts as `{}`.
    Optional,
    /// The body must be empty or `{}`, with any Content-Type.
    None,
}

/// Status and headers of a successful answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The HTTP status: 200, 201 or 202.
    pub status: StatusCode,
    /// The `Location` header: the URL of the created record.
    pub location: Option<String>,
    /// The `Retry-After` header: seconds to wait before reading that URL again.
    pub retry_after: Option<u32>,
}

impl Head {
    /// That status without headers.
    pub const fn of(status: StatusCode) -> Self {
        Self { status, location: None, retry_after: None }
    }
}

pub(crate) const JSON: &str = "application/json";

/// The HTTP route of an operation.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Http {
    /// Its method; HEAD and OPTIONS reach no operation.
    pub method: Method,
    /// The path below the base URL. A segment in braces (`{clave}`) is an integer and fills the
    /// input's field of that name.
    pub path: &'static str,
    /// The key needs one of these scopes; empty only if the operation needs no key.
    pub scopes: Scopes,
    /// The status of a success.
    pub status: StatusCode,
    /// For writes: whether an Idempotency-Key is required.
    pub idempotency: Idempotency,
    /// For writes: what a repetition gets.
    pub repetition: Repetition,
    /// For writes: whether a body is required.
    pub body: BodyNeed,
    replaces: bool,
    reaches_out: bool,
}

impl Http {
    /// The route of a host's own operation, for keys that have one of `scopes`. A segment of `path`
    /// in braces is an integer and fills the input's field of that name.
    ///
    /// A POST answers 201 and needs an Idempotency-Key, a PUT or DELETE answers 200 and needs one;
    /// a DELETE takes no body. A GET reads: its whole input is in the path. The other methods
    /// change this.
    ///
    /// # Panics
    /// If `scopes` is empty: every operation of a host needs a key.
    pub const fn new(method: Method, path: &'static str, scopes: Scopes) -> Self {
        assert!(!scopes.is_empty(), "an operation needs a scope");
        let http = Self { scopes, idempotency: Idempotency::Required, ..Self::open(method, path) };
        match method {
            Method::Get => http.optional_idempotency().no_body(),
            Method::Post => http.status(StatusCode::CREATED),
            Method::Put => http,
            Method::Delete => http.no_body(),
        }
    }

    pub(crate) const fn open(method: Method, path: &'static str) -> Self {
        Self {
            method,
            path,
            scopes: Scopes::NONE,
            status: StatusCode::OK,
            idempotency: Idempotency::Optional,
            repetition: Repetition::Replayed,
            body: BodyNeed::Required,
            replaces: false,
            reaches_out: false,
        }
    }

    /// Whether it changes or removes what was there, instead of only adding to it.
    pub const fn overwrites(&self) -> bool {
        self.replaces || matches!(self.method, Method::Put | Method::Delete)
    }

    /// Whether the same request sent twice, without an Idempotency-Key, has the effect of one.
    pub const fn repeats_harmlessly(&self) -> bool {
        !matches!(self.method, Method::Post) || matches!(self.repetition, Repetition::Answered)
    }

    /// Whether something leaves this system because of it: a document to the tax authority, a
    /// notice to a receiver.
    pub const fn reaches_out(&self) -> bool {
        self.reaches_out
    }

    pub(crate) const fn list(list: &ListSpec) -> Self {
        Self { scopes: list.scopes, ..Self::open(Method::Get, list.path) }
    }

    /// Reads; the whole input is in the path.
    pub(crate) const fn get(path: &'static str, scope: Scope) -> Self {
        Self::new(Method::Get, path, Scopes::only(scope))
    }

    /// Answers 201; requires an Idempotency-Key.
    pub(crate) const fn post(path: &'static str, scope: Scope) -> Self {
        Self::new(Method::Post, path, Scopes::only(scope))
    }

    /// Answers 200; requires an Idempotency-Key.
    pub(crate) const fn put(path: &'static str, scope: Scope) -> Self {
        Self::new(Method::Put, path, Scopes::only(scope))
    }

    /// Answers 200; requires an Idempotency-Key and takes no body.
    pub(crate) const fn delete(path: &'static str, scope: Scope) -> Self {
        Self::new(Method::Delete, path, Scopes::only(scope))
    }

    /// A route of the office (contract §11), which answers 200.
    pub(crate) const fn office(method: Method) -> Self {
        Self::new(method, "/", Scopes::only(Scope::Oficina)).status(StatusCode::OK)
    }

    /// Answers a success with `status`.
    ///
    /// # Panics
    /// If the status is not 200, 201 or 202: every answer has a body, and a failure is an error.
    #[must_use]
    pub const fn status(mut self, status: StatusCode) -> Self {
        assert!(matches!(status.as_u16(), 200..=202), "a success is 200, 201 or 202");
        self.status = status;
        self
    }

    /// A repetition gets the current state instead of the stored answer.
    #[must_use]
    pub const fn answers_repetitions(mut self) -> Self {
        self.repetition = Repetition::Answered;
        self
    }

    /// A POST that takes the place of something: a secret, a commitment, an order.
    #[must_use]
    pub const fn replaces(mut self) -> Self {
        self.replaces = true;
        self
    }

    /// See [`Http::reaches_out()`].
    #[must_use]
    pub const fn sends(mut self) -> Self {
        self.reaches_out = true;
        self
    }

    /// A request may leave its body out.
    #[must_use]
    pub const fn optional_body(mut self) -> Self {
        self.body = BodyNeed::Optional;
        self
    }

    /// The whole input is in the path.
    #[must_use]
    pub const fn no_body(mut self) -> Self {
        self.body = BodyNeed::None;
        self
    }

    /// A request may leave the Idempotency-Key out.
    #[must_use]
    pub const fn optional_idempotency(mut self) -> Self {
        self.idempotency = Idempotency::Optional;
        self
    }
}

/// What is known of an operation without running it. The texts of Svc's own operations are in
/// `openapi/texts/`, by route or name; a host gives its texts with [`Spec::says`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Spec {
    /// Its name for `svc do`: the subject, a dot and the action (`stock.move`); `None` if it has
    /// none.
    pub name: Option<&'static str>,
    /// Its HTTP route; `None` if HTTP does not reach it.
    pub http: Option<Http>,
    /// The events that it may emit.
    pub emits: &'static [EventKind],
    /// The events of a host that it may emit.
    pub emits_own: &'static [OwnEventKind],
    /// The errors that only this operation answers, beyond those of its kind.
    pub errors: &'static [Code],
    /// Whether it changes what a key may do: the key itself, its owner or its company.
    pub changes_access: bool,
    /// What a host says of its own operation; those of Svc have their texts in files.
    pub texts: Option<SpecTexts>,
    /// Whether it only reads.
    pub reads: bool,
    /// Whether the same call later is meant to be done again: it sets, moves or tests what is
    /// there, instead of adding to it, or its record's state refuses the second call until another
    /// operation has undone the first (an order whose invoice was discarded).
    pub each_time: bool,
    /// The content type of a success; errors are always JSON.
    pub content: &'static str,
    /// The content types that its file may have instead.
    pub other_contents: &'static [&'static str],
}

/// What the description of the API says of a host's operation, in English and Spanish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpecTexts {
    /// What it does, in a few words.
    pub summary: [&'static str; 2],
    /// What a client needs to know beyond that.
    pub description: [&'static str; 2],
}

impl Default for Spec {
    fn default() -> Self {
        Self::new()
    }
}

impl Spec {
    /// An operation that Rust code calls, without a route or a name.
    pub const fn new() -> Self {
        Self {
            name: None,
            http: None,
            emits: &[],
            emits_own: &[],
            errors: &[],
            changes_access: false,
            texts: None,
            reads: false,
            each_time: false,
            content: JSON,
            other_contents: &[],
        }
    }

    /// Gives it a name: the subject, a dot and the action (`stock.move`).
    #[must_use]
    pub const fn named(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// Declares that the same call later is meant to be done again (see [`Self::each_time`]). An
    /// agent's calls of other writes are done once a day, unless it says otherwise.
    #[must_use]
    pub const fn each_time(mut self) -> Self {
        self.each_time = true;
        self
    }

    /// Gives it a route.
    #[must_use]
    pub const fn http(mut self, http: Http) -> Self {
        self.http = Some(http);
        self
    }

    /// Declares the events that it may emit.
    #[must_use]
    pub const fn emits(mut self, emits: &'static [EventKind]) -> Self {
        self.emits = emits;
        self
    }

    /// Declares the events of a host that it may emit.
    #[must_use]
    pub const fn emits_own(mut self, emits: &'static [OwnEventKind]) -> Self {
        self.emits_own = emits;
        self
    }

    /// The names of all events that it may emit.
    pub fn emitted_words(&self) -> impl Iterator<Item = &'static str> {
        self.emits.iter().map(|kind| kind.word()).chain(self.emits_own.iter().map(OwnEventKind::word))
    }

    /// Declares the errors that only it answers.
    #[must_use]
    pub const fn errors(mut self, errors: &'static [Code]) -> Self {
        self.errors = errors;
        self
    }

    /// Says what a host's operation does: a summary and a description, in English and Spanish.
    /// Without it, the description of the API has the documentation comment of the operation's type
    /// in both languages; its first sentence is the summary.
    #[must_use]
    pub const fn says(mut self, summary: [&'static str; 2], description: [&'static str; 2]) -> Self {
        self.texts = Some(SpecTexts { summary, description });
        self
    }

    /// Declares that it changes what a key may do: the company's cached keys are evicted
    /// afterwards.
    #[must_use]
    pub const fn changes_access(mut self) -> Self {
        self.changes_access = true;
        self
    }

    /// Declares that it reads a file of that content type (a [`Download`](super::Download)).
    #[must_use]
    pub const fn file(mut self, content: &'static str) -> Self {
        self.content = content;
        self.reads()
    }

    /// Declares that its file may have one of these content types instead (see
    /// [`File::of_type`](super::File::of_type)).
    #[must_use]
    pub const fn or(mut self, contents: &'static [&'static str]) -> Self {
        self.other_contents = contents;
        self
    }

    /// The content types that its success may have.
    pub fn contents(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.content).chain(self.other_contents.iter().copied())
    }

    /// Declares that it only reads. This is taken as said: agents call it unasked, no key protects
    /// it from repetition, and no rehearsal undoes what it writes all the same.
    #[must_use]
    pub const fn reads(mut self) -> Self {
        self.reads = true;
        self
    }
}
