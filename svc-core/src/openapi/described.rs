//! An operation that the document describes, and the names it has there.

use crate::operation::{Entry, Http};

/// One operation of the HTTP API, as the modules of this folder pass it around.
pub(super) struct Described<'r> {
    pub(super) entry: &'r Entry,
    pub(super) http: &'static Http,
    /// The title of its section in `texts/`: `GET /clientes`.
    pub(super) title: String,
}

/// The tag that groups operations: the first segment of the path.
pub(super) fn tag(http: &Http) -> &'static str {
    http.path.split('/').nth(1).unwrap_or_default()
}
