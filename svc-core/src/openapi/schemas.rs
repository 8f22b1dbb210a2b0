//! The JSON Schemas of bodies and records: one component per type.

use std::collections::HashMap;

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::own_types::{OwnTypes, SchemaSide, numbered};
use super::references::{COMPONENTS, name_of, rewrite};
use super::texts::Texts;
use crate::operation::Entry;

type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// The document's schemas: of inputs, of outputs, and those that this module composes from them.
#[derive(Debug)]
pub(super) struct Schemas {
    taken: SchemaGenerator,
    given: SchemaGenerator,
    others: Map<String, Value>,
    /// The host's types, once Svc's own are complete. Svc's have texts in files; the host's
    /// document themselves.
    own: Option<OwnTypes>,
}

impl Default for Schemas {
    fn default() -> Self {
        let settings =
            || SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = "/components/schemas".into());
        let (taken, given) = (settings().for_deserialize(), settings().for_serialize());
        Self { taken: taken.into_generator(), given: given.into_generator(), others: Map::new(), own: None }
    }
}

impl Schemas {
    /// A reference to the component `name`.
    pub(super) fn refer(name: &str) -> Value {
        json!({ "$ref": format!("{COMPONENTS}{name}") })
    }

    /// Says that all types of Svc's own operations are in. Only the first call counts.
    pub(super) fn end_of_ours(&mut self) {
        if self.own.is_none() {
            let generators = [(SchemaSide::Taken, &self.taken), (SchemaSide::Given, &self.given)];
            self.own = Some(OwnTypes::beside(definitions(&self.taken, &self.given), generators));
        }
    }

    /// Adds a composed component and returns its name, numbered if a host's collides with another.
    pub(super) fn insert(&mut self, name: &str, schema: Value) -> String {
        let name = match self.own {
            Some(_) => numbered(name, |name| self.others.get(name) == Some(&schema) || self.is_free(name)),
            None => name.to_owned(),
        };
        self.others.insert(name.clone(), schema);
        name
    }

    /// Whether no component has that name.
    fn is_free(&self, name: &str) -> bool {
        !self.others.contains_key(name) && self.own.as_ref().is_none_or(|own| !own.has(name))
    }

    /// The schema of that shape and the name of its type, if it is not inlined. For a host's type,
    /// name and references are those of the description. If a component `is_composed` of the type,
    /// that takes the name, and the type is numbered.
    fn named(&mut self, side: SchemaSide, shape: SchemaFn, is_composed: bool) -> (Option<String>, Value) {
        let generator = match side {
            SchemaSide::Taken => &mut self.taken,
            SchemaSide::Given => &mut self.given,
        };
        let schema = shape(generator);
        let object = resolved(generator, &schema);
        match &mut self.own {
            Some(own) => {
                let left = name_of(&schema).filter(|_| is_composed);
                own.adopt(side, generator, |name| self.others.contains_key(name) || left.as_deref() == Some(name));
                (own.name(side, &schema), own.renamed(side, object))
            }
            None => (name_of(&schema), object),
        }
    }

    /// Adds the schema of what a host's event tells.
    pub(super) fn own_data(&mut self, shape: impl FnOnce(&mut SchemaGenerator) -> Schema) -> Value {
        let schema = shape(&mut self.given);
        match &mut self.own {
            Some(own) => {
                own.adopt(SchemaSide::Given, &self.given, |name| self.others.contains_key(name));
                own.renamed(SchemaSide::Given, schema.to_value())
            }
            None => schema.to_value(),
        }
    }

    /// The schema of an input by itself. One that refers to itself becomes a component.
    pub(super) fn alone(&mut self, name: &str, mut schema: Value) -> Value {
        let parts = schema.as_object_mut().and_then(|schema| schema.shift_remove("$defs"));
        if parts.is_none() && !refers(&schema, "#") {
            return schema;
        }
        let parts = parts.and_then(|parts| parts.as_object().cloned()).unwrap_or_default();
        let name = numbered(name, |name| self.is_free(name));
        let part_name =
            |part: &String| (format!("#/$defs/{part}"), numbered(&format!("{name}{part}"), |name| self.is_free(name)));
        let mut names: HashMap<String, String> = parts.keys().map(part_name).collect();
        names.insert("#".to_owned(), name.clone());
        for (part, mut schema) in parts
            .into_iter()
            .map(|(part, schema)| (format!("#/$defs/{part}"), schema))
            .chain([("#".to_owned(), schema)])
        {
            rewrite(&mut schema, &|reference| Some(format!("{COMPONENTS}{}", names.get(reference)?)));
            self.others.extend(names.get(&part).map(|name| (name.clone(), schema)));
        }
        Self::refer(&name)
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
        has_body: bool,
    ) -> (Value, Map<String, Value>) {
        // The body lacks what is in the path, so it is not the type.
        let is_composed = has_body && !in_path.is_empty();
        let (name, mut object) = self.named(SchemaSide::Taken, shape, is_composed);
        let mut name = name.unwrap_or_else(|| entry.type_name().to_owned());
        if self.own.is_none() {
            texts.describe(&name, &mut object);
        } else if is_composed {
            name = numbered(entry.type_name(), |name| self.is_free(name));
        }
        let mut fields = Map::new();
        for name in in_path {
            let properties = object.get_mut("properties").and_then(Value::as_object_mut);
            let field = properties.and_then(|properties| properties.shift_remove(*name));
            fields.insert((*name).to_owned(), field.unwrap_or_default());
        }
        if let Some(required) = object.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|field| !in_path.iter().any(|name| field == name));
            if required.is_empty() {
                object.as_object_mut().and_then(|object| object.shift_remove("required"));
            }
        }
        if has_body {
            self.others.insert(name.clone(), object);
        }
        (Self::refer(&name), fields)
    }

    /// Adds the component of an operation's answer: `ok`, then the members of the type. Returns a
    /// reference.
    pub(super) fn answer(&mut self, texts: &Texts, entry: &Entry, shape: SchemaFn, ok: &str) -> Value {
        let (name, mut object) = self.named(SchemaSide::Given, shape, false);
        let name = name.unwrap_or_else(|| entry.type_name().to_owned());
        if self.own.is_none() {
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
        Self::refer(&self.insert(&format!("{name}Answer"), object))
    }

    /// Adds the component of a page of records. Returns a reference.
    pub(super) fn page(&mut self, shape: SchemaFn, envelope: impl FnOnce(Value) -> Value) -> Value {
        let (name, object) = self.named(SchemaSide::Given, shape, false);
        let record = name.as_deref().map_or(object, Self::refer);
        let name = format!("{}Page", name.unwrap_or_default());
        Self::refer(&self.insert(&name, envelope(record)))
    }

    /// All components, sorted by name.
    pub(super) fn into_components(self, texts: &Texts) -> Value {
        let Self { taken, given, others: mut all, own } = self;
        let [mut left, of_host] = match own {
            Some(own) => own.into_components(),
            None => [definitions(&taken, &given), Map::new()],
        };
        for (name, schema) in &mut left {
            texts.describe(name, schema);
        }
        left.extend(of_host);
        // Keeps only schemas that something refers to; composed schemas leave some without a
        // reference.
        let is_needed = |all: &Map<String, Value>, name: &str| {
            let path = format!("{COMPONENTS}{name}");
            all.values().any(|schema| refers(schema, &path))
        };
        while let Some(name) = left.keys().find(|name| is_needed(&all, name)).cloned() {
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

/// The types that both generators have described, with the transforms of their settings.
fn definitions(taken: &SchemaGenerator, given: &SchemaGenerator) -> Map<String, Value> {
    let mut all: Map<_, _> = taken.clone().take_definitions(true);
    all.extend(given.clone().take_definitions(true));
    all
}

/// The schema itself, if it refers to a component.
fn resolved(generator: &SchemaGenerator, schema: &Schema) -> Value {
    let mut schema = schema.clone().to_value();
    while let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix(COMPONENTS)) {
        schema = generator.definitions().get(name).cloned().unwrap_or_default();
    }
    schema
}

fn refers(schema: &Value, path: &str) -> bool {
    match schema {
        Value::Object(members) => {
            members.iter().any(|(key, value)| (key == "$ref" && value == path) || refers(value, path))
        }
        Value::Array(items) => items.iter().any(|item| refers(item, path)),
        _ => false,
    }
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
