//! The operations that HTTP reaches, as the registry lists them.

use svc_core::operation::{Entry, Http};
use svc_core::record::{Filter, PageSizes};
use svc_core::registry::OPERATIONS;

/// An operation of the registry that is reached over HTTP.
#[derive(Debug, Clone, Copy)]
pub struct Endpoint {
    /// How it is reached.
    pub http: &'static Http,
    entry: &'static Entry,
}

/// The operations of the registry that are reached over HTTP.
pub fn endpoints() -> impl Iterator<Item = Endpoint> {
    OPERATIONS.iter().filter_map(|entry| Some(Endpoint { http: entry.spec.http.as_ref()?, entry }))
}

impl Endpoint {
    /// A list's page regime; `None` for other operations.
    pub fn pages(&self) -> Option<PageSizes> {
        self.entry.pages()
    }

    /// A list's filters; empty for other operations.
    pub fn filters(&self) -> &'static [Filter] {
        self.entry.filters()
    }
}
