//! Path and query, as the client sent them.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, PercentEncode, percent_encode};

use crate::event::Pairs;

/// What cannot stand in a path: where it does, a gateway has decoded it.
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

/// Path and query.
pub(super) fn of(path: &str, query: &str) -> String {
    let separator = if query.is_empty() { "" } else { "?" };
    format!("{}{separator}{query}", encoded_path(path))
}

/// A path that a URI can hold. What a client encoded is left as it is, also where that is nonsense: an HTTP API decodes paths, the
/// others do not, and nothing shows which it was.
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

/// A query of parameters that were decoded.
pub(super) fn decoded_query(pairs: &Pairs) -> String {
    joined(pairs, PLAIN, PLAIN)
}

/// A query of parameters that are still encoded.
pub(super) fn encoded_query(pairs: &Pairs) -> String {
    joined(pairs, NAME, QUERY)
}

fn joined(pairs: &Pairs, names: &'static AsciiSet, values: &'static AsciiSet) -> String {
    let mut query = String::new();
    for (name, value) in &pairs.0 {
        let separator = if query.is_empty() { "" } else { "&" };
        // A string takes what is written to it.
        let _ = write!(query, "{separator}{}={}", encode(name, names), encode(value, values));
    }
    query
}
