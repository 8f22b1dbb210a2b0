//! JSON Schema (draft 2020-12) of what is taken: derived for inputs, written here in one form for field types.
//!
//! A schema documents what a field takes; the type's `Deserialize` decides. Where they differ the schema is the
//! stricter: the empty string, which an optional field takes for nothing, is not in it.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// `impl JsonSchema` for the type of a field: its schema, of the form that `serde_json::json!` takes, stands where the
/// field is.
macro_rules! field_schema {
    ([$($generics:tt)*] $type:ty, $name:expr, $schema:tt) => {
        impl<$($generics)*> schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
    ($type:ty, $name:expr, $schema:tt) => {
        $crate::schema::field_schema!([] $type, $name, $schema);
    };
}

pub(crate) use field_schema;

/// The schema of `T`, whole: nothing in it refers elsewhere. It says nothing of `T` itself, whose documentation is for
/// readers of Rust.
pub(crate) fn of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.with_transform(Tidy).into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.remove("description");
    schema
}

/// The schema of an object with another field in it.
pub(crate) fn with_field(mut schema: Schema, name: &str, field: Value) -> Schema {
    if let Some(fields) = schema.ensure_object().entry("properties").or_insert_with(|| json!({})).as_object_mut() {
        fields.insert(name.to_owned(), field);
    }
    schema
}

/// Leaves out what derived schemas say beside the point: that an absent field is as good as `null`.
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
