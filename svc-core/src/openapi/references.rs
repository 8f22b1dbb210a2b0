//! References to components.

use schemars::Schema;
use serde_json::Value;

/// What every reference to a schema begins with.
pub(super) const COMPONENTS: &str = "#/components/schemas/";

/// The name of the component that a schema refers to.
pub(super) fn name_of(schema: &Schema) -> Option<String> {
    Some(schema.get("$ref")?.as_str()?.strip_prefix(COMPONENTS)?.to_owned())
}

/// Replaces references, where `replacement` gives another.
pub(super) fn rewrite(schema: &mut Value, replacement: &impl Fn(&str) -> Option<String>) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value.as_str().filter(|_| key == "$ref").and_then(replacement) {
                    Some(other) => *value = other.into(),
                    None => rewrite(value, replacement),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                rewrite(item, replacement);
            }
        }
        _ => {}
    }
}
