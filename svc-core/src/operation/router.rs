//! Finds the operation of a method and a path.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Entry, Handler, Http, Method};

/// The default path of the API.
pub(crate) const PREFIX: &str = "/api/v1";

/// Why operations cannot be served together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RouteError {
    /// Two operations have the same method and path: method, path and the names of both types.
    #[error("two operations answer {0} {1}: {2} and {3}")]
    Duplicate(&'static str, &'static str, &'static str, &'static str),
    /// A path is malformed or conflicts with another: the path and the reason.
    #[error("the path {0} is no valid route: {1}")]
    Path(&'static str, String),
}

/// A path's operations by method.
pub(crate) struct Route {
    operations: BTreeMap<Method, Named>,
    /// The value of the `Allow` header.
    pub(crate) allow: String,
}

/// An operation with its name in logs and metrics: `PUT /clientes/{clave}`.
pub(crate) struct Named {
    pub(crate) http: &'static Http,
    pub(crate) handler: Handler,
    pub(crate) changes_access: bool,
    pub(crate) name: Arc<str>,
}

impl Route {
    pub(crate) fn operation(&self, method: Method) -> Option<&Named> {
        self.operations.get(&method)
    }
}

pub(crate) struct Router(matchit::Router<Route>);

impl Router {
    /// Builds the router; an error names the operations that conflict.
    pub(crate) fn new(registry: &[Entry]) -> Result<Self, RouteError> {
        let mut paths: BTreeMap<&'static str, BTreeMap<Method, (&'static Http, &Entry)>> = BTreeMap::new();
        for entry in registry {
            let Some(http) = &entry.spec.http else { continue };
            let (method, path) = (http.method, http.path);
            if let Some((_, other)) = paths.entry(path).or_default().insert(method, (http, entry)) {
                let (one, two) = (other.type_name(), entry.type_name());
                return Err(RouteError::Duplicate(method.name(), path, one, two));
            }
        }
        let mut router = matchit::Router::new();
        for (path, operations) in paths {
            let allow = operations.keys().map(|method| method.name()).collect::<Vec<_>>().join(", ");
            let named = |(method, (http, entry)): (Method, (_, &Entry))| {
                let name = format!("{} {path}", method.name()).into();
                let (handler, changes_access) = (entry.handler, entry.spec.changes_access);
                (method, Named { http, handler, changes_access, name })
            };
            let operations = operations.into_iter().map(named).collect();
            router
                .insert(path, Route { operations, allow })
                .map_err(|error| RouteError::Path(path, error.to_string()))?;
        }
        Ok(Self(router))
    }

    /// The path's route and the raw values of its parameters.
    pub(crate) fn find<'p>(&self, path: &'p str) -> Option<(&Route, Vec<&'p str>)> {
        let found = self.0.at(path).ok()?;
        Some((found.value, found.params.iter().map(|(_, value)| value).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::brand::Brand;

    #[test]
    fn duplicates_are_refused_naming_both() {
        static TWICE: [Entry; 2] = [Entry::list::<Brand>(), Entry::list::<Brand>()];
        let error = Router::new(&TWICE).err().unwrap();
        assert_eq!(error.to_string(), "two operations answer GET /marcas: Brand and Brand");
    }
}
