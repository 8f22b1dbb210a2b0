//! Makes a catalogue of the operations from the registry and its descriptions.

use std::sync::LazyLock;

use http::Method;
use percent_encoding::utf8_percent_encode;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::exact;
use super::search::Words;
use super::upstream::Surface;
use crate::domain::scope::{Scope, Scopes};
use crate::openapi::Language;
use crate::operation::{Http, JSON, PREFIX, Registry};
use crate::pipeline::respond::ESCAPED;

/// The argument of a write with its Idempotency-Key.
pub(super) const KEY: &str = "idempotency_key";

/// The office's operation of several actions.
pub(super) const BATCH: &str = "batch";

/// The header that it becomes; no other is an argument.
const KEY_HEADER: &str = "Idempotency-Key";

const KEY_OF_A_CREATION: &str = "Left out, the same call in this session is done once: a repetition gets the first answer \
    and says so. Pass a new value, for example a UUID, to do the same a second time on purpose.";
const KEY_OF_AN_EDIT: &str = "May be left out: the same call twice has the effect of one.";
const KEY_OF_A_CHANGE: &str = "May be left out: each call is done.";

/// Every operation of the API and of the office. It is made on first use, which takes a moment.
pub(super) struct OperationIndex(LazyLock<Vec<Offered>, Box<dyn FnOnce() -> Vec<Offered> + Send>>);

/// An operation, and how a call of it becomes a request.
pub(super) struct Offered {
    /// Its name as a tool, its summary, its description, and the schema of its arguments.
    pub(super) described: Tool,
    /// The name by which `svc do` and the office know it.
    pub(super) name: Option<&'static str>,
    /// The scopes; the key needs one of them.
    pub(super) scopes: Scopes,
    pub(super) surface: Surface,
    pub(super) method: Method,
    path: String,
    /// The parameters of path and query: the argument's name and its place.
    arguments: Vec<(String, ArgumentPlace)>,
    takes_body: bool,
    pub(super) writes: bool,
    /// Whether the same call is done each time; else it is done once, unless its key says
    /// otherwise.
    pub(super) each_time: bool,
    /// The schema of its answer, if that is JSON.
    pub(super) answer: Option<Value>,
    pub(super) words: Words,
}

enum ArgumentPlace {
    Path(String),
    Query(String),
}

impl OperationIndex {
    pub(super) fn of(registry: &Registry) -> Self {
        let registry = registry.clone();
        Self(LazyLock::new(Box::new(move || all(&registry))))
    }

    pub(super) fn all(&self) -> &[Offered] {
        &self.0
    }

    /// The operation of that name: the tool's, or the one by which `svc do` knows it.
    pub(super) fn find(&self, name: &str) -> Option<&Offered> {
        self.all().iter().find(|offered| offered.described.name == name || offered.name == Some(name))
    }
}

fn all(registry: &Registry) -> Vec<Offered> {
    let documents = |make: fn(&Registry, Language, &str) -> Value| {
        [Language::English, Language::Spanish].map(|language| make(registry, language, PREFIX))
    };
    let (api, office) = (documents(Registry::openapi), documents(Registry::office_openapi));
    let entries = registry.entries().iter();
    let of_api = entries.clone().filter_map(|entry| {
        let http = entry.spec.http.as_ref()?;
        operation(
            &api,
            Surface::Api,
            http.path,
            http.method.name(),
            entry.spec.name,
            (http.scopes, hints(http), entry.spec.each_time),
        )
    });
    let office_scope = Scopes::only(Scope::Oficina);
    let actions = entries.filter_map(|entry| Some((entry.spec.name?, !entry.spec.reads, entry.spec.each_time)));
    let of_office = actions.chain([(BATCH, true, false)]).filter_map(|(name, writes, each_time)| {
        operation(
            &office,
            Surface::Office,
            &format!("/{name}"),
            "POST",
            Some(name),
            (office_scope, hints_of_action(writes), each_time),
        )
    });
    of_api.chain(of_office).collect()
}

/// The hints that a route gives about its operation.
fn hints(http: &Http) -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(http.method.name() == "GET")
        .destructive(http.overwrites())
        .idempotent(http.repeats_harmlessly())
        .open_world(http.reaches_out())
}

/// The hints about an action: one that writes may change anything and ask the authority for
/// something.
fn hints_of_action(writes: bool) -> ToolAnnotations {
    ToolAnnotations::new().read_only(!writes).destructive(writes).idempotent(!writes).open_world(writes)
}

/// The operation at a path; `None` if its method is none of HTTP's.
fn operation(
    [document, spanish]: &[Value; 2],
    surface: Surface,
    path: &str,
    method: &str,
    name: Option<&'static str>,
    (scopes, mut hints, each_time): (Scopes, ToolAnnotations, bool),
) -> Option<Offered> {
    let (method, word): (Method, _) = (method.parse().ok()?, method.to_lowercase());
    let operation = &document["paths"][path][&word];
    let (writes, repeats_harmlessly) = (hints.read_only_hint != Some(true), hints.idempotent_hint == Some(true));
    let (mut properties, mut required, mut arguments) = (Map::new(), Vec::new(), Vec::new());
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let parameter = resolved(document, parameter);
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        let mut schema = parameter["schema"].clone();
        schema["description"] = parameter["description"].clone();
        let (argument, place) = match parameter["in"].as_str() {
            Some("path") => (name.clone(), ArgumentPlace::Path(name)),
            // A list's filter may have the same name as a parameter of its path.
            Some("query") if properties.contains_key(&name) => (format!("filter_{name}"), ArgumentPlace::Query(name)),
            Some("query") => (name.clone(), ArgumentPlace::Query(name)),
            Some("header") if name == KEY_HEADER => {
                let said = match (repeats_harmlessly, each_time) {
                    (true, _) => KEY_OF_AN_EDIT,
                    (false, true) => KEY_OF_A_CHANGE,
                    (false, false) => KEY_OF_A_CREATION,
                };
                schema["description"] = said.into();
                properties.insert(KEY.to_owned(), schema);
                continue;
            }
            _ => continue,
        };
        required.extend(Some(argument.clone()).filter(|_| parameter["required"] == true));
        properties.insert(argument.clone(), schema);
        arguments.push((argument, place));
    }
    let body = operation.pointer("/requestBody/content/application~1json/schema");
    let body = body.map(|schema| inlined(document, schema));
    properties.extend(body.as_ref().map(arguments_of).unwrap_or_default());
    let needed = body.iter().filter_map(|body| body["required"].as_array()).flatten();
    required.extend(needed.filter_map(Value::as_str).map(str::to_owned));
    let words = Words::of([document, spanish].map(|document| &document["paths"][path][&word]), &properties);
    let schema = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    });
    let text = |name: &str| operation[name].as_str().unwrap_or_default().to_owned();
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    hints.title = Some(text("summary"));
    let described = Tool::new(text("operationId"), text("description"), schema).with_annotations(hints);
    let success = operation["responses"].as_object()?.iter().find(|(status, _)| status.starts_with('2'));
    let answer = success.and_then(|(_, answer)| answer["content"].get(JSON)?.get("schema"));
    Some(Offered {
        described,
        name,
        scopes,
        surface,
        method,
        path: path.to_owned(),
        arguments,
        takes_body: body.is_some(),
        writes,
        each_time: repeats_harmlessly || each_time,
        answer: answer.map(|schema| inlined(document, schema)),
        words,
    })
}

/// Follows a reference within the document.
fn resolved<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    let target = value["$ref"].as_str().and_then(|target| document.pointer(target.trim_start_matches('#')));
    target.unwrap_or(value)
}

/// The arguments for an object: its members, and those of its variants. One of several variants has
/// the schema of any.
fn arguments_of(schema: &Value) -> Map<String, Value> {
    let mut arguments: Map<String, Value> = Map::new();
    for (name, schema) in members(schema) {
        let known = arguments.entry(name.clone()).or_insert_with(|| json!([]));
        if let Some(known) = known.as_array_mut().filter(|known| !known.contains(schema)) {
            known.push(schema.clone());
        }
    }
    for (_, schemas) in &mut arguments {
        let all = schemas.take();
        *schemas = match all.as_array().map(Vec::as_slice) {
            Some([only]) => only.clone(),
            _ => json!({ "anyOf": all }),
        };
    }
    arguments
}

/// The members of an object's schema, those of its variants too.
fn members(schema: &Value) -> Vec<(&String, &Value)> {
    let variants = ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
    schema["properties"].as_object().into_iter().flatten().chain(variants.flat_map(members)).collect()
}

/// A schema with its references replaced by their targets. A type within itself is described by its
/// JSON type only.
fn inlined(document: &Value, schema: &Value) -> Value {
    inlined_within(document, schema, &[])
}

fn inlined_within(document: &Value, schema: &Value, around: &[&str]) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = resolved(document, schema);
        if around.contains(&reference) {
            return target.get("type").map_or_else(|| json!({}), |kind| json!({ "type": kind }));
        }
        return inlined_within(document, target, &[around, &[reference]].concat());
    }
    let within = |value: &Value| inlined_within(document, value, around);
    match schema {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), within(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(within).collect(),
        other => other.clone(),
    }
}

/// The request of a call: the path below the surface's own, and the body.
pub(super) struct Call {
    pub(super) path: String,
    pub(super) body: Option<Value>,
}

impl Offered {
    /// Turns the arguments of a call into a request; the API validates the values. An error is for
    /// the agent to read.
    pub(super) fn call(&self, mut given: JsonObject) -> Result<Call, String> {
        self.refuse_unknown(&given)?;
        let (mut path, mut query) = (self.path.clone(), Vec::new());
        for (argument, place) in &self.arguments {
            let value = given.remove(argument).filter(|value| !value.is_null());
            match (place, value) {
                (ArgumentPlace::Path(name), Some(value)) => path = path.replace(&format!("{{{name}}}"), &text(&value)),
                (ArgumentPlace::Path(_), None) => return Err(format!("the argument {argument} is missing")),
                (ArgumentPlace::Query(name), Some(value)) => query.push(format!("{name}={}", text(&value))),
                (ArgumentPlace::Query(_), None) => {}
            }
        }
        if !query.is_empty() {
            path = format!("{path}?{}", query.join("&"));
        }
        Ok(Call { path, body: self.takes_body.then(|| given.into()) })
    }

    fn refuse_unknown(&self, given: &JsonObject) -> Result<(), String> {
        let allowed = self.described.input_schema.get("properties").and_then(Value::as_object);
        let is_allowed = |name: &String| allowed.is_some_and(|allowed| allowed.contains_key(name));
        let Some(unknown) = given.keys().find(|name| !is_allowed(name)) else { return Ok(()) };
        let names: Vec<&str> = allowed.into_iter().flat_map(Map::keys).map(String::as_str).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        Err(format!("there is no argument {unknown}; allowed are: {names}"))
    }
}

/// A value as text for a path or a query.
fn text(value: &Value) -> String {
    let plain =
        value.as_str().map_or_else(|| value.to_string(), |text| exact::literal(text).unwrap_or(text).to_owned());
    utf8_percent_encode(&plain, ESCAPED).to_string()
}
