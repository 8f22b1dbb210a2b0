//! Keys that an agent chooses from by name.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use rmcp::model::{JsonObject, Tool};
use serde::Deserialize;
use serde_json::{Value, json};

use super::exact;

pub(super) const KEY_ID: HeaderName = HeaderName::from_static("x-svc-key-id");

/// The argument of every tool that names a key.
pub(super) const AS: &str = "as";

/// API keys by name, for an agent that acts for several companies, or with several sets of scopes.
#[derive(Clone)]
pub struct NamedKeys(Arc<BTreeMap<String, HeaderMap>>);

/// A key as it is made.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedKey {
    key_id: String,
    api_key: String,
}

impl NamedKeys {
    /// Reads a JSON object of keys by name, each one as `svc key create` prints it:
    /// `{"norte": {"key_id": "1_ab12cd", "api_key": "svc_…"}}`.
    ///
    /// # Errors
    /// What is wrong, without any of the text itself: it holds secrets.
    pub fn from_json(text: &[u8]) -> Result<Self, String> {
        let keys: BTreeMap<String, NamedKey> = serde_json::from_slice(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            format!("line {line}, column {column}: expected {{\"name\": {{\"key_id\": \"…\", \"api_key\": \"…\"}}}}")
        })?;
        if keys.is_empty() {
            return Err("no key is named".to_owned());
        }
        let headers = |(name, key): (String, NamedKey)| match key.headers() {
            Some(headers) => Ok((name, headers)),
            None => Err(format!("the key {name:?} has characters that no header can hold")),
        };
        keys.into_iter().map(headers).collect::<Result<_, _>>().map(|keys| Self(Arc::new(keys)))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &HeaderMap> {
        self.0.values()
    }

    /// The headers of the agent's own request with the credentials that a call names. It need not
    /// name any where there is one, or where the request bears a key.
    pub(super) fn chosen<'h>(&self, given: &mut JsonObject, own: &'h HeaderMap) -> Result<Cow<'h, HeaderMap>, String> {
        let Self(keys) = self;
        let key = match taken(given, AS)? {
            Some(name) => keys.get(&name).ok_or_else(|| format!("{AS}: {name:?} is none of {}", self.names()))?,
            None if own.contains_key(AUTHORIZATION) => return Ok(Cow::Borrowed(own)),
            None => match keys.values().next() {
                Some(only) if keys.len() == 1 => only,
                _ => return Err(format!("the argument {AS} is missing; it is one of {}", self.names())),
            },
        };
        let mut headers = own.clone();
        for (name, value) in key {
            headers.insert(name.clone(), value.clone());
        }
        Ok(Cow::Owned(headers))
    }

    /// A tool with the argument that names a key.
    pub(super) fn added_to(&self, mut tool: Tool) -> Tool {
        let Self(keys) = self;
        let mut schema = JsonObject::clone(&tool.input_schema);
        let names: Vec<&str> = keys.keys().map(String::as_str).collect();
        let argument = json!({ "type": "string", "enum": names, "description": "The key to act with." });
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert(AS.to_owned(), argument);
        }
        if keys.len() > 1
            && let Some(required) = schema.entry("required").or_insert_with(|| json!([])).as_array_mut()
        {
            required.push(AS.into());
        }
        tool.input_schema = Arc::new(schema);
        tool
    }

    fn names(&self) -> String {
        self.0.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

impl NamedKey {
    fn headers(&self) -> Option<HeaderMap> {
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", self.api_key)).ok()?;
        authorization.set_sensitive(true);
        let key_id = HeaderValue::from_str(&self.key_id).ok()?;
        Some(HeaderMap::from_iter([(AUTHORIZATION, authorization), (KEY_ID, key_id)]))
    }
}

impl fmt::Debug for NamedKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NamedKeys").field(&self.names()).finish()
    }
}

/// Takes a text from among the arguments, if it is there.
pub(super) fn taken(given: &mut JsonObject, name: &str) -> Result<Option<String>, String> {
    match given.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if exact::literal(&text).is_none() => Ok(Some(text)),
        Some(_) => Err(format!("{name} must be a string")),
    }
}
