//! JSON Schemas (draft 2020-12) of inputs: derived for structs, written with `field_schema!` for
//! field types.
//!
//! A schema documents what a field takes, but the type's `Deserialize` decides. Where they differ,
//! the schema is stricter: it leaves out the empty string, which counts as absent in an optional
//! field.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

/// Implements `JsonSchema` for a field type, with a schema in the syntax of `serde_json::json!`
/// that is inlined wherever the field stands: `field_schema!(Date, "Date", { "type": "string",
/// "format": "date" })`. A second schema describes what is written, if that is less than what is
/// read.
macro_rules! field_schema {
    ([$($generics:tt)*] $type:ty, $name:expr, $schema:tt $(, leaves as $leaves:tt)?) => {
        impl<$($generics)*> schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let _ = generator;
                $(if generator.contract().is_serialize() {
                    return schemars::json_schema!($leaves);
                })?
                schemars::json_schema!($schema)
            }
        }
    };
    ($type:ty, $name:expr, $schema:tt $(, leaves as $leaves:tt)?) => {
        $crate::schema::field_schema!([] $type, $name, $schema $(, leaves as $leaves)?);
    };
}

pub(crate) use field_schema;

/// The schema of a zero in a string, which `exclusiveMinimum` does not see.
pub(crate) fn zero() -> Value {
    json!({ "type": "string", "pattern": "^[0.]*$" })
}

/// The schema of `T` with all subschemas inlined, without the title and documentation of `T`.
pub(crate) fn of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.with_transform(Tidy).into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.remove("description");
    schema
}

/// The documentation of a type in the code; empty if it has none.
pub(crate) fn documentation(schema: fn(&mut SchemaGenerator) -> Schema) -> String {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = schema(&mut settings.into_generator());
    schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Whether all that a type leaves are objects, by its schema.
pub(crate) fn is_object(schema: fn(&mut SchemaGenerator) -> Schema) -> bool {
    fn all_objects(schema: &Value) -> bool {
        let branches = ["oneOf", "anyOf"].into_iter().find_map(|key| schema[key].as_array());
        schema["type"] == "object" || branches.is_some_and(|branches| branches.iter().all(all_objects))
    }
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.with(|settings| settings.inline_subschemas = true).into_generator();
    all_objects(schema(&mut generator).as_value())
}

/// Adds a field to the schema of an object.
pub(crate) fn with_field(mut schema: Schema, name: &str, field: Value) -> Schema {
    if let Some(fields) = schema.ensure_object().entry("properties").or_insert_with(|| json!({})).as_object_mut() {
        fields.insert(name.to_owned(), field);
    }
    schema
}

/// Removes `"default": null`, which derived schemas have for every optional field.
#[derive(Debug, Clone)]
struct Tidy;

impl Transform for Tidy {
    fn transform(&mut self, schema: &mut Schema) {
        if schema.get("default") == Some(&Value::Null) {
            schema.remove("default");
        }
        transform_subschemas(self, schema);
    }
}
