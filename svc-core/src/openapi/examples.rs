//! Examples of bodies, from `texts/examples.json`, and links from a created record to the
//! operations on it.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::described::{Described, operation_id, tag};
use crate::domain::event::EventKind;
use crate::operation::{Entry, Handler, Method};
use crate::registry::OPERATIONS;

const FILE: &str = include_str!("texts/examples.json");

static ALL: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(FILE).unwrap_or_default());

/// The example of a request body, by the operation's title.
pub(super) fn request(title: &str) -> Option<Value> {
    ALL["requests"].get(title).cloned()
}

pub(super) fn notice(kind: EventKind) -> Value {
    let datos = ALL["notices"][kind.word()].clone();
    let clave = datos.as_object().and_then(|datos| datos.values().next()).cloned().unwrap_or_default();
    let path = kind.resource();
    let tipo = match (kind, datos["tipo"].as_str()) {
        (EventKind::VentaCreada, Some(tipo)) => format!("&tipo={tipo}"),
        _ => String::new(),
    };
    let url = format!("https://erp.example.com/api/v1/{path}?clave={clave}{tipo}");
    json!({
        "id": "evt_0199d8f2a4c07b3e9a55c1d2e3f40516",
        "tipo": kind.word(),
        "creado": "2026-10-12T18:00:00Z",
        "empresa": 1,
        "datos": datos,
        "recurso": { "tipo": path, "clave": clave, "url": url },
    })
}

/// Adds an example to every successful response in `paths` that has a schema.
pub(super) fn fill(paths: &mut Value, components: &Value) {
    let operations = paths.as_object_mut().into_iter().flatten().filter_map(|(_, path)| path.as_object_mut());
    let operations = operations.flatten().filter_map(|(_, operation)| operation["responses"].as_object_mut());
    for (_, response) in operations.flatten().filter(|(status, _)| status.starts_with('2')) {
        let media = response["content"].as_object_mut().into_iter().flatten().map(|(_, media)| media);
        for media in media.filter(|media| media.get("schema").is_some()) {
            media["example"] = sample(&media["schema"], components, "");
        }
    }
}

/// A value that satisfies `schema`. `texts/examples.json` may give it, under `Record.field` or
/// `field`; otherwise the type decides.
fn sample(schema: &Value, components: &Value, field: &str) -> Value {
    if let Some(given) = ALL["values"].get(field).or_else(|| ALL["values"].get(field.rsplit('.').next()?)) {
        return given.clone();
    }
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return object(&components[name], components, name);
    }
    if let Some(value) = schema.get("const").or_else(|| schema["examples"].get(0)).or_else(|| schema["enum"].get(0)) {
        return value.clone();
    }
    if let Some(other) = schema["anyOf"].get(0) {
        return sample(other, components, field);
    }
    match schema["type"].as_str().or_else(|| schema["type"][0].as_str()) {
        Some("object") => object(schema, components, field),
        Some("array") => json!([sample(&schema["items"], components, field)]),
        Some("boolean") => json!(false),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("string") => json!("texto"),
        _ => Value::Null,
    }
}

fn object(schema: &Value, components: &Value, name: &str) -> Value {
    let record = name.trim_end_matches("Answer");
    let fields = schema["properties"].as_object().into_iter().flatten();
    let member =
        |(field, schema): (&String, &Value)| (field.clone(), sample(schema, components, &format!("{record}.{field}")));
    fields.map(member).collect::<Map<_, _>>().into()
}

/// An example of an operation's whole input: that of its action, or of its request's body with 1
/// for each parameter of the path.
#[cfg(test)]
pub(crate) fn input(entry: &Entry) -> Option<Value> {
    if let Some(action) = entry.spec.name.and_then(|name| ALL["actions"].get(name)) {
        return Some(action.clone());
    }
    let http = entry.spec.http.as_ref()?;
    let parameters = http.path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    let mut input: Map<_, _> = parameters.map(|name| (name.to_owned(), json!(1))).collect();
    input.extend(request(&format!("{} {}", http.method.name(), http.path))?.as_object()?.clone());
    Some(input.into())
}

/// The keys of a group of `texts/examples.json`.
#[cfg(test)]
pub(super) fn titles(group: &str) -> Vec<String> {
    ALL[group].as_object().map(|group| group.keys().cloned().collect()).unwrap_or_default()
}

/// OpenAPI links from the answer to a POST to the operations on the record that the answer names in
/// its first member. `cliente` links to `/clientes/{clave}`, `entrega` to `…/entregas/{entrega}`,
/// and `clave` to the operations below the POST's own path.
pub(super) fn links(described: &Described) -> Option<Value> {
    let Described { entry, http, .. } = described;
    let given = if http.method == Method::Post { named_first(entry) } else { None }?;
    let answered = format!("$response.body#/{given}");
    let parents = [format!("{}/{{clave}}", http.path), format!("/{given}s/{{clave}}")];
    let [own, foreign] = parents.each_ref();
    let link = |other: &Entry| {
        let path = other.spec.http.as_ref()?.path;
        let parameters = if path.matches('{').count() == 1 {
            let is_made = path.starts_with(own) && http.path == format!("/{}", tag(http));
            // An operation below the record's own path already has its clave.
            let is_named = path.starts_with(foreign) && !http.path.starts_with(foreign);
            (is_made || is_named).then(|| json!({ "clave": answered }))
        } else {
            let is_part = path.contains(&format!("/{{clave}}/{given}s/{{{given}}}")) && !http.path.contains(&given);
            is_part.then(|| json!({ "clave": "$request.path.clave", given.as_str(): answered }))
        }?;
        let id = operation_id(other);
        Some((id.clone(), json!({ "operationId": id, "parameters": parameters })))
    };
    let links: Map<_, _> = OPERATIONS.iter().filter_map(link).collect();
    (!links.is_empty()).then(|| links.into())
}

/// The first member of an operation's answer, without `ok`.
fn named_first(entry: &Entry) -> Option<String> {
    let Handler::Operation(_) = entry.handler else { return None };
    let settings = schemars::generate::SchemaSettings::draft2020_12();
    let mut generator = settings.for_serialize().with(|settings| settings.inline_subschemas = true).into_generator();
    let schema = entry.shape.output?(&mut generator).to_value();
    schema["properties"].as_object()?.keys().next().cloned()
}
