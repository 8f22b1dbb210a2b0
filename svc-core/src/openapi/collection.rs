//! The description as a collection of requests, which Postman and those who read its format (Bruno, Insomnia, Hoppscotch) import.

use serde_json::{Map, Value, json};

use super::language::Language;
use super::openapi;
use super::operations::ONE_OF;

/// The format that the collection is in.
const FORMAT: &str = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

/// A collection (Postman's format, version 2.1) with a request for each operation of the API at `base_url`, which names its host. Address
/// and key are variables of it, `base_url`, `key_id` and `api_key`, the latter two empty.
///
/// Filters are there and switched off, but for those that a list requires; a body is the operation's example; a write makes an
/// Idempotency-Key of its own each time that it is sent.
pub fn postman(language: Language, base_url: &str) -> Value {
    let document = openapi(language, base_url);
    let mut folders: Vec<Value> = Vec::new();
    for tag in members(&document["tags"]) {
        let requests: Vec<Value> = operations(&document)
            .filter(|(.., operation)| operation["tags"][0] == tag["name"])
            .map(|(path, method, operation)| request(&document, path, method, operation))
            .collect();
        folders.push(json!({ "name": tag["name"], "description": tag["description"], "item": requests }));
    }
    let variable = |name: &str, value: &str| json!({ "key": name, "value": value, "type": "string" });
    json!({
        "info": {
            "name": document["info"]["title"],
            "description": document["info"]["description"],
            "version": document["info"]["version"],
            "schema": FORMAT,
        },
        "auth": { "type": "bearer", "bearer": [variable("token", "{{api_key}}")] },
        "variable": [variable("base_url", base_url), variable("key_id", ""), variable("api_key", "")],
        "item": folders,
    })
}

/// The document's operations: path, method and what is said of them.
fn operations(document: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
    })
}

fn members(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn request(document: &Value, path: &str, method: &str, operation: &Value) -> Value {
    let resolved = |parameter| {
        let target = |parameter: &Value| document.pointer(parameter["$ref"].as_str()?.strip_prefix('#')?).cloned();
        target(parameter).unwrap_or_else(|| parameter.clone())
    };
    let parameters: Vec<Value> = members(&operation["parameters"]).map(resolved).collect();
    let of = |place: &'static str| parameters.iter().filter(move |parameter| parameter["in"] == place);
    let is_open = members(&operation["security"]).next().is_none() && operation["security"].is_array();
    let mut headers = Vec::new();
    if !is_open {
        let name = &document["components"]["securitySchemes"]["keyId"]["name"];
        headers.push(json!({ "key": name, "value": "{{key_id}}" }));
    }
    // The tools put a new UUID here each time.
    headers.extend(of("header").map(|header| given(header, "{{$guid}}", header["required"] == true)));
    // Of several filters of which one is required, one that has an example is sent.
    let is_one = |parameter: &&Value| members(&operation[ONE_OF]).any(|name| *name == parameter["name"]);
    let one = of("query").filter(is_one).find(|parameter| !example(parameter).is_empty());
    let is_sent = |parameter: &Value| parameter["required"] == true || one == Some(parameter);
    let of_url = |parameter: &Value| given(parameter, &example(parameter), is_sent(parameter));
    let query: Vec<Value> = of("query").map(of_url).collect();
    let variables: Vec<Value> = of("path").map(of_url).collect();
    let segments: Vec<String> =
        path.split('/').skip(1).map(|segment| segment.replace('{', ":").replace('}', "")).collect();
    let sent: Vec<String> = query.iter().filter(|parameter| parameter.get("disabled").is_none()).map(pair).collect();
    let joint = if sent.is_empty() { "" } else { "?" };
    let mut request = json!({
        "method": method.to_uppercase(),
        "description": operation["description"],
        "header": headers,
        "url": {
            "raw": format!("{{{{base_url}}}}/{}{joint}{}", segments.join("/"), sent.join("&")),
            "host": ["{{base_url}}"],
            "path": segments,
            "query": query,
            "variable": variables,
        },
    });
    if is_open {
        request["auth"] = json!({ "type": "noauth" });
    }
    if let Some(example) = operation.pointer("/requestBody/content/application~1json/example") {
        let options = json!({ "raw": { "language": "json" } });
        request["body"] = json!({ "mode": "raw", "raw": format!("{example:#}"), "options": options });
    }
    json!({ "name": operation["summary"], "request": request, "response": [] })
}

/// A parameter with that value, which is sent or switched off.
fn given(parameter: &Value, value: &str, is_sent: bool) -> Value {
    let mut given = Map::from_iter([
        ("key".to_owned(), parameter["name"].clone()),
        ("value".to_owned(), value.into()),
        ("description".to_owned(), parameter["description"].clone()),
    ]);
    if !is_sent {
        given.insert("disabled".to_owned(), true.into());
    }
    given.into()
}

/// A value that a parameter may have.
fn example(parameter: &Value) -> String {
    let schema = &parameter["schema"];
    let value = schema["examples"].get(0).or_else(|| schema["enum"].get(0)).or_else(|| schema.get("default"));
    match (value, schema["type"].as_str()) {
        (Some(Value::String(text)), _) => text.clone(),
        (Some(value), _) => value.to_string(),
        (None, Some("integer")) => "1".to_owned(),
        (None, Some("boolean")) => "true".to_owned(),
        (None, _) => String::new(),
    }
}

fn pair(parameter: &Value) -> String {
    let text = |name: &str| parameter[name].as_str().unwrap_or_default().to_owned();
    format!("{}={}", text("key"), text("value"))
}
