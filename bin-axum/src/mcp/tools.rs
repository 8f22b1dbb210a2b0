//! Makes the tools from the registry and the interface's description.

use http::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use svc_core::operation::Http;
use svc_core::registry::OPERATIONS;
use svc_core::{Language, openapi};

use super::repetition::Session;
use crate::api_client::random_key;

/// The characters that a query's value contains unencoded.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// The argument of a write with its Idempotency-Key.
pub(super) const KEY: &str = "idempotency_key";

/// The header that it becomes; no other is an argument.
const KEY_HEADER: &str = "Idempotency-Key";

const KEY_OF_A_CREATION: &str = "Left out, the same call in this session is done once: a repetition gets the first answer \
    and says so. Pass a new value, for example a UUID, to do the same a second time on purpose.";
const KEY_OF_AN_EDIT: &str = "May be left out: the same call twice has the effect of one.";

/// A tool, and how a call of it becomes a request.
pub(super) struct ApiTool {
    /// The description that the client reads.
    pub(super) described: Tool,
    /// The operation's route, with the scopes that it needs.
    pub(super) http: &'static Http,
    method: Method,
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
    pub(super) key: String,
    pub(super) body: Option<Value>,
}

/// A tool for each operation of the API at `base_url`.
pub(super) fn all(base_url: &str) -> Vec<ApiTool> {
    let document = openapi(Language::English, base_url);
    OPERATIONS.iter().filter_map(|entry| tool(&document, entry.spec.http.as_ref()?)).collect()
}

/// The tool of a route; `None` if its method is none of HTTP's.
fn tool(document: &Value, http: &'static Http) -> Option<ApiTool> {
    let method: Method = http.method.name().parse().ok()?;
    let operation = &document["paths"][http.path][http.method.name().to_lowercase()];
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
            Some("header") if name != KEY_HEADER => continue,
            _ => {
                let said = if http.repeats_harmlessly() { KEY_OF_AN_EDIT } else { KEY_OF_A_CREATION };
                schema["description"] = said.into();
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
        .read_only(method == Method::GET)
        .destructive(http.overwrites())
        .idempotent(http.repeats_harmlessly())
        .open_world(http.reaches_out());
    let described = Tool::new(text("operationId"), text("description"), schema).with_annotations(hints);
    Some(ApiTool { described, http, method, arguments, takes_body: body.is_some() })
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
    /// Turns a call into a request; the API validates the values. An error is for the agent to
    /// read.
    pub(super) fn call(&self, mut given: JsonObject, session: &Session) -> Result<Call, String> {
        self.refuse_unknown(&given)?;
        let key = match given.remove(KEY) {
            Some(Value::String(key)) => key,
            None | Some(Value::Null) if self.http.repeats_harmlessly() => random_key(),
            None | Some(Value::Null) => session.key(&self.described.name, &given),
            Some(_) => return Err(format!("{KEY} must be a string")),
        };
        let (mut path, mut query) = (self.http.path.to_owned(), Vec::new());
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
        Ok(Call { method: self.method.clone(), path, key, body: self.takes_body.then(|| given.into()) })
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
    let plain = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    utf8_percent_encode(&plain, PLAIN).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(name: &str) -> [Option<bool>; 4] {
        let tools = all("http://127.0.0.1/api/v1");
        let tool = tools.iter().find(|tool| tool.described.name == name).unwrap_or_else(|| panic!("no tool {name}"));
        let hints = tool.described.annotations.as_ref().unwrap();
        [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint]
    }

    #[test]
    fn hints_say_what_an_operation_does() {
        for (name, read_only, destructive, idempotent, open_world) in [
            ("listCustomers", true, false, true, false),
            ("readInvoicePdf", true, false, true, false),
            ("createCustomer", false, false, false, false),
            ("createLead", false, false, false, false),
            ("editCustomer", false, true, true, false),
            // The new commitment takes the place of the former one.
            ("logInteraction", false, true, false, false),
            ("createSale", false, false, false, false),
            // A sale is invoiced once, whatever the keys are.
            ("invoiceSale", false, true, true, true),
            ("payReceivable", false, false, false, true),
            ("deleteWebhook", false, true, true, false),
            ("rotateSecret", false, true, false, false),
            ("tryWebhook", false, false, false, true),
            ("resendDelivery", false, false, false, true),
        ] {
            assert_eq!(hints(name), [read_only, destructive, idempotent, open_world].map(Some), "{name}");
        }
    }

    #[test]
    fn an_unknown_argument_names_the_allowed_ones() {
        let tools = all("http://127.0.0.1/api/v1");
        let session = Session::new();
        let given = |value: Value| value.as_object().cloned().unwrap();
        for tool in &tools {
            let refused = tool.call(given(json!({ "otro_campo": 1 })), &session).err().unwrap();
            assert!(refused.starts_with("there is no argument otro_campo; allowed are: "), "{refused}");
        }
        let edit = tools.iter().find(|tool| tool.described.name == "editCustomer").unwrap();
        let refused = edit.call(given(json!({ "clave": 1, "Nombre": "x" })), &session).err().unwrap();
        assert!(refused.contains("clave, idempotency_key, nombre"), "{refused}");
        assert!(edit.call(given(json!({ "nombre": "x" })), &session).err().unwrap().contains("clave"));
    }

    #[test]
    fn only_what_repeats_with_an_effect_has_the_session_s_key() {
        let tools = all("http://127.0.0.1/api/v1");
        let session = Session::new();
        for tool in tools.iter().filter(|tool| tool.method != Method::GET) {
            let given = json!({ "clave": 1, "entrega": 1 }).as_object().cloned().unwrap();
            let given: JsonObject =
                given.into_iter().filter(|(name, _)| tool.http.path.contains(name.as_str())).collect();
            let keys =
                [(); 2].map(|()| tool.call(given.clone(), &session).unwrap_or_else(|fault| panic!("{fault}")).key);
            assert_eq!(keys[0] == keys[1], !tool.http.repeats_harmlessly(), "{}", tool.described.name);
        }
    }
}
