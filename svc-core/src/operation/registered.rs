//! [`Registry`]: the operations that one context runs, those of a host among them.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Entry, Operation, RouteError, Router};

/// The operations of one context: those of Svc, and those that a host added. What is declared once
/// there is everywhere: the router, the OpenAPI document, `svc do --list`.
#[derive(Debug, Clone)]
pub struct Registry {
    entries: Vec<Entry>,
    /// How many of them are Svc's own; they come first.
    built_in: usize,
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
}

impl Registry {
    /// The registry of these operations, to which a host may add its own.
    pub(crate) fn of(built_in: &[Entry]) -> Self {
        Self { entries: built_in.to_vec(), built_in: built_in.len() }
    }

    /// Every operation: Svc's own, then the host's in the order in which it added them.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The operation with that name, such as `stock.move`.
    pub(crate) fn named(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.spec.name == Some(name))
    }

    /// Adds a host's operation. Whoever serves this registry serves the operation: over HTTP if it
    /// has a route, and by its name if it has one.
    #[must_use]
    pub fn operation<O>(mut self) -> Self
    where
        O: Operation<Output: Serialize + JsonSchema> + DeserializeOwned + JsonSchema + 'static,
    {
        self.entries.push(Entry::endpoint::<O>());
        self
    }

    /// Checks the operations against each other and builds their router.
    pub(crate) fn router(&self) -> Result<Router, RegistryError> {
        let (ours, own) = self.entries.split_at(self.built_in);
        for entry in own {
            let path = entry.spec.http.as_ref().map_or("", |http| http.path);
            if !path.is_empty() && ours.iter().any(|other| first_segment(other) == first_segment(entry)) {
                return Err(RegistryError::Prefix(path, entry.type_name()));
            }
        }
        for (place, entry) in self.entries.iter().enumerate() {
            let Some(name) = entry.spec.name else { continue };
            if let Some(other) = self.entries[..place].iter().find(|other| other.spec.name == Some(name)) {
                return Err(RegistryError::Name(name, other.type_name(), entry.type_name()));
            }
        }
        Ok(Router::new(&self.entries)?)
    }
}

fn first_segment(entry: &Entry) -> Option<&'static str> {
    entry.spec.http.as_ref()?.path.split('/').nth(1)
}
