//! The input of the function.
//!
//! An event's kind is recognized here and not by `lambda_http::request::LambdaRequest`, which tries
//! one type after the other, takes an authorizer's event for a request, and reports no unknown
//! ones. Schedules are not read as the `EventBridge` types, which require fields that custom events
//! lack.

mod error;
mod pairs;

use http::Method;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

pub(crate) use self::error::EventError;
pub(crate) use self::pairs::Pairs;
use crate::task::Task;

/// The purpose of an invocation.
pub(crate) enum Event<'a> {
    Request(HttpEvent<'a>),
    /// Run scheduled tasks.
    Work(Vec<Task>),
}

/// A gateway's request, with the data that the gateway's type in `aws_lambda_events` loses.
pub(crate) struct HttpEvent<'a> {
    pub(crate) gateway: Gateway,
    /// The type reads an empty method as GET.
    pub(crate) method: Method,
    /// The query's parameters in their order, if the gateway parsed them: the type keeps them in a
    /// hash map.
    pub(crate) parameters: Pairs,
    pub(crate) json: &'a str,
}

/// The gateway of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gateway {
    /// An HTTP API (payload 2.0), or a function URL.
    HttpApi,
    /// A REST API, or an HTTP API with payload 1.0.
    RestApi,
    /// An application load balancer with the function as its target.
    LoadBalancer {
        /// Whether it is configured for several values per header.
        multi_value: bool,
    },
}

/// The fields that distinguish the kinds of events.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Outline<'a> {
    http_method: Option<String>,
    request_context: Option<Context>,
    query_string_parameters: Option<Pairs>,
    multi_value_query_string_parameters: Option<Pairs>,
    multi_value_headers: Option<IgnoredAny>,
    /// An authorizer's event has this or the next field; it asks whether to admit a request, not
    /// for an answer to it.
    method_arn: Option<IgnoredAny>,
    route_arn: Option<IgnoredAny>,
    source: Option<String>,
    #[serde(borrow)]
    detail: Option<&'a RawValue>,
    #[serde(borrow)]
    svc: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Context {
    http: Option<Http>,
    elb: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Http {
    method: String,
}

pub(crate) fn read(json: &str) -> Result<Event<'_>, EventError> {
    let outline: Outline<'_> = serde_json::from_str(json)?;
    if let Some(tasks) = tasks(&outline)? {
        return Ok(Event::Work(tasks));
    }
    let (gateway, method) = gateway(&outline).ok_or_else(|| EventError::unknown(json))?;
    let method = Method::from_bytes(method.as_bytes()).map_err(|_| EventError::Http("method"))?;
    let several = outline.multi_value_query_string_parameters.filter(|pairs| !pairs.0.is_empty());
    let parameters = several.or(outline.query_string_parameters).unwrap_or_default();
    Ok(Event::Request(HttpEvent { gateway, method, parameters, json }))
}

/// The gateway and the method, if the event is a request.
fn gateway<'o>(outline: &'o Outline<'_>) -> Option<(Gateway, &'o str)> {
    let context = outline.request_context.as_ref()?;
    if outline.method_arn.is_some() || outline.route_arn.is_some() {
        return None;
    }
    if let Some(http) = &context.http {
        return Some((Gateway::HttpApi, &http.method));
    }
    let balancer = Gateway::LoadBalancer { multi_value: outline.multi_value_headers.is_some() };
    Some((if context.elb.is_some() { balancer } else { Gateway::RestApi }, outline.http_method.as_deref()?))
}

/// The tasks in an event, as its whole input or in the detail of an event on a bus. A timer's event
/// without tasks means all.
fn tasks(outline: &Outline<'_>) -> Result<Option<Vec<Task>>, EventError> {
    let read = |json: &RawValue| Task::read(json.get()).map(Some).ok_or(EventError::Work);
    match (outline.svc, outline.source.as_deref()) {
        (Some(named), _) => read(named),
        (None, None) => Ok(None),
        (None, Some(source)) => match outline.detail.and_then(named_in) {
            Some(named) => read(&named),
            None => Ok(matches!(source, "aws.events" | "aws.scheduler").then(|| Task::ALL.to_vec())),
        },
    }
}

/// The value of `svc` in an event's detail, which a schedule writes as text.
fn named_in(detail: &RawValue) -> Option<Box<RawValue>> {
    #[derive(Deserialize)]
    struct Detail {
        svc: Box<RawValue>,
    }
    let text: Option<String> = serde_json::from_str(detail.get()).ok();
    let detail: Option<Detail> = serde_json::from_str(text.as_deref().unwrap_or(detail.get())).ok();
    detail.map(|detail| detail.svc)
}

#[cfg(test)]
mod tests;
