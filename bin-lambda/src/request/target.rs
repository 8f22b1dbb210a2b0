//! Rebuilds path and query as the client sent them.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, PercentEncode, percent_encode};

use crate::event::Pairs;

/// Characters that a path cannot contain; if present, a gateway has decoded them.
const PATH: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'?').add(b'`');

/// Characters that a query cannot contain.
const QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'`');

/// Characters that separate parameters, or names from values.
const NAME: &AsciiSet = &QUERY.add(b'&').add(b'=');

/// All characters with a possible meaning in a query.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn encode<'t>(text: &'t str, set: &'static AsciiSet) -> PercentEncode<'t> {
    percent_encode(text.as_bytes(), set)
}

/// Removes the stage that a gateway put before the path. A path below the API's public address is
/// kept, since the stage is then part of that address.
pub(super) fn without_stage<'p>(path: &'p str, stage: Option<&str>, base_path: &str) -> &'p str {
    let below = |prefix: &str| path.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let public = !base_path.is_empty() && below(base_path).is_some();
    match stage {
        Some(stage) if !public && !stage.is_empty() && stage != "$default" => {
            below(&format!("/{stage}")).unwrap_or(path)
        }
        _ => path,
    }
}

pub(super) fn of(path: &str, query: &str) -> String {
    let separator = if query.is_empty() { "" } else { "?" };
    format!("{}{separator}{query}", encoded_path(path))
}

/// Encodes a path for a URI. The client's own encoding is kept, even if it is nonsense: an HTTP API
/// decodes paths, the others do not, and the event does not tell which.
fn encoded_path(path: &str) -> String {
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

/// A query from decoded parameters.
pub(super) fn decoded_query(pairs: &Pairs) -> String {
    joined(pairs, PLAIN, PLAIN)
}

/// A query from encoded parameters.
pub(super) fn encoded_query(pairs: &Pairs) -> String {
    joined(pairs, NAME, QUERY)
}

fn joined(pairs: &Pairs, names: &'static AsciiSet, values: &'static AsciiSet) -> String {
    let mut query = String::new();
    for (name, value) in &pairs.0 {
        let separator = if query.is_empty() { "" } else { "&" };
        // Writing to a string cannot fail.
        let _ = write!(query, "{separator}{}={}", encode(name, names), encode(value, values));
    }
    query
}
