//! Records as they are imported.

use serde_json::{Map, Value};

/// One import line: a JSON object, still unwritten.
pub(crate) type Record = Map<String, Value>;

/// Sets a field of a record.
pub(super) fn put(record: &mut Record, field: &str, value: impl Into<Value>) {
    record.insert(field.to_owned(), value.into());
}
