//! The four tools: find an operation, describe it, rehearse it, run it.

use std::cmp::Reverse;

use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::answer::{fault, said};
use super::catalogue::{KEY, Offered};
use super::offer::{DIGEST, Offer};
use super::search::wanted;
use crate::domain::scope::KeyScopes;

pub(super) const FIND: &str = "find_operations";
pub(super) const DESCRIBE: &str = "describe_operation";
pub(super) const REHEARSE: &str = "rehearse_operation";
pub(super) const RUN: &str = "run_operation";

/// The most operations that a search finds.
const FOUND: usize = 20;

/// The most operations that are named in place of one that does not exist.
const NEAR: usize = 5;

/// Whether the offer has a tool of that name among the four.
pub(super) fn has(offer: &Offer, tool: &str) -> bool {
    matches!(tool, FIND | DESCRIBE | RUN) || tool == REHEARSE && !offer.read_only
}

pub(super) fn tools(offer: &Offer) -> Vec<Tool> {
    let operation = json!({ "type": "string", "description": "The operation's name, as found." });
    let arguments = json!({ "type": "object", "description": "Its arguments, as described." });
    let find = tool(
        FIND,
        "Find operations",
        "Finds what can be done: the operations that the key allows, the best match first.",
        &json!({ "text": {
            "type": "string",
            "description": "Words of what is wanted, in English or Spanish; without them all are listed.",
        } }),
        &[],
    );
    let describe = tool(
        DESCRIBE,
        "Describe an operation",
        "Says what an operation does, which arguments it takes and what it answers, as JSON Schemas.",
        &json!({ "operation": operation }),
        &["operation"],
    );
    let rehearse = tool(
        REHEARSE,
        "Rehearse a write",
        "Does a write and undoes it: answers what it would answer, with the events that it would emit and the digest with which \
         it is confirmed. Nothing is written and nothing is sent.",
        &json!({ "operation": operation, "arguments": arguments }),
        &["operation"],
    );
    let mut how = json!({ "operation": operation, "arguments": arguments });
    if !offer.read_only {
        let key =
            "May be left out: the same creation twice is done once. Pass a new value to do the same again on purpose.";
        how[KEY] = json!({ "type": "string", "description": key });
        how[DIGEST] = json!({ "type": "string", "description": offer.digest_said() });
    }
    let about = if offer.read_only { "Runs an operation that reads." } else { "Runs an operation." };
    let run = tool(RUN, "Run an operation", about, &how, &["operation"]);
    let reading = |tool: Tool| hinted(tool, true);
    let (find, describe, rehearse) = (reading(find), reading(describe), reading(rehearse));
    let run = hinted(run, offer.read_only);
    if offer.read_only { vec![find, describe, run] } else { vec![find, describe, rehearse, run] }
}

fn tool(name: &'static str, title: &str, about: &'static str, properties: &Value, required: &[&str]) -> Tool {
    let schema = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    });
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, about, schema).with_annotations(ToolAnnotations::with_title(title))
}

fn hinted(mut tool: Tool, reads: bool) -> Tool {
    let title = tool.annotations.take().and_then(|hints| hints.title).unwrap_or_default();
    let hints =
        ToolAnnotations::with_title(title).read_only(reads).destructive(!reads).idempotent(reads).open_world(!reads);
    tool.with_annotations(hints)
}

/// The operations that match the text among those that the key allows.
pub(super) fn find(offer: &Offer, scopes: Option<&KeyScopes>, text: &str) -> CallToolResult {
    let wanted = wanted(text);
    let (found, shown) = if wanted.is_empty() {
        (offer.allowed(scopes).collect(), usize::MAX)
    } else {
        (ranked(offer, scopes, &wanted), FOUND)
    };
    let operations: Vec<Value> = found.iter().take(shown).map(|offered| brief(offered)).collect();
    said(json!({ "operations": operations, "more": found.len() - operations.len() }))
}

/// The operations that a key with these scopes may run and that match the words, the best match
/// first.
fn ranked<'o>(offer: &'o Offer, scopes: Option<&KeyScopes>, wanted: &[String]) -> Vec<&'o Offered> {
    let scored = offer.allowed(scopes).map(|offered| (offered.words.score(wanted), offered));
    let mut found: Vec<_> = scored.filter(|(score, _)| *score > 0).collect();
    found.sort_by_key(|(score, _)| Reverse(*score));
    found.into_iter().map(|(_, offered)| offered).collect()
}

fn brief(offered: &Offered) -> Value {
    json!({ "operation": offered.described.name, "summary": summary(offered), "writes": offered.writes })
}

fn summary(offered: &Offered) -> Option<&str> {
    offered.described.annotations.as_ref()?.title.as_deref()
}

/// What an operation does, takes and answers.
pub(super) fn describe(offered: &Offered) -> CallToolResult {
    let mut arguments = offered.described.input_schema.as_ref().clone();
    // A call names it beside the arguments.
    if let Some(properties) = arguments.get_mut("properties").and_then(Value::as_object_mut) {
        properties.remove(KEY);
    }
    let scopes: Vec<&str> = offered.scopes.words().collect();
    said(json!({
        "operation": offered.described.name,
        "summary": summary(offered),
        "description": offered.described.description,
        "writes": offered.writes,
        "scopes": scopes,
        "arguments": arguments,
        "answer": offered.answer,
    }))
}

/// The refusal of a name that no operation has, with those that come near.
pub(super) fn unknown(offer: &Offer, name: &str) -> CallToolResult {
    let near = ranked(offer, None, &wanted(name));
    let names: Vec<&str> = near.iter().take(NEAR).map(|offered| offered.described.name.as_ref()).collect();
    let near = if names.is_empty() { String::new() } else { format!("; near it are: {}", names.join(", ")) };
    fault(format!("there is no operation {name:?}{near}; {FIND} finds them"))
}
