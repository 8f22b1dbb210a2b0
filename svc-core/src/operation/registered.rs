//! [`Registry`]: the operations that one context runs, those of a host among them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::checks::is_word;
use super::{Download, Entry, Hook, Hooks, Operation, RegisteredSubscriber, RouteError, Router, Subscriber};
use crate::domain::event::{EventKind, EventKinds, KnownKind, OwnEvent, OwnEventKind, area};
use crate::domain::scope::{KeyScopes, Scope};
use crate::error::Code;
use crate::record::List;

/// The operations of one context: those of Svc, and those that a host added. What is declared once
/// there is everywhere: the router, the OpenAPI document, `svc do --list`.
#[derive(Debug, Clone)]
pub struct Registry {
    entries: Vec<Entry>,
    /// How many of them are Svc's own; they come first.
    built_in: usize,
    hooks: Hooks,
    title: Option<Arc<str>>,
    kinds: EventKinds,
    subscribers: Vec<RegisteredSubscriber>,
}

/// Why the operations of a registry cannot be served together. Only a host's own can cause it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two operations share a method and path, or a path is malformed.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// Two operations have the same name: the name, and both types.
    #[error("two operations are called {0}: {1} and {2}")]
    Name(&'static str, &'static str, &'static str),
    /// A host's path begins with a segment of Svc's own paths, where later versions may add
    /// operations: the path and the type.
    #[error("the path {0} of {1} begins with a segment of Svc's own paths")]
    Prefix(&'static str, &'static str),
    /// An operation has neither a route nor a name: the type.
    #[error("{0} has neither a route nor a name")]
    Unreachable(&'static str),
    /// An operation's name is not a subject, a dot and an action, of letters, digits, - and _: the
    /// name and the type.
    #[error("an operation's name has the form subject.action: {0:?} of {1}")]
    NameForm(&'static str, &'static str),
    /// A host's path cannot be served: the path, the type and the reason.
    #[error("the path {0} of {1} {2}")]
    Path(&'static str, &'static str, &'static str),
    /// A host's list cannot be served: the path, the type and the reason.
    #[error("the list {0} of {1} {2}")]
    List(&'static str, &'static str, &'static str),
    /// A host's file cannot be served: the type and the reason.
    #[error("the file of {0} {1}")]
    File(&'static str, &'static str),
    /// A type's name has characters that names in the description cannot have.
    #[error("the name of {0} has other characters than ASCII letters, digits and _")]
    TypeName(&'static str),
    /// An input is no struct with named fields: the type. An enum goes into a field.
    #[error("the input of {0} is no struct with named fields")]
    Input(&'static str),
    /// An answer has a member `ok`, which the envelope adds: the type.
    #[error("the answer of {0} has a member ok, which every answer has")]
    AnswerOk(&'static str),
    /// An error of a host's own has the code of another, or one that is no word: the code and the
    /// type of the operation.
    #[error("the error {0} of {1} has the code of another, or no word as its code")]
    Code(&'static str, &'static str),
    /// An operation does not answer a JSON object, to which `ok` could be added: the type.
    #[error("the answer of {0} is no JSON object")]
    Answer(&'static str),
    /// A host's scope has the name of one of Svc's: the name and the type of the operation.
    #[error("the scope {0} of {1} is Svc's own: Scopes::only names it")]
    Scope(&'static str, &'static str),
    /// Two operations have types of the same name, from which clients derive the names of their
    /// methods: the type.
    #[error("another operation has a type called {0}")]
    Type(&'static str),
    /// Two kinds of events have the same name, or types of the same name: the name, and both types.
    #[error("two kinds of events are called {0}: {1} and {2}")]
    Event(&'static str, &'static str, &'static str),
    /// A host's kind of events has the area of events of Svc, where later versions may add some:
    /// the name, the type and the event of Svc.
    #[error("the event {0} of {1} has the area of Svc's own {2}")]
    EventArea(&'static str, &'static str, &'static str),
    /// An operation emits events that were not declared: the type and the name.
    #[error("{0} emits {1}, which was not declared with `event`")]
    Undeclared(&'static str, &'static str),
    /// Two subscribers have the same name: the name and both types.
    #[error("two subscribers are called {0}: {1} and {2}")]
    Subscriber(&'static str, &'static str, &'static str),
    /// A subscriber's name does not have its form: the name and the type.
    #[error("a subscriber's name has 1 to 60 lower-case letters, digits, _, - and .: {0:?} of {1}")]
    SubscriberName(&'static str, &'static str),
    /// A subscriber asks for no events, or for a kind that is not known: the type and the name of
    /// the kind.
    #[error("the subscriber {0} asks for events that are not known: {1:?}")]
    SubscriberKind(&'static str, &'static str),
    /// The example of a kind of events is no JSON object: the name and the type.
    #[error("the example of the event {0} of {1} is no JSON object")]
    EventSample(&'static str, &'static str),
}

impl Registry {
    /// Names the product in its descriptions, on its pages and to agents.
    #[must_use]
    pub fn titled(mut self, title: impl Into<Arc<str>>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The product's name, if it has one of its own.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The registry of these operations, to which a host may add its own.
    pub(crate) fn of(built_in: &[Entry]) -> Self {
        Self {
            entries: built_in.to_vec(),
            built_in: built_in.len(),
            hooks: Hooks::default(),
            title: None,
            kinds: EventKinds::default(),
            subscribers: Vec::new(),
        }
    }

    /// Every operation: Svc's own, then the host's in the order in which it added them.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The operation with that name, such as `stock.move`.
    pub(crate) fn named(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.spec.name == Some(name))
    }

    /// Adds a host's operation: see [`crate::operation`]. A server of this registry serves it: over
    /// HTTP if it has a route, and by its name if it has one.
    #[must_use]
    pub fn operation<O>(mut self) -> Self
    where
        O: Operation<Output: Serialize + JsonSchema> + DeserializeOwned + JsonSchema + 'static,
    {
        self.entries.push(Entry::endpoint::<O>());
        self
    }

    /// Adds a host's file: see [`Download`]. It is read over HTTP if it has a route, and by its name
    /// if it has one.
    #[must_use]
    pub fn download<D>(mut self) -> Self
    where
        D: Download + DeserializeOwned + JsonSchema + 'static,
    {
        self.entries.push(Entry::download::<D>());
        self
    }

    /// Adds a host's list, which needs a table of its own: see [`crate::record`].
    #[must_use]
    pub fn list<L: List>(mut self) -> Self {
        self.entries.push(Entry::list::<L>());
        self
    }

    /// Adds what a host does before and after an operation, Svc's or its own. The hooks of an
    /// operation run in the order in which they were added.
    #[must_use]
    pub fn hook<O: Operation>(mut self, hook: impl Hook<O>) -> Self {
        self.hooks.add(hook);
        self
    }

    /// Adds a host's kind of events: see [`OwnEvent`].
    #[must_use]
    pub fn event<E: OwnEvent>(mut self) -> Self {
        self.kinds = self.kinds.and(E::KIND);
        self
    }

    /// Adds a part of the host that gets the events of every company: see [`Subscriber`].
    #[must_use]
    pub fn subscriber<S: Subscriber>(mut self, subscriber: S) -> Self {
        self.subscribers.push(RegisteredSubscriber::new(subscriber));
        self
    }

    pub(crate) fn subscribers(&self) -> &[RegisteredSubscriber] {
        &self.subscribers
    }

    /// The kinds of events: Svc's, then the host's.
    pub fn kinds(&self) -> &EventKinds {
        &self.kinds
    }

    /// Every error that an operation of this registry can answer over HTTP: [`Entry::errors`], and
    /// those of its hooks.
    pub fn errors(&self, entry: &Entry) -> Vec<Code> {
        let mut all = entry.errors();
        for code in self.hook_errors(entry) {
            if !all.is_empty() && !all.contains(code) {
                all.push(*code);
            }
        }
        all
    }

    /// The errors that a host's hooks add to an operation.
    pub fn hook_errors(&self, entry: &Entry) -> &[Code] {
        self.hooks.errors((entry.shape.name)())
    }

    pub(crate) fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    /// The errors of a host's own operations and hooks.
    pub fn own_codes(&self) -> Vec<Code> {
        let mut codes: Vec<Code> = Vec::new();
        let reached = self.entries.iter().filter(|entry| entry.spec.http.is_some());
        for code in reached.flat_map(|entry| entry.spec.errors.iter().chain(self.hook_errors(entry))) {
            if matches!(code, Code::Own(_)) && !codes.contains(code) {
                codes.push(*code);
            }
        }
        codes
    }

    /// The names of all scopes: Svc's, then those that the host's operations and events need.
    pub fn scopes(&self) -> Vec<&'static str> {
        let mut words: Vec<_> = Scope::ALL.iter().map(|scope| scope.word()).collect();
        let of_operations = self.own().iter().filter_map(|entry| entry.spec.http.as_ref());
        let of_events = self.kinds.own().iter().map(OwnEventKind::scope);
        for word in of_operations.flat_map(|http| http.scopes.words()).chain(of_events) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words
    }

    /// What a key with all scopes has: each of [`Registry::scopes`] but `oficina`, which is given
    /// by name (contract §11).
    pub fn all_scopes(&self) -> KeyScopes {
        KeyScopes::of_words(self.scopes().into_iter().filter(|word| *word != Scope::Oficina.word()))
    }

    /// The host's own operations.
    pub fn own(&self) -> &[Entry] {
        &self.entries[self.built_in..]
    }

    /// Checks the operations against each other and builds their router.
    pub(crate) fn router(&self) -> Result<Router, RegistryError> {
        let ours = &self.entries[..self.built_in];
        for (place, entry) in self.own().iter().enumerate() {
            let (name, id) = (entry.type_name(), entry.operation_id());
            let others = || self.entries[..self.built_in + place].iter();
            entry.validate()?;
            if let Some(http) = &entry.spec.http
                && ours.iter().any(|other| first_segment(other) == first_segment(entry))
            {
                return Err(RegistryError::Prefix(http.path, name));
            }
            if let Some(other) = others().find(|other| other.spec.name.is_some() && other.spec.name == entry.spec.name)
            {
                return Err(RegistryError::Name(entry.spec.name.unwrap_or_default(), other.type_name(), name));
            }
            if others().any(|other| other.operation_id() == id) {
                return Err(RegistryError::Type(name));
            }
        }
        self.validate_codes()?;
        self.validate_events()?;
        self.validate_subscribers()?;
        Ok(Router::new(&self.entries)?)
    }

    /// Checks that each code is that of one error, Svc's or the host's.
    fn validate_codes(&self) -> Result<(), RegistryError> {
        let own = self.own_codes();
        for (place, code) in own.iter().enumerate() {
            let mut others = Code::ALL.iter().chain(&own[..place]);
            if !is_word(code.codigo()) || others.any(|other| other.codigo() == code.codigo()) {
                let entry = self.entries.iter().find(|entry| self.errors(entry).contains(code));
                return Err(RegistryError::Code(code.codigo(), entry.map_or("", Entry::type_name)));
            }
        }
        Ok(())
    }

    fn validate_subscribers(&self) -> Result<(), RegistryError> {
        for (place, one) in self.subscribers.iter().enumerate() {
            let (name, type_name) = (one.name, one.type_name);
            if !one.has_valid_name() {
                return Err(RegistryError::SubscriberName(name, type_name));
            }
            if let Some(other) = self.subscribers[..place].iter().find(|other| other.name == name) {
                return Err(RegistryError::Subscriber(name, other.type_name, type_name));
            }
            if one.kinds.is_empty() {
                return Err(RegistryError::SubscriberKind(type_name, ""));
            }
            if let Some(unknown) = one.kinds.iter().find(|word| self.kinds.of(word).is_none()) {
                return Err(RegistryError::SubscriberKind(type_name, unknown));
            }
        }
        Ok(())
    }

    /// Checks the host's kinds of events against Svc's and each other, and that operations emit
    /// none but these.
    fn validate_events(&self) -> Result<(), RegistryError> {
        let own = self.kinds.own();
        for (place, kind) in own.iter().enumerate() {
            let (word, name) = (kind.word(), kind.full_type_name());
            let same_area = EventKind::ALL.iter().find(|ours| area(ours.word()) == area(word));
            if let Some(ours) = same_area {
                return Err(RegistryError::EventArea(word, name, ours.word()));
            }
            let same = |other: &&OwnEventKind| other.word() == word || other.type_name() == kind.type_name();
            if let Some(other) = own[..place].iter().find(same) {
                return Err(RegistryError::Event(word, other.full_type_name(), name));
            }
            if let Some(ours) = EventKind::ALL.iter().find(|ours| format!("{ours:?}") == kind.type_name()) {
                return Err(RegistryError::Event(word, ours.word(), name));
            }
            if !kind.sample().is_object() {
                return Err(RegistryError::EventSample(word, name));
            }
        }
        for entry in &self.entries {
            let is_unknown = |kind: &&OwnEventKind| !matches!(self.kinds.of(kind.word()), Some(KnownKind::Own(_)));
            if let Some(kind) = entry.spec.emits_own.iter().find(is_unknown) {
                return Err(RegistryError::Undeclared(entry.type_name(), kind.word()));
            }
        }
        Ok(())
    }
}

fn first_segment(entry: &Entry) -> Option<&'static str> {
    entry.spec.http.as_ref()?.path.split('/').nth(1)
}
