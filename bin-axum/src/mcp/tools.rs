//! Makes the tools from the interface's description.

use http::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{ErrorData, JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use svc_core::{Language, openapi};

/// The characters that a query's value contains unencoded.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// The argument of a write with its Idempotency-Key.
const KEY: &str = "idempotency_key";

/// A tool, and how a call of it becomes a request.
pub(super) struct ApiTool {
    /// The description that the client reads.
    pub(super) described: Tool,
    method: Method,
    path: String,
    /// The parameters of path and query: the argument's name and its place.
    arguments: Vec<(String, ArgumentPlace)>,
    takes_body: bool,
}

enum ArgumentPlace {
    Path(String),
    Query(String),
}

/// The request of a call.
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) key: Option<String>,
    pub(super) body: Option<Value>,
}

/// A tool for each operation of the API at `base_url`.
pub(super) fn all(base_url: &str) -> Vec<ApiTool> {
    let document = openapi(Language::English, base_url);
    let mut tools = Vec::new();
    for (path, operations) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in operations.as_object().into_iter().flatten() {
            if let Ok(method) = method.to_uppercase().parse() {
                tools.push(tool(&document, method, path, operation));
            }
        }
    }
    tools
}

fn tool(document: &Value, method: Method, path: &str, operation: &Value) -> ApiTool {
    let (mut properties, mut required, mut arguments) = (Map::new(), Vec::new(), Vec::new());
    let mut takes_key = false;
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
            _ => {
                takes_key = true;
                properties.insert(KEY.to_owned(), schema);
                continue;
            }
        };
        required.extend(Some(argument.clone()).filter(|_| parameter["required"] == true));
        properties.insert(argument.clone(), schema);
        arguments.push((argument, place));
    }
    let body = operation.pointer("/requestBody/content/application~1json/schema");
    let body = body.map(|schema| inlined(document, schema));
    for (name, schema) in body.iter().filter_map(|body| body["properties"].as_object()).flatten() {
        properties.insert(name.clone(), schema.clone());
    }
    let needed = body.iter().filter_map(|body| body["required"].as_array()).flatten();
    required.extend(needed.filter_map(Value::as_str).map(str::to_owned));
    let schema = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    });
    let text = |name: &str| operation[name].as_str().unwrap_or_default().to_owned();
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    let hints = ToolAnnotations::with_title(text("summary"))
        .read_only(!takes_key)
        .destructive(method == Method::DELETE)
        .idempotent(true)
        .open_world(false);
    let described = Tool::new(text("operationId"), text("description"), schema).with_annotations(hints);
    ApiTool { described, method, path: path.to_owned(), arguments, takes_body: body.is_some() }
}

/// Follows a reference within the document.
fn resolved<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    let target = value["$ref"].as_str().and_then(|target| document.pointer(target.trim_start_matches('#')));
    target.unwrap_or(value)
}

/// A schema with all its references replaced by their targets.
fn inlined(document: &Value, schema: &Value) -> Value {
    match resolved(document, schema) {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), inlined(document, value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(|item| inlined(document, item)).collect(),
        other => other.clone(),
    }
}

impl ApiTool {
    /// Turns a call into a request; the API validates the arguments.
    pub(super) fn call(&self, mut given: JsonObject) -> Result<Call, ErrorData> {
        let (mut path, mut query) = (self.path.clone(), Vec::new());
        for (argument, place) in &self.arguments {
            let value = given.remove(argument).filter(|value| !value.is_null());
            match (place, value) {
                (ArgumentPlace::Path(name), Some(value)) => path = path.replace(&format!("{{{name}}}"), &text(&value)),
                (ArgumentPlace::Path(_), None) => {
                    return Err(ErrorData::invalid_params(format!("{argument} is missing"), None));
                }
                (ArgumentPlace::Query(name), Some(value)) => query.push(format!("{name}={}", text(&value))),
                (ArgumentPlace::Query(_), None) => {}
            }
        }
        let key = match given.remove(KEY) {
            Some(Value::String(key)) => Some(key),
            None | Some(Value::Null) => None,
            Some(_) => return Err(ErrorData::invalid_params(format!("{KEY} must be a string"), None)),
        };
        if !query.is_empty() {
            path = format!("{path}?{}", query.join("&"));
        }
        if !self.takes_body
            && let Some(name) = given.keys().next()
        {
            return Err(ErrorData::invalid_params(format!("no argument {name}"), None));
        }
        Ok(Call { method: self.method.clone(), path, key, body: self.takes_body.then(|| given.into()) })
    }
}

/// A value as text for a path or a query.
fn text(value: &Value) -> String {
    let plain = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    utf8_percent_encode(&plain, PLAIN).to_string()
}
