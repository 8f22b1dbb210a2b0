//! One table of requests, sent through every way to mount the API: the same status, body and
//! headers.

mod cases;
mod mounts;

use std::collections::{BTreeSet, HashMap};

use http::HeaderMap;
use serde_json::Value;

use self::cases::{Case, cases};
use self::mounts::{Keys, Mount};
use crate::gateways::{Got, Sent};

/// Headers that a transport adds.
const OF_TRANSPORT: [&str; 4] = ["connection", "content-length", "date", "transfer-encoding"];

/// Headers whose values vary between runs: the id, and the rest of the minute and the month, which
/// also depend on how a gateway changed the request.
const OF_THE_MOMENT: [&str; 5] =
    ["ratelimit", "x-rate-limit-remaining", "x-rate-limit-reset", "x-svc-cupo-restante", "x-svc-peticion"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_front_end_gives_the_same_answers() {
    let cases = cases();
    assert!(cases.len() >= 60, "{}", cases.len());
    let expected = answers(Mount::Handle, &cases).await;
    let statuses: BTreeSet<u16> = expected.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, BTreeSet::from([200, 201, 400, 401, 403, 404, 405, 409, 413, 415, 422, 500, 503]));
    let mut differences = Vec::new();
    for mount in Mount::ALL {
        for ((case, expected), got) in cases.iter().zip(&expected).zip(answers(mount, &cases).await) {
            // A HEAD's answer has no body on a real connection.
            let expected = if case.method == "HEAD" && mount.is_socket() { &expected.without_body() } else { expected };
            let may_differ = case.lost.contains(&mount);
            if may_differ && got.status < 500 || got == *expected {
                continue;
            }
            differences.push(format!("{mount:?} {} {}:\n  {got:?}\n  {expected:?}", case.method, case.target));
        }
    }
    assert!(differences.is_empty(), "{}\n{} differences", differences.join("\n"), differences.len());
}

/// An answer, with varying values replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Answer {
    fn without_body(&self) -> Self {
        Self { body: String::new(), ..self.clone() }
    }
}

/// The answers to all cases through one mount, in a world of its own, one after the other.
async fn answers(mount: Mount, cases: &[Case]) -> Vec<Answer> {
    let mounted = mount.open().await;
    let mut kept = HashMap::new();
    let mut answers = Vec::new();
    for case in cases {
        let got = mounted.send(case.sent(&mounted.keys, &kept)).await;
        if let Ok(Value::Object(body)) = serde_json::from_slice(&got.body) {
            kept.extend(["siguiente"].iter().filter_map(|name| Some((*name, body.get(*name)?.as_str()?.to_owned()))));
        }
        answers.push(normal(got));
    }
    answers
}

fn normal(got: Got) -> Answer {
    let mut body = String::from_utf8(got.body).expect("every body is UTF-8");
    if let Ok(json) = serde_json::from_str(&body) {
        for (value, word) in volatile(&json) {
            body = body.replace(&format!("\"{value}\""), word);
        }
    }
    Answer { status: got.status, headers: headers(&got.headers), body }
}

fn headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let mut pairs: Vec<_> = headers
        .iter()
        .filter(|(name, _)| !OF_TRANSPORT.contains(&name.as_str()))
        .map(|(name, value)| {
            let value =
                if OF_THE_MOMENT.contains(&name.as_str()) { "…" } else { value.to_str().expect("visible ASCII") };
            (name.to_string(), value.to_owned())
        })
        .collect();
    pairs.sort();
    pairs
}

/// The varying texts of an answer, each with a word that replaces it: ids, cursors, secrets, times.
fn volatile(json: &Value) -> Vec<(String, &'static str)> {
    match json {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| match (name.as_str(), value.as_str()) {
                ("siguiente", Some(text)) => vec![(text.to_owned(), "cursor")],
                ("secreto", Some(text)) if text.starts_with("whsec_") => vec![(text.to_owned(), "secret")],
                _ => volatile(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(volatile).collect(),
        Value::String(text) if is_uuid(text) => vec![(text.clone(), "id")],
        Value::String(text) if is_time(text) => vec![(text.clone(), "time")],
        _ => Vec::new(),
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_time(text: &str) -> bool {
    text.len() == 20 && text.ends_with('Z') && chrono::DateTime::parse_from_rfc3339(text).is_ok()
}

impl Case {
    /// The request, with the credentials and values from earlier answers.
    fn sent(&self, keys: &Keys, kept: &HashMap<&str, String>) -> Sent {
        let mut target = self.target.clone();
        for (name, value) in kept {
            target = target.replace(&format!("{{{name}}}"), value);
        }
        let fill = |value: &str| {
            let value = value.replace("{limited_secret}", &keys.limited.secret).replace("{limited}", &keys.limited.id);
            value.replace("{secret}", &keys.all.secret).replace("{key}", &keys.all.id)
        };
        let mut headers: Vec<_> = vec![("Host".to_owned(), "erp.example.com".to_owned())];
        if self.keyed {
            headers.push(("Authorization".to_owned(), format!("Bearer {}", keys.all.secret)));
            headers.push(("X-Svc-Key-Id".to_owned(), keys.all.id.clone()));
        }
        headers.extend(self.headers.iter().map(|(name, value)| ((*name).to_owned(), fill(value))));
        if !self.body.is_empty() || !matches!(self.method, "GET" | "HEAD" | "OPTIONS") {
            headers.push(("Content-Length".to_owned(), self.body.len().to_string()));
        }
        Sent { method: self.method.to_owned(), target, headers, body: self.body.clone() }
    }
}
