//! A session of an agent: the Idempotency-Keys of writes that name none.
//!
//! An agent that repeats a call, because it lost the answer or forgot that it had made it, repeats
//! the arguments too. So a write's key is derived from the session, the tool and the arguments.
//! Edits get a new key each time: the agent that sets a value, another and the first one again
//! means all three.

use rmcp::model::JsonObject;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::api_client::random_key;

/// One agent's session.
pub(super) struct Session(String);

impl Session {
    pub(super) fn new() -> Self {
        Self(random_key())
    }

    /// The key of a call: the same for the same arguments in any order, in this session only.
    pub(super) fn key(&self, tool: &str, arguments: &JsonObject) -> String {
        let mut arguments = Value::Object(arguments.clone());
        arguments.sort_all_objects();
        let mut digest = Sha256::new();
        for part in [self.0.as_str(), tool, &arguments.to_string()] {
            digest.update(part.as_bytes());
            digest.update([0]);
        }
        let digest: [u8; 32] = digest.finalize().into();
        let (first, _) = digest.split_at(16);
        first.iter().fold("mcp-".to_owned(), |key, byte| format!("{key}{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_follows_from_session_tool_and_arguments() {
        let (one, other) = (Session::new(), Session::new());
        let arguments = |value: Value| value.as_object().cloned().unwrap();
        let (first, turned) = (
            arguments(json!({ "nombre": "Ana", "linea": { "a": 1, "b": 2 } })),
            arguments(json!({ "linea": { "b": 2, "a": 1 }, "nombre": "Ana" })),
        );
        let key = one.key("createLead", &first);
        assert!(key.len() == 36 && key.bytes().all(|byte| byte.is_ascii_graphic()), "{key}");
        assert_eq!(key, one.key("createLead", &turned));
        for another in [
            one.key("createCustomer", &first),
            one.key("createLead", &arguments(json!({ "nombre": "Ana" }))),
            other.key("createLead", &first),
        ] {
            assert_ne!(key, another);
        }
    }
}
