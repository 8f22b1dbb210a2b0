//! The JSON Schemas of bodies and records: one component per type.

use std::collections::HashSet;

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::texts::Texts;
use crate::operation::Entry;

const COMPONENTS: &str = "#/components/schemas/";

type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// The document's schemas: of inputs, of outputs, and those that this module composes from them.
#[derive(Debug)]
pub(super) struct Schemas {
    taken: SchemaGenerator,
    given: SchemaGenerator,
    others: Map<String, Value>,
    /// The types that have texts of ours, once all of ours are in; those of a host document
    /// themselves.
    ours: Option<HashSet<String>>,
}

impl Default for Schemas {
    fn default() -> Self {
        let settings =
            || SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = "/components/schemas".into());
        let (taken, given) = (settings().for_deserialize(), settings().for_serialize());
        Self { taken: taken.into_generator(), given: given.into_generator(), others: Map::new(), ours: None }
    }
}

impl Schemas {
    /// A reference to the component `name`.
    pub(super) fn refer(name: &str) -> Value {
        json!({ "$ref": format!("{COMPONENTS}{name}") })
    }

    /// Says that all types of Svc's own operations are in. Only the first call counts.
    pub(super) fn end_of_ours(&mut self) {
        if self.ours.is_some() {
            return;
        }
        let names = self.taken.definitions().keys().chain(self.given.definitions().keys());
        self.ours = Some(names.cloned().collect());
    }

    pub(super) fn insert(&mut self, name: &str, schema: Value) {
        self.others.insert(name.to_owned(), schema);
    }

    /// The generator of the schemas of outputs.
    pub(super) fn given(&mut self) -> &mut SchemaGenerator {
        &mut self.given
    }

    /// Adds the component of an operation's input. Returns its schema and, separately, the schemas
    /// of the fields that are parameters of the path.
    pub(super) fn input(
        &mut self,
        texts: &Texts,
        entry: &Entry,
        shape: SchemaFn,
        in_path: &[&str],
    ) -> (Value, Map<String, Value>) {
        let name = entry.type_name();
        let mut object = resolved(&mut self.taken, shape);
        if self.ours.is_none() {
            texts.describe(name, &mut object);
        }
        let mut fields = Map::new();
        for name in in_path {
            let field = object["properties"].as_object_mut().and_then(|properties| properties.shift_remove(*name));
            fields.insert((*name).to_owned(), field.unwrap_or_default());
        }
        if let Some(required) = object.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|field| !in_path.iter().any(|name| field == name));
            if required.is_empty() {
                object.as_object_mut().and_then(|object| object.shift_remove("required"));
            }
        }
        if object["properties"].as_object().is_some_and(|properties| !properties.is_empty()) {
            self.insert(name, object);
        }
        (Self::refer(name), fields)
    }

    /// Adds the component of an operation's answer: `ok`, then the members of the type. Returns a
    /// reference.
    pub(super) fn answer(&mut self, texts: &Texts, shape: SchemaFn, ok: &str) -> Value {
        let name = name_of(&shape(&mut self.given)).unwrap_or_default();
        let mut object = resolved(&mut self.given, shape);
        if self.ours.is_none() {
            texts.describe(&name, &mut object);
        }
        let own = object["properties"].take();
        let mut members = Map::from_iter([("ok".to_owned(), success(ok))]);
        members.extend(own.as_object().cloned().unwrap_or_default());
        object["properties"] = members.into();
        let required = object["required"].as_array().cloned().unwrap_or_default();
        object["required"] =
            std::iter::once(json!("ok")).chain(required.into_iter().filter(|name| name != "ok")).collect();
        object.as_object_mut().and_then(|object| object.shift_remove("description"));
        let name = format!("{name}Answer");
        self.insert(&name, object);
        Self::refer(&name)
    }

    /// Adds the component of a page of records. Returns a reference.
    pub(super) fn page(&mut self, shape: SchemaFn, envelope: impl FnOnce(Value) -> Value) -> Value {
        let record = shape(&mut self.given);
        let name = format!("{}Page", name_of(&record).unwrap_or_default());
        self.insert(&name, envelope(record.to_value()));
        Self::refer(&name)
    }

    /// All components, sorted by name.
    pub(super) fn into_components(self, texts: &Texts) -> Value {
        let Self { mut taken, mut given, others: mut all, ours } = self;
        let mut left: Map<_, _> = taken.take_definitions(true);
        left.extend(given.take_definitions(true));
        for (name, schema) in &mut left {
            if ours.as_ref().is_none_or(|ours| ours.contains(name)) {
                texts.describe(name, schema);
            }
        }
        // Keeps only schemas that something refers to; composed schemas leave some without a
        // reference.
        while let Some(name) = left.keys().find(|name| refers(&all, name)).cloned() {
            all.extend(left.shift_remove(&name).map(|schema| (name, schema)));
        }
        for schema in all.values_mut() {
            if let Ok(schema) = <&mut Schema>::try_from(schema) {
                Readable.transform(schema);
            }
        }
        all.sort_keys();
        all.into()
    }
}

/// The schema of `ok`.
pub(super) fn success(description: &str) -> Value {
    json!({ "type": "boolean", "const": true, "description": description })
}

/// The name of the component that a schema refers to.
fn name_of(schema: &Schema) -> Option<String> {
    Some(schema.get("$ref")?.as_str()?.strip_prefix(COMPONENTS)?.to_owned())
}

/// The schema of that shape, inlined even if it is a component.
fn resolved(generator: &mut SchemaGenerator, shape: SchemaFn) -> Value {
    let mut schema = shape(generator).to_value();
    while let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix(COMPONENTS)) {
        schema = generator.definitions().get(name).cloned().unwrap_or_default();
    }
    schema
}

/// Whether any of the schemas refers to the component `name`.
fn refers(all: &Map<String, Value>, name: &str) -> bool {
    fn within(schema: &Value, path: &str) -> bool {
        match schema {
            Value::Object(members) => {
                members.iter().any(|(key, value)| (key == "$ref" && value == path) || within(value, path))
            }
            Value::Array(items) => items.iter().any(|item| within(item, path)),
            _ => false,
        }
    }
    let path = format!("{COMPONENTS}{name}");
    all.values().any(|schema| within(schema, &path))
}

/// Removes what derived schemas contain but readers of the API do not need: titles, `"default":
/// null`, and the minimum length of optional texts.
#[derive(Debug, Clone)]
pub(super) struct Readable;

impl Transform for Readable {
    fn transform(&mut self, schema: &mut Schema) {
        if schema.get("default") == Some(&Value::Null) {
            schema.remove("default");
        }
        schema.remove("title");
        // An optional text may be empty.
        let is_optional =
            schema.get("type").and_then(Value::as_array).is_some_and(|types| types.contains(&json!("null")));
        if is_optional && schema.get("minLength") == Some(&json!(1)) {
            schema.remove("minLength");
        }
        transform_subschemas(self, schema);
    }
}
