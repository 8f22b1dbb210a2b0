//! The edge: what a front door made of a request, as the request that the client sent; and the answer, as that door takes it.
//!
//! Pure functions over the events' JSON. They do not go through the `http::Request` of `lambda_http`, since what has to be
//! repaired is lost or has panicked by then:
//!
//! - the host, its port and `X-Forwarded-Proto` go into a URL whose parsing is unwrapped, though a client chooses them. Here no
//!   host is needed: the target is path and query;
//! - that URL resolves `..` and `%2e`, which no server does. Here a path stays as it is;
//! - a quote or an angle bracket in a v2 query breaks the request. Here they are percent-encoded;
//! - a stage stands before the path of every v2 event, and there is no way to be rid of it. Here it goes;
//! - `headers` overwrite what `multiValueHeaders` repeat, and one value that is not ASCII makes the whole event unknown;
//! - parameters go through a hash map, so that what is reported of two wrong ones changes from run to run;
//! - a body that is no base64 panics;
//! - of headers repeated in an answer, v2 keeps the first.

mod pairs;
mod reply;
mod target;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use serde::Deserialize;

use self::pairs::Pairs;
pub(crate) use self::reply::{Form, Payload};
use crate::event::EventError;

/// The door that an event came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
    /// An HTTP API (payload 2.0), or a function URL.
    V2,
    /// A REST API, or an HTTP API with payload 1.0.
    V1,
    /// A load balancer.
    Alb,
}

/// The fields that these doors' events have, as far as they say what the client sent.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HttpEvent {
    #[serde(default)]
    http_method: Option<String>,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    raw_path: Option<String>,
    #[serde(default)]
    raw_query_string: Option<String>,
    #[serde(default)]
    query_string_parameters: Option<Pairs>,
    #[serde(default)]
    multi_value_query_string_parameters: Option<Pairs>,
    #[serde(default)]
    headers: Option<Pairs>,
    #[serde(default)]
    multi_value_headers: Option<Pairs>,
    #[serde(default)]
    cookies: Option<Vec<String>>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: Option<bool>,
    request_context: Context,
}

#[derive(Debug, Deserialize)]
struct Context {
    #[serde(default)]
    stage: Option<String>,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    http: Option<Http>,
}

#[derive(Debug, Deserialize)]
struct Http {
    #[serde(default)]
    method: String,
}

impl HttpEvent {
    /// The form that the door takes the answer in.
    pub(crate) fn form(&self, door: Door) -> Form {
        match door {
            Door::V2 => Form::Joined { cookies: true, description: false },
            Door::V1 => Form::Several { description: false },
            // A load balancer takes the form that it was told to give.
            Door::Alb if self.multi_value_headers.is_some() => Form::Several { description: true },
            Door::Alb => Form::Joined { cookies: false, description: true },
        }
    }

    /// The request that the client sent, as far as its door tells; `base_path` is the path of the API's public address.
    pub(crate) fn into_request(self, door: Door, base_path: &str) -> Result<Request<Bytes>, EventError> {
        let method = match &self.request_context.http {
            Some(http) => http.method.as_bytes(),
            None => self.http_method.as_deref().unwrap_or_default().as_bytes(),
        };
        let method = Method::from_bytes(method).map_err(|_| EventError::Http("method"))?;
        let target =
            self.target(door, base_path).parse::<http::Uri>().map_err(|_| EventError::Http("path or query"))?;
        let headers = headers(self.multi_value_headers, self.headers, self.cookies)?;
        let mut request = Request::new(body(self.body, self.is_base64_encoded.unwrap_or(false))?);
        *request.method_mut() = method;
        *request.uri_mut() = target;
        *request.headers_mut() = headers;
        Ok(request)
    }

    fn target(&self, door: Door, base_path: &str) -> String {
        let context = &self.request_context;
        let path = self.raw_path.as_deref().filter(|_| door == Door::V2).or(self.path.as_deref()).unwrap_or_default();
        // The context's path has the stage: where the path lacks it, it has been taken off.
        let taken_off = |stage: &str| {
            let whole = context.path.as_deref().unwrap_or_default();
            door == Door::V1 && whole.strip_prefix('/').and_then(|rest| rest.strip_prefix(stage)) == Some(path)
        };
        let path = match context.stage.as_deref() {
            Some(stage) if !taken_off(stage) => target::without_stage(path, stage, base_path),
            _ => path,
        };
        let parameters = || {
            let several = self.multi_value_query_string_parameters.as_ref().filter(|pairs| !pairs.0.is_empty());
            several.or(self.query_string_parameters.as_ref()).map_or(&[][..], |pairs| &pairs.0)
        };
        let query = match door {
            Door::V2 => target::raw_query(self.raw_query_string.as_deref().unwrap_or_default()),
            Door::V1 => target::decoded_query(parameters()),
            Door::Alb => target::encoded_query(parameters()),
        };
        let mut target = target::path(path);
        if !query.is_empty() {
            target.push('?');
            target.push_str(&query);
        }
        target
    }
}

/// All values of each header. Where both fields are there, the one that holds single values holds nothing more.
fn headers(
    several: Option<Pairs>,
    single: Option<Pairs>,
    cookies: Option<Vec<String>>,
) -> Result<HeaderMap, EventError> {
    let pairs = several.filter(|pairs| !pairs.0.is_empty()).or(single).unwrap_or_default().0;
    let mut headers = HeaderMap::with_capacity(pairs.len() + 1);
    for (name, value) in pairs {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| EventError::Http("header name"))?;
        // As a server does: what is not ASCII is some bytes, and for whoever reads the header to judge.
        let value = HeaderValue::from_maybe_shared(Bytes::from(value)).map_err(|_| EventError::Http("header value"))?;
        headers.append(name, value);
    }
    if let Some(cookies) = cookies.filter(|cookies| !cookies.is_empty()) {
        let value = HeaderValue::from_maybe_shared(Bytes::from(cookies.join("; ")));
        headers.insert(header::COOKIE, value.map_err(|_| EventError::Http("cookie"))?);
    }
    Ok(headers)
}

fn body(body: Option<String>, base64: bool) -> Result<Bytes, EventError> {
    let body = body.unwrap_or_default();
    if base64 {
        return BASE64_STANDARD.decode(body.as_bytes()).map(Bytes::from).map_err(|_| EventError::Http("base64 body"));
    }
    Ok(Bytes::from(body))
}

#[cfg(test)]
mod tests;
