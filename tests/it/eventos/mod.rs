//! `GET /eventos` (contract §10).

mod list;
pub(crate) mod order;

use serde_json::Value;
use svc_tests::Actor;

/// Events after a cursor, which it moves.
async fn next(actor: &Actor, cursor: &mut String) -> Vec<Value> {
    let joint = if cursor.is_empty() { "" } else { "?cursor=" };
    let mut page = actor.get(&format!("/eventos{joint}{cursor}")).await.ok(200);
    page["siguiente"].as_str().expect("where to go on").clone_into(cursor);
    page["datos"].take().as_array().expect("events").clone()
}

/// Type and resource of each event.
fn told(events: &[Value]) -> Vec<String> {
    let told = |event: &Value| format!("{} {}", event["tipo"].as_str().expect("a type"), event["recurso"]["clave"]);
    events.iter().map(told).collect()
}
