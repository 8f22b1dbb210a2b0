//! A host's own kinds of events, and all kinds that one context knows.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use super::EventKind;
use crate::domain::scope::Scopes;
use crate::schema;

/// An event of a host's own operations, hooks and subscribers. Its fields are the notice's `datos`:
/// keys and little else, never names or e-mails.
///
/// A host declares it with [`ContextBuilder::event`](crate::ContextBuilder::event) and emits it
/// with [`Cx::emit_own`](crate::operation::Cx::emit_own). From then on it is like Svc's own:
/// webhooks subscribe to it, `GET /eventos` lists it, and the description of the API has its
/// notice.
pub trait OwnEvent: Serialize + JsonSchema + Send + Sync + 'static {
    /// Its name, its scope, its resource and its texts.
    const KIND: OwnEventKind;

    /// The clave of the record that it is about. The events of one record are delivered to a
    /// [`Subscriber`](crate::subscribers::Subscriber) in their order.
    fn clave(&self) -> i64;

    /// An example, for the description of the API.
    fn sample() -> Self;
}

/// A host's kind of events: its name, scope, resource and texts.
#[derive(Clone, Copy)]
pub struct OwnEventKind {
    word: &'static str,
    scope: &'static str,
    resource: &'static str,
    is_grouped: bool,
    texts: [&'static str; 2],
    type_name: fn() -> &'static str,
    datos: fn(&mut SchemaGenerator) -> Schema,
    sample: fn() -> Value,
}

impl OwnEventKind {
    /// The kind of the events `E`. `word` is its name on the wire, such as `paqueteria.enviado`:
    /// an area of the host's own and what happened, in lower-case letters, digits and `_`. `scope`
    /// has the one scope that reads and subscribes to it. `resource` is the path, without the first
    /// slash, of the list with the records that the events are about.
    ///
    /// # Panics
    /// If the name or the resource does not have that form, or if `scope` is not exactly one. In a
    /// constant, it does not compile then.
    pub const fn new<E: OwnEvent>(word: &'static str, scope: Scopes, resource: &'static str) -> Self {
        assert!(is_word(word), "an event's name has the form area.what_happened");
        let bytes = resource.as_bytes();
        assert!(!bytes.is_empty() && bytes[0] != b'/', "a resource is a path without its first slash");
        let Some(scope) = scope.sole_word() else { panic!("an event is read with exactly one scope") };
        Self {
            word,
            scope,
            resource,
            is_grouped: false,
            texts: ["", ""],
            type_name: std::any::type_name::<E>,
            datos: schema_of::<E>,
            sample: sample_of::<E>,
        }
    }

    /// Makes one event of the changes of a record that follow each other within a minute.
    #[must_use]
    pub const fn grouped(mut self) -> Self {
        self.is_grouped = true;
        self
    }

    /// Says when it happens, in English and Spanish. Without it, the description of the API has the
    /// documentation comment of `E` in both languages.
    #[must_use]
    pub const fn says(mut self, texts: [&'static str; 2]) -> Self {
        self.texts = texts;
        self
    }

    /// The name on the wire.
    pub const fn word(&self) -> &'static str {
        self.word
    }

    /// The name of the scope that reads and subscribes to it.
    pub const fn scope(&self) -> &'static str {
        self.scope
    }

    /// The path, without the first slash, of the list with the records that it is about.
    pub const fn resource(&self) -> &'static str {
        self.resource
    }

    /// Whether the changes of one record within a minute become one event.
    pub const fn is_grouped(&self) -> bool {
        self.is_grouped
    }

    /// When it happens, in English and Spanish.
    pub(crate) const fn texts(&self) -> [&'static str; 2] {
        self.texts
    }

    /// The full name of the type of its events.
    pub(crate) fn full_type_name(&self) -> &'static str {
        (self.type_name)()
    }

    /// The name of the type of its events.
    pub(crate) fn type_name(&self) -> &'static str {
        let path = self.full_type_name().split('<').next().unwrap_or_default();
        path.rsplit("::").next().unwrap_or_default()
    }

    /// The JSON Schema of its notice's `datos`.
    pub(crate) fn datos_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.datos)(generator)
    }

    /// The documentation of the type of its events; empty if it has none.
    pub(crate) fn documentation(&self) -> String {
        schema::documentation(self.datos)
    }

    /// An example of its notice's `datos`; null if it cannot be written as JSON.
    pub(crate) fn sample(&self) -> Value {
        (self.sample)()
    }
}

impl std::fmt::Debug for OwnEventKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnEventKind").field("word", &self.word).field("scope", &self.scope).finish_non_exhaustive()
    }
}

fn schema_of<E: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<E>()
}

fn sample_of<E: OwnEvent>() -> Value {
    serde_json::to_value(E::sample()).unwrap_or_default()
}

/// Whether a name has the form `area.what_happened`, with one dot.
const fn is_word(word: &str) -> bool {
    let bytes = word.as_bytes();
    let (mut at, mut dot) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'a'..=b'z' | b'0'..=b'9' | b'_' => {}
            b'.' if dot == 0 && at > 0 => dot = at,
            _ => return false,
        }
        at += 1;
    }
    dot > 0 && dot + 1 < bytes.len() && bytes.len() <= 60
}

/// The area in a kind's name: what stands before the dot.
pub(crate) fn area(word: &str) -> &str {
    word.split('.').next().unwrap_or_default()
}

/// The kinds of events that a context knows: Svc's, and those that its host declared.
#[derive(Debug, Clone, Default)]
pub struct EventKinds {
    own: Arc<[OwnEventKind]>,
}

/// A kind of events that a context knows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KnownKind<'k> {
    Ours(EventKind),
    Own(&'k OwnEventKind),
}

impl KnownKind<'_> {
    /// The name of the scope that reads and subscribes to it; `None` if nothing may.
    pub(crate) fn scope(self) -> Option<&'static str> {
        match self {
            Self::Ours(kind) => kind.scope().map(crate::domain::scope::Scope::word),
            Self::Own(kind) => Some(kind.scope),
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ours(kind) => kind.word(),
            Self::Own(kind) => kind.word,
        }
    }
}

impl EventKinds {
    pub(crate) fn and(&self, kind: OwnEventKind) -> Self {
        Self { own: self.own.iter().copied().chain([kind]).collect() }
    }

    /// The kinds of the host, in the order in which it declared them.
    pub fn own(&self) -> &[OwnEventKind] {
        &self.own
    }

    /// The kind of that name.
    pub(crate) fn of(&self, word: &str) -> Option<KnownKind<'_>> {
        let own = || self.own.iter().find(|kind| kind.word == word).map(KnownKind::Own);
        EventKind::of(word).map(KnownKind::Ours).or_else(own)
    }

    /// The names of all kinds that a webhook can subscribe to.
    pub fn subscribable(&self) -> impl Iterator<Item = &'static str> {
        EventKind::SUBSCRIBABLE.iter().copied().chain(self.own.iter().map(|kind| kind.word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_an_area_and_what_happened() {
        for good in ["a.b", "paqueteria.enviado", "mi_app2.x_1"] {
            assert!(is_word(good), "{good}");
        }
        for bad in ["", "a", "a.", ".b", "a.b.c", "A.b", "a b.c", "á.b", "a..b", &"a.b".repeat(30)] {
            assert!(!is_word(bad), "{bad}");
        }
    }
}
