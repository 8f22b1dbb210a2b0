//! Examples of bodies, and links from a created record to the operations on it.
//!
//! Requests are written in `texts/examples.json`. Answers and notices are what the API said to them
//! (`texts/recorded.json`): a test of the whole service records and compares them.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::described::{Described, tag};
use crate::domain::event::EventKind;
use crate::operation::{Entry, Handler, Method};

const WRITTEN_FILE: &str = include_str!("texts/examples.json");
const RECORDED_FILE: &str = include_str!("texts/recorded.json");

static WRITTEN: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(WRITTEN_FILE).unwrap_or_default());
static RECORDED: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(RECORDED_FILE).unwrap_or_default());

/// The example of a request body, by the operation's title.
pub(super) fn request(title: &str) -> Option<Value> {
    WRITTEN["requests"].get(title).cloned()
}

/// The example of an event's notice.
pub(super) fn notice(kind: EventKind) -> Value {
    RECORDED["notices"][kind.word()].clone()
}

/// Adds its example to every successful response in `paths` that has a schema. Where a repetition
/// of a request is answered with the same status and another body, there are two.
pub(super) fn fill(paths: &mut Value) {
    for (path, operations) in paths.as_object_mut().into_iter().flatten() {
        for (method, operation) in operations.as_object_mut().into_iter().flatten() {
            let answers = &RECORDED["answers"][format!("{} {path}", method.to_uppercase())];
            for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
                let media = response["content"].as_object_mut().into_iter().flatten().map(|(_, media)| media);
                for media in media.filter(|media| media.get("schema").is_some()) {
                    let Some(first) = answers.get(status) else { continue };
                    match answers.get(format!("{status} repeated")) {
                        None => media["example"] = first.clone(),
                        Some(repeated) => {
                            media["examples"] =
                                json!({ "first": { "value": first }, "repeated": { "value": repeated } });
                        }
                    }
                }
            }
        }
    }
}

/// An example of an operation's whole input: that of its action, or of its request's body with 1
/// for each parameter of the path.
pub(crate) fn input(entry: &Entry) -> Option<Value> {
    if let Some(action) = entry.spec.name.and_then(|name| WRITTEN["actions"].get(name)) {
        return Some(action.clone());
    }
    let http = entry.spec.http.as_ref()?;
    let parameters = http.path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    let mut input: Map<_, _> = parameters.map(|name| (name.to_owned(), json!(1))).collect();
    input.extend(request(&format!("{} {}", http.method.name(), http.path))?.as_object()?.clone());
    Some(input.into())
}

/// The keys of a group of examples: `requests`, `actions`, `notices`.
#[cfg(test)]
pub(super) fn titles(group: &str) -> Vec<String> {
    let file = if group == "notices" { &RECORDED } else { &WRITTEN };
    file[group].as_object().map(|group| group.keys().cloned().collect()).unwrap_or_default()
}

/// OpenAPI links from the answer to a POST to the operations on the record that the answer names in
/// its first member. `cliente` links to `/clientes/{clave}`, `entrega` to `…/entregas/{entrega}`,
/// and `clave` to the operations below the POST's own path.
pub(super) fn links(described: &Described<'_>, reached: &[&Entry]) -> Option<Value> {
    let Described { entry, http, .. } = described;
    let given = if http.method == Method::Post { named_first(entry) } else { None }?;
    let answered = format!("$response.body#/{given}");
    let parents = [format!("{}/{{clave}}", http.path), format!("/{given}s/{{clave}}")];
    let [own, foreign] = parents.each_ref();
    let link = |other: &&Entry| {
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
        let id = other.operation_id();
        Some((id.clone(), json!({ "operationId": id, "parameters": parameters })))
    };
    let links: Map<_, _> = reached.iter().filter_map(link).collect();
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
