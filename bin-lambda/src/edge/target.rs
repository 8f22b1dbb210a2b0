//! Path and query, as the client sent them.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, PercentEncode, percent_encode};

/// What cannot stand in a path: where it does, a door has decoded it.
const PATH: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'?').add(b'`');

/// What cannot stand in a query.
const QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'`');

/// What separates parameters, or their names from their values.
const NAME: &AsciiSet = &QUERY.add(b'&').add(b'=');

/// All that may mean something in a query.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn encode<'t>(text: &'t str, set: &'static AsciiSet) -> PercentEncode<'t> {
    percent_encode(text.as_bytes(), set)
}

/// A path without the stage that a gateway put before it. One that lies under the API's public address is as it should be: the
/// stage's name is a part of that address.
pub(super) fn without_stage<'p>(path: &'p str, stage: &str, base_path: &str) -> &'p str {
    let below = |prefix: &str| path.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let public = !base_path.is_empty() && below(base_path).is_some();
    if public || stage.is_empty() || stage == "$default" {
        return path;
    }
    path.strip_prefix('/')
        .and_then(|rest| rest.strip_prefix(stage))
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        .unwrap_or(path)
}

/// A path that a URI can hold. What a client encoded is left as it is, also where that is nonsense: an HTTP API decodes paths, the
/// other doors do not, and nothing tells which it was.
pub(super) fn path(path: &str) -> String {
    match path {
        "" => "/".to_owned(),
        // Of `OPTIONS *`.
        "*" => "*".to_owned(),
        _ if path.starts_with('/') => encode(path, PATH).to_string(),
        _ => format!("/{}", encode(path, PATH)),
    }
}

/// A query as the client sent it.
pub(super) fn raw_query(query: &str) -> String {
    encode(query, QUERY).to_string()
}

/// A query of parameters that were decoded.
pub(super) fn decoded_query(pairs: &[(String, String)]) -> String {
    joined(pairs, PLAIN, PLAIN)
}

/// A query of parameters that are still encoded.
pub(super) fn encoded_query(pairs: &[(String, String)]) -> String {
    joined(pairs, NAME, QUERY)
}

fn joined(pairs: &[(String, String)], names: &'static AsciiSet, values: &'static AsciiSet) -> String {
    let mut query = String::new();
    for (name, value) in pairs {
        let separator = if query.is_empty() { "" } else { "&" };
        // A string takes what is written to it.
        let _ = write!(query, "{separator}{}={}", encode(name, names), encode(value, values));
    }
    query
}
