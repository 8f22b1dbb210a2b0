//! Answers to an agent.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, Response};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Value, json};

use super::exact;
use crate::operation::JSON;
use crate::pipeline::rehearsal::REHEARSED_EVENTS;
use crate::pipeline::respond::REPLAYED;

/// A repetition's second text.
const REPEATED: &str = "repeated: true. This call was made before, and this is the answer that it had then; nothing was done now. \
    To do the same again on purpose,";

/// How to do it again.
const BY_KEY: &str = "call it with an `idempotency_key` of your own.";

/// The same of a call with a digest, which confirms one write.
const BY_REHEARSAL: &str = "rehearse it again, and run it with the new digest.";

/// The note on the answer of a rehearsal.
const REHEARSED: &str =
    "This was a rehearsal: nothing was done. To do it, run the same with this `digest` within 15 minutes.";

/// A fault for the agent to read and correct.
pub(super) fn fault(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text.into())])
}

/// A result made here.
pub(super) fn said(value: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    result.structured_content = Some(value);
    result
}

/// An answer for the agent, which can read a refusal and act on it. `uri` names the answer if it
/// is a file; `digest` is that of a rehearsal; `confirmed` tells whether the call bore one.
pub(super) fn of(uri: &str, answer: Response<Bytes>, digest: Option<String>, confirmed: bool) -> CallToolResult {
    let (head, body) = answer.into_parts();
    let (status, headers) = (head.status, head.headers);
    let content = text(&headers, &CONTENT_TYPE).unwrap_or_default();
    if status.is_success() && !content.starts_with(JSON) {
        return file(uri, content, &body);
    }
    let mut said = vec![ContentBlock::text(String::from_utf8_lossy(&body))];
    if let Some(seconds) = text(&headers, &RETRY_AFTER) {
        said.push(ContentBlock::text(format!("Retry after {seconds} s.")));
    }
    // The text says the same, so an answer that floats would change is given as text alone.
    let mut read = exact::read(&body);
    let mut add = |name: &str, value: Value| {
        if let Some(answer) = read.as_mut().and_then(Value::as_object_mut) {
            answer.insert(name.to_owned(), value);
        }
    };
    if headers.contains_key(REPLAYED) {
        said.push(ContentBlock::text(format!("{REPEATED} {}", if confirmed { BY_REHEARSAL } else { BY_KEY })));
        add("repeated", true.into());
    }
    if let Some(digest) = digest.filter(|_| status.is_success()) {
        let events = text(&headers, &REHEARSED_EVENTS).unwrap_or_default();
        let events: Vec<&str> = events.split(',').map(str::trim).filter(|event| !event.is_empty()).collect();
        said.push(ContentBlock::text(format!(
            "{REHEARSED} {}",
            json!({ "rehearsed": true, "events": events, "digest": digest })
        )));
        add("rehearsed", true.into());
        add("events", json!(events));
        add("digest", digest.into());
    }
    let mut result = if status.is_success() { CallToolResult::success(said) } else { CallToolResult::error(said) };
    result.structured_content = read;
    result
}

fn file(uri: &str, content: &str, body: &Bytes) -> CallToolResult {
    let file = match std::str::from_utf8(body) {
        Ok(text) => ResourceContents::text(text, uri),
        Err(_) => ResourceContents::blob(STANDARD.encode(body), uri),
    };
    CallToolResult::success(vec![ContentBlock::resource(file.with_mime_type(content))])
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
