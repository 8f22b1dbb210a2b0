//! The Idempotency-Keys of writes that name none.
//!
//! An agent that repeats a call, because it lost the answer or forgot that it had made it, repeats
//! the arguments too. So a write's key is derived from the agent's session, the operation and the
//! arguments; without sessions, its API key takes the session's place, and a repetition is one for
//! as long as the API keeps answers. Edits get a new key each time: the agent that sets a value,
//! another and the first one again means all three.

use rmcp::model::JsonObject;
use sha2::{Digest, Sha256};

use super::confirmation::canonical;
use crate::domain::clock::{Random, random_bytes};

/// What distinguishes one agent's calls from another's.
pub(super) struct Session(String);

impl Session {
    pub(super) fn new(random: &dyn Random) -> Self {
        Self(random_key(random))
    }

    /// That of the API key with this identifier, which every process derives.
    pub(super) fn of_key(key_id: &str) -> Self {
        Self(key_id.to_owned())
    }

    /// Secret bytes of it.
    pub(super) fn secret(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The key of a call: the same for the same arguments in any order, in this session only.
    pub(super) fn key(&self, operation: &str, arguments: &JsonObject) -> String {
        let mut digest = Sha256::new();
        for part in [self.0.as_str(), operation, &canonical(arguments)] {
            digest.update(part.as_bytes());
            digest.update([0]);
        }
        let digest: [u8; 32] = digest.finalize().into();
        format!("mcp-{}", hex::encode(&digest[..16]))
    }
}

/// An Idempotency-Key that was never used.
pub(super) fn random_key(random: &dyn Random) -> String {
    format!("mcp-{:032x}", u128::from_le_bytes(random_bytes(random)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::domain::clock::SystemRandom;

    #[test]
    fn a_key_follows_from_session_operation_and_arguments() {
        let (one, other) = (Session::new(&SystemRandom), Session::new(&SystemRandom));
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
        let same = Session::of_key("1_abc").key("createLead", &first);
        assert_eq!(same, Session::of_key("1_abc").key("createLead", &first));
        assert_ne!(same, Session::of_key("2_abc").key("createLead", &first));
    }
}
