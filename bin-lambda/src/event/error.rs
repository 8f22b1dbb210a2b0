//! Why an invocation cannot be parsed.

use serde_json::Value;

/// The most field names in the error for an unknown event.
const NAMED: usize = 12;

/// Why an invocation cannot be parsed. It shows field names, never their values.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum EventError {
    #[error(
        "the event is no JSON object, or a field that all such events have is missing or of another type: line {0}, column {1}"
    )]
    Json(usize, usize),
    #[error(
        "this is an event of none of API Gateway (HTTP or REST), load balancer, function URL, schedule; its fields are: {0}"
    )]
    Unknown(String),
    #[error("the event names work that is unknown: svc is one of all, stamp, deliver, clean-up, or an array of them")]
    Work,
    #[error("the request's {0} is none that HTTP knows")]
    Http(&'static str),
}

impl EventError {
    /// An event of no known kind.
    pub(super) fn unknown(json: &str) -> Self {
        let fields: serde_json::Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
        let names: Vec<String> = fields.into_iter().map(|(name, _)| name).take(NAMED).collect();
        Self::Unknown(if names.is_empty() { "none".to_owned() } else { names.join(", ") })
    }
}

impl From<serde_json::Error> for EventError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error.line(), error.column())
    }
}
