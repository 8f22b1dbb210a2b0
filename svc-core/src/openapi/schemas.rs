//! The JSON Schemas of bodies and records: one component for each type.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// Where the document has its schemas.
const COMPONENTS: &str = "#/components/schemas/";

type Shape = fn(&mut SchemaGenerator) -> Schema;

/// The schemas of the document: those of what is taken, of what is given, and others, which are put together from them.
#[derive(Debug)]
pub(super) struct Schemas {
    taken: SchemaGenerator,
    given: SchemaGenerator,
    others: Map<String, Value>,
}

impl Default for Schemas {
    fn default() -> Self {
        let settings =
            || SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = "/components/schemas".into());
        let (taken, given) = (settings().for_deserialize(), settings().for_serialize());
        Self { taken: taken.into_generator(), given: given.into_generator(), others: Map::new() }
    }
}

impl Schemas {
    /// A reference to the component of that name.
    pub(super) fn refer(name: &str) -> Value {
        json!({ "$ref": format!("{COMPONENTS}{name}") })
    }

    /// Adds a component.
    pub(super) fn insert(&mut self, name: &str, schema: Value) {
        self.others.insert(name.to_owned(), schema);
    }

    /// The generator of schemas of what leaves.
    pub(super) fn given(&mut self) -> &mut SchemaGenerator {
        &mut self.given
    }

    /// The object that an operation takes, of which the fields in the path are taken out: they are returned by themselves.
    pub(super) fn input(&mut self, name: &str, shape: Shape, in_path: &[&str]) -> (Value, Map<String, Value>) {
        let mut object = resolved(&mut self.taken, shape);
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
        // What the operation does stands with the operation.
        object.as_object_mut().and_then(|object| object.shift_remove("description"));
        if object["properties"].as_object().is_some_and(|properties| !properties.is_empty()) {
            self.insert(name, object);
        }
        (Self::refer(name), fields)
    }

    /// The answer of an operation: the object of that shape with `ok` before its members.
    pub(super) fn answer(&mut self, shape: Shape, ok: &str) -> Value {
        let name = self.name(shape);
        let mut object = resolved(&mut self.given, shape);
        let own = object["properties"].take();
        let mut members = Map::from_iter([("ok".to_owned(), success(ok))]);
        members.extend(own.as_object().cloned().unwrap_or_default());
        object["properties"] = members.into();
        let required = object["required"].as_array().cloned().unwrap_or_default();
        object["required"] =
            std::iter::once(json!("ok")).chain(required.into_iter().filter(|name| name != "ok")).collect();
        object.as_object_mut().and_then(|object| object.shift_remove("description"));
        let name = format!("{}Answer", name.unwrap_or_default());
        self.insert(&name, object);
        Self::refer(&name)
    }

    /// A page of records of that shape, by the component's name.
    pub(super) fn page(&mut self, shape: Shape, envelope: impl FnOnce(Value) -> Value) -> Value {
        let record = shape(&mut self.given);
        let name = format!("{}Page", name_of(&record).unwrap_or_default());
        self.insert(&name, envelope(record.to_value()));
        Self::refer(&name)
    }

    fn name(&mut self, shape: Shape) -> Option<String> {
        name_of(&shape(&mut self.given))
    }

    /// All components, in the order of their names.
    pub(super) fn into_components(self) -> Value {
        let Self { mut taken, mut given, others: mut all } = self;
        let mut left: Map<_, _> = taken.take_definitions(true);
        left.extend(given.take_definitions(true));
        // Only what is referred to: some are put together from others.
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

/// What says that a request succeeded.
pub(super) fn success(description: &str) -> Value {
    json!({ "type": "boolean", "const": true, "description": description })
}

/// The name of the component that a schema refers to.
fn name_of(schema: &Schema) -> Option<String> {
    Some(schema.get("$ref")?.as_str()?.strip_prefix(COMPONENTS)?.to_owned())
}

/// The schema of that shape by itself, though there may be a component of it.
fn resolved(generator: &mut SchemaGenerator, shape: Shape) -> Value {
    let mut schema = shape(generator).to_value();
    while let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix(COMPONENTS)) {
        schema = generator.definitions().get(name).cloned().unwrap_or_default();
    }
    schema
}

/// Whether one of the schemas refers to the component of that name.
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

/// Makes a derived schema one for readers of the API: without the remarks and links for readers of the code, and without
/// `"default": null`.
#[derive(Debug, Clone)]
pub(super) struct Readable;

impl Transform for Readable {
    fn transform(&mut self, schema: &mut Schema) {
        if schema.get("default") == Some(&Value::Null) {
            schema.remove("default");
        }
        schema.remove("title");
        // What may be left out may also be empty.
        let is_optional =
            schema.get("type").and_then(Value::as_array).is_some_and(|types| types.contains(&json!("null")));
        if is_optional && schema.get("minLength") == Some(&json!(1)) {
            schema.remove("minLength");
        }
        if let Some(text) = schema.get("description").and_then(Value::as_str).map(readable) {
            schema.insert("description".to_owned(), text.into());
        }
        transform_subschemas(self, schema);
    }
}

/// The first paragraph of a documentation comment, without what it says of the specification.
pub(super) fn readable(text: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let mut left = first.as_str();
    let mut said = String::new();
    while let Some(at) = [" (spec", " (contract"].iter().filter_map(|mark| left.find(mark)).min() {
        said.push_str(&left[..at]);
        left = left[at..].split_once(')').map_or("", |(_, rest)| rest);
    }
    said.push_str(left);
    said.replace("[`", "`").replace("`]", "`")
}
