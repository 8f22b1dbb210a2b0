//! Checks responses against the OpenAPI document: a response that it does not describe fails the
//! test.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use http::Method;
use jsonschema::Validator;
use serde_json::{Value, json};
use svc_core::domain::event::OwnEventKind;
use svc_core::operation::Registry;
use svc_core::{Code, Language};

use crate::Reply;

/// The schemas of responses, by operation and status; none for a file.
type Schemas = HashMap<(String, u16), Option<Arc<Validator>>>;

/// The OpenAPI document of a registry, with the schemas of responses that were used.
#[derive(Debug)]
pub struct Contract {
    document: Value,
    schemas: Mutex<Schemas>,
}

/// The documents that were made, by what their registries hold and whether they are of the office.
static MADE: LazyLock<Mutex<Made>> = LazyLock::new(Mutex::default);

type Made = HashMap<(String, bool), Arc<Contract>>;

/// Forbids fields that an object's schema does not name: clients ignore them, but here everything
/// must be described.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.contains_key("properties") && members.get("additionalProperties") != Some(&json!(true)) {
                members.insert("additionalProperties".to_owned(), json!(false));
            }
            members.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// What tells registries with different documents apart: what a host has added. Every response is
/// checked, so the operations that all have in common are not looked at.
fn identity(registry: &Registry) -> String {
    let words = |codes: &[Code]| codes.iter().map(|code| code.codigo()).collect::<Vec<_>>();
    let kinds: Vec<_> = registry.kinds().own().iter().map(OwnEventKind::word).collect();
    let own = registry.own().iter().map(|entry| {
        let http = entry.spec.http.as_ref().map(|http| (http.method, http.path));
        (entry.spec.name, http, words(entry.spec.errors))
    });
    let hooked = registry.entries().iter().map(|entry| words(registry.hook_errors(entry))).enumerate();
    let hooked = hooked.filter(|(_, codes)| !codes.is_empty());
    format!("{kinds:?} {:?} {:?}", own.collect::<Vec<_>>(), hooked.collect::<Vec<_>>())
}

impl Contract {
    /// The document of the API with these operations.
    pub fn of(registry: &Registry) -> Arc<Self> {
        Self::made(registry, false, || registry.openapi(Language::English, "/api/v1"))
    }

    /// The document of the office with these operations.
    pub fn of_office(registry: &Registry) -> Arc<Self> {
        Self::made(registry, true, || registry.office_openapi(Language::English, "/api/v1"))
    }

    fn made(registry: &Registry, office: bool, document: impl FnOnce() -> Value) -> Arc<Self> {
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let contract = made.entry((identity(registry), office)).or_insert_with(|| {
            let mut document = document();
            close(&mut document["components"]["schemas"]);
            Arc::new(Self { document, schemas: Mutex::default() })
        });
        contract.clone()
    }

    /// Checks that the document describes the response to that request: its status, its error's
    /// code, its content type, its headers, and every field of its body.
    pub fn validate(&self, method: &Method, path: &str, reply: &Reply) {
        let Some(described) = self.operation(method, path) else { return };
        let (status, title) = (reply.status, described["operationId"].as_str().expect("a name"));
        let response = self.resolved(&described["responses"][status.to_string()]);
        assert!(!response.is_null(), "{title} is not described to answer {status}: {:?}", reply.body);
        let content = reply.header("content-type").expect("every answer says what it is");
        assert!(response["content"].get(content).is_some(), "{title} is not described to answer {content}");
        if status >= 400 {
            let (json, codes) = (reply.json(), response["x-codes"].as_array().expect("codes"));
            let code = &json["error"]["codigo"];
            assert!(codes.contains(code), "{title} is not described to answer {code}: {json}");
        }
        for (name, _) in response["headers"].as_object().expect("headers").iter().filter(|(name, _)| {
            matches!(name.as_str(), "X-Svc-Peticion" | "Location" | "Allow")
                && !(name.as_str() == "Location" && status >= 400)
        }) {
            assert!(reply.headers.contains_key(name), "{title}, {status}: no header {name}");
        }
        if let Some(schema) = self.schema(title, status, &response["content"]["application/json"]["schema"]) {
            let json = reply.json();
            let faults: Vec<_> =
                schema.iter_errors(&json).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
            assert!(faults.is_empty(), "{title}, {status}: {faults:#?} in {json}");
        }
    }

    /// The description of an operation; none if there is no such operation.
    pub fn operation(&self, method: &Method, path: &str) -> Option<&Value> {
        let path = ["/api/v1", "/office/v1"].iter().find_map(|base| path.strip_prefix(base)).unwrap_or(path);
        let segments: Vec<_> = path.split('/').collect();
        let fits = |template: &str| {
            let mut segments = segments.iter();
            let fits = |part: &str| segments.next().is_some_and(|segment| part.starts_with('{') || part == *segment);
            template.split('/').all(fits) && segments.next().is_none()
        };
        let (_, operations) = self.document["paths"].as_object()?.iter().find(|(template, _)| fits(template))?;
        operations.get(method.as_str().to_lowercase())
    }

    /// A response that may be one of several operations.
    fn resolved<'c>(&'c self, response: &'c Value) -> &'c Value {
        match response["$ref"].as_str() {
            Some(target) => self.document.pointer(&target[1..]).unwrap_or(&Value::Null),
            None => response,
        }
    }

    /// The schema of a response; none for a file.
    fn schema(&self, title: &str, status: u16, schema: &Value) -> Option<Arc<Validator>> {
        let build = || {
            let mut schema = schema.as_object()?.clone();
            schema.insert("components".to_owned(), self.document["components"].clone());
            let options = jsonschema::draft202012::options().should_validate_formats(true);
            Some(Arc::new(options.build(&schema.into()).expect("a schema")))
        };
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        schemas.entry((title.to_owned(), status)).or_insert_with(build).clone()
    }
}
