//! What the function is invoked with.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::edge::{Door, HttpEvent};
use crate::schedule::Task;

/// How many field names a complaint about an unknown event shows.
const NAMED: usize = 12;

/// What an invocation asks for.
#[derive(Debug)]
pub(crate) enum Event {
    /// A request is to be answered.
    Http(Door, Box<HttpEvent>),
    /// Work that is due is to be done.
    Schedule(Vec<Task>),
}

/// Why an invocation cannot be understood. It shows names of fields, never what is in them.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum EventError {
    #[error(
        "the event is no JSON object, or a field that all such events have is of another type: line {0}, column {1}"
    )]
    Json(usize, usize),
    #[error(
        "this is an event of none of API Gateway (HTTP or REST), load balancer, function URL, schedule; its fields are: {0}"
    )]
    Unknown(String),
    #[error(
        "the event asks for work that is unknown: svc is one of all, stamp, deliver, clean-up, or an array of them"
    )]
    Work,
    #[error("the request's {0} is none that HTTP knows")]
    Http(&'static str),
}

impl From<serde_json::Error> for EventError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error.line(), error.column())
    }
}

/// What tells the kinds of events apart.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Marks<'a> {
    #[serde(default)]
    http_method: Option<IgnoredAny>,
    #[serde(default)]
    request_context: Option<ContextMarks>,
    /// Who has the two asks whether to let a request in, and wants no answer to it.
    #[serde(default)]
    method_arn: Option<IgnoredAny>,
    #[serde(default)]
    route_arn: Option<IgnoredAny>,
    #[serde(default)]
    source: Option<String>,
    #[serde(borrow, default)]
    detail: Option<&'a RawValue>,
    #[serde(borrow, default)]
    svc: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ContextMarks {
    #[serde(default)]
    http: Option<IgnoredAny>,
    #[serde(default)]
    elb: Option<IgnoredAny>,
}

/// Reads an event.
pub(crate) fn read(json: &str) -> Result<Event, EventError> {
    let marks: Marks<'_> = serde_json::from_str(json)?;
    if let Some(tasks) = tasks(&marks)? {
        return Ok(Event::Schedule(tasks));
    }
    let door = door(&marks).ok_or_else(|| unknown(json))?;
    Ok(Event::Http(door, serde_json::from_str(json)?))
}

fn door(marks: &Marks<'_>) -> Option<Door> {
    let context = marks.request_context.as_ref()?;
    if marks.method_arn.is_some() || marks.route_arn.is_some() {
        return None;
    }
    match (&context.http, &context.elb, &marks.http_method) {
        (Some(_), _, _) => Some(Door::V2),
        (None, Some(_), Some(_)) => Some(Door::Alb),
        (None, None, Some(_)) => Some(Door::V1),
        _ => None,
    }
}

/// The work that an event asks for, if it is one that does: as its whole input, or as the detail of one on a bus. A timer
/// that says nothing means all.
fn tasks(marks: &Marks<'_>) -> Result<Option<Vec<Task>>, EventError> {
    if let Some(asked) = marks.svc {
        return Task::read(asked.get()).map(Some).ok_or(EventError::Work);
    }
    let Some(source) = marks.source.as_deref() else { return Ok(None) };
    if let Some(asked) = marks.detail.and_then(asked_in) {
        return Task::read(asked.get()).map(Some).ok_or(EventError::Work);
    }
    Ok(matches!(source, "aws.events" | "aws.scheduler").then(|| Task::ALL.to_vec()))
}

/// What an event's detail says under `svc`. A scheduler of its own writes the detail as text.
fn asked_in(detail: &RawValue) -> Option<Box<RawValue>> {
    #[derive(Deserialize)]
    struct Detail {
        svc: Box<RawValue>,
    }
    let text: Option<String> = serde_json::from_str(detail.get()).ok();
    let detail: Option<Detail> = serde_json::from_str(text.as_deref().unwrap_or(detail.get())).ok();
    detail.map(|detail| detail.svc)
}

fn unknown(json: &str) -> EventError {
    let fields: serde_json::Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
    let names: Vec<String> = fields.into_iter().map(|(name, _)| name).take(NAMED).collect();
    EventError::Unknown(if names.is_empty() { "none".to_owned() } else { names.join(", ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks_of(json: &str) -> Result<Vec<Task>, EventError> {
        match read(json)? {
            Event::Schedule(tasks) => Ok(tasks),
            Event::Http(door, _) => panic!("{door:?}"),
        }
    }

    #[test]
    fn a_schedule_says_what_is_to_be_done() {
        let rule =
            |detail: &str| format!(r#"{{"detail-type":"Scheduled Event","source":"aws.events","detail":{detail}}}"#);
        for detail in ["{}", r#""{}""#, "null", r#"{"otro":1}"#] {
            assert_eq!(tasks_of(&rule(detail)), Ok(Task::ALL.to_vec()), "{detail}");
        }
        for (input, tasks) in [
            (r#"{"svc":"all"}"#.to_owned(), &Task::ALL[..]),
            (r#"{"svc":"deliver"}"#.to_owned(), &[Task::Deliver]),
            (r#"{"svc":["clean-up","stamp","stamp"]}"#.to_owned(), &[Task::Stamp, Task::CleanUp]),
            (rule(r#"{"svc":"stamp"}"#), &[Task::Stamp]),
            (rule(r#""{\"svc\":\"stamp\"}""#), &[Task::Stamp]),
            (r#"{"source":"erp","detail-type":"x","detail":{"svc":"stamp"}}"#.to_owned(), &[Task::Stamp]),
        ] {
            assert_eq!(tasks_of(&input), Ok(tasks.to_vec()), "{input}");
        }
        for wrong in [r#"{"svc":"sing"}"#, r#"{"svc":1}"#, r#"{"svc":[]}"#, r#"{"svc":["stamp",1]}"#, r#"{"svc":null}"#]
        {
            let asked = [wrong.to_owned(), rule(wrong)];
            assert!(asked.iter().any(|json| tasks_of(json) == Err(EventError::Work)), "{wrong}");
        }
    }

    #[test]
    fn what_is_unknown_is_told_by_its_fields() {
        let sqs = read(r#"{"Records":[{"body":"secreto"}],"x":1}"#).unwrap_err();
        assert!(sqs.to_string().ends_with("its fields are: Records, x"), "{sqs}");
        for (json, said) in [
            ("{}", "its fields are: none"),
            (r#"{"source":"aws.s3","detail-type":"Object Created","detail":{}}"#, "detail, detail-type, source"),
            (r#"{"requestContext":{"connectionId":"a","eventType":"CONNECT"}}"#, "requestContext"),
            (
                r#"{"type":"REQUEST","methodArn":"a","httpMethod":"GET","requestContext":{}}"#,
                "methodArn, requestContext",
            ),
            (r#"{"type":"REQUEST","routeArn":"a","requestContext":{"http":{}}}"#, "requestContext, routeArn"),
            ("null", "line 1"),
            ("[]", "its fields are: none"),
            (r#""secreto""#, "line 1"),
            (r#"{"requestContext":{"http":{"method":3}}}"#, "line 1"),
        ] {
            let error = read(json).unwrap_err().to_string();
            assert!(error.contains(said) && !error.contains("secreto"), "{json}: {error}");
        }
    }
}
