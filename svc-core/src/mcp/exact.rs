//! Numbers that a float does not hold.
//!
//! The crate `rmcp` reads the numbers of a call as floats, and money must not become one. So
//! [`with_exact_numbers`] writes such a number as a text before `rmcp` reads the call: a NUL, which
//! no field of the API takes, and the literal. The request to the API has the literal again. A call
//! whose arguments repeat a key reaches the connector as a refusal for the agent to read.

use bytes::Bytes;
use rmcp::model::JsonObject;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use crate::json::{all_numbers, is_same_number, with_numbers};

/// What a number's text begins with. As a key, it marks a refusal in place of arguments.
const MARK: &str = "\0";

/// Prepares a message of an agent for the crate `rmcp`: its arguments' numbers stay exact, and a
/// repeated key is refused. Transports other than [`Mcp`](super::Mcp) need it before
/// [`Connector`](super::Connector); one of lines passes each line through it.
#[must_use]
pub fn with_exact_numbers(message: Bytes) -> Bytes {
    let text = std::str::from_utf8(&message).unwrap_or_default();
    let marked = |literal: &str| (!is_held(literal)).then(|| Value::from(format!("{MARK}{literal}")).to_string());
    let refusal = |fault: &str| serde_json::json!({ MARK: fault }).to_string();
    with_numbers(text, &["params", "arguments"], marked, refusal).map_or(message, Bytes::from)
}

/// Whether [`Value`] holds a number exactly.
fn is_held(literal: &str) -> bool {
    serde_json::from_str::<Number>(literal).is_ok_and(|number| is_same_number(&number.to_string(), literal))
}

/// The refusal in place of arguments.
pub(super) fn refusal(arguments: &JsonObject) -> Option<String> {
    arguments.get(MARK)?.as_str().map(|fault| format!("json_invalido: {fault}"))
}

/// A number that is held as a text.
fn number(text: &str) -> Option<&RawValue> {
    let literal = text.strip_prefix(MARK)?;
    let is_number = literal.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    serde_json::from_str(literal).ok().filter(|_| is_number)
}

/// The literal of a number that is held as a text.
pub(super) fn literal(text: &str) -> Option<&str> {
    number(text).map(RawValue::get)
}

/// The JSON of a value, with each number as the agent wrote it.
pub(super) fn json(value: &Value) -> String {
    // Values and texts of numbers cannot fail to serialise.
    serde_json::to_string(&ExactJson(value)).unwrap_or_default()
}

struct ExactJson<'v>(&'v Value);

impl Serialize for ExactJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::String(text) => match number(text) {
                Some(number) => number.serialize(serializer),
                None => text.serialize(serializer),
            },
            Value::Array(items) => serializer.collect_seq(items.iter().map(ExactJson)),
            Value::Object(members) => {
                serializer.collect_map(members.iter().map(|(key, value)| (key, ExactJson(value))))
            }
            other => other.serialize(serializer),
        }
    }
}

/// A body as a value; `None` if it is not JSON or has a number that a float does not hold.
pub(super) fn read(body: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(body).ok().filter(|text| all_numbers(text, is_held))?;
    serde_json::from_str(text).ok()
}
