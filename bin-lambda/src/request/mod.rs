//! Rebuilds the client's request from a gateway's event.
//!
//! Events are read as the types of `lambda_http::aws_lambda_events`, and made a request here. What
//! `lambda_http` makes of them cannot be repaired afterwards:
//!
//! - a URL of host, port and `X-Forwarded-Proto`, all of them the client's, whose parsing is
//!   unwrapped and resolves `..` and `%2e`. Here the target is path and query, and a path stays as
//!   it is;
//! - a v2 query that has a quote or an angle bracket panics. Here they are percent-encoded;
//! - the stage stands before the path. Here it goes;
//! - `headers` overwrite what `multiValueHeaders` repeat;
//! - parameters go through a hash map, so that the reported one of two faults changes from run to
//!   run;
//! - a body that is no base64 panics.

mod target;

use std::net::IpAddr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, header};
use lambda_http::aws_lambda_events::alb::AlbTargetGroupRequest;
use lambda_http::aws_lambda_events::apigw::{ApiGatewayProxyRequest, ApiGatewayV2httpRequest};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use svc_core::ClientAddress;

use crate::event::{EventError, Gateway, HttpEvent, Pairs};

/// What an event says of the request.
struct Parts {
    /// Path and query.
    target: String,
    headers: HeaderMap,
    body: Bytes,
    /// The client's address, as the gateway saw it.
    client: Option<IpAddr>,
}

/// The client's request, as far as the gateway passes it on; `base_path` is the path of the API's
/// public address.
pub(crate) fn request(event: HttpEvent<'_>, base_path: &str) -> Result<Request<Bytes>, EventError> {
    let Parts { target, headers, body, client } = match event.gateway {
        Gateway::HttpApi => of_http_api(typed(event.json)?, base_path)?,
        Gateway::RestApi => of_rest_api(typed(event.json)?, &event.parameters, base_path)?,
        Gateway::LoadBalancer { .. } => of_load_balancer(typed(event.json)?, &event.parameters)?,
    };
    let mut request = Request::new(body);
    *request.method_mut() = event.method;
    *request.uri_mut() = target.parse().map_err(|_| EventError::Http("path or query"))?;
    *request.headers_mut() = headers;
    if let Some(client) = client {
        request.extensions_mut().insert(ClientAddress(client.to_canonical()));
    }
    Ok(request)
}

fn of_http_api(event: ApiGatewayV2httpRequest, base_path: &str) -> Result<Parts, EventError> {
    let (path, query) = (event.raw_path.unwrap_or_default(), event.raw_query_string.unwrap_or_default());
    let path = target::without_stage(&path, event.request_context.stage.as_deref(), base_path);
    let mut headers = event.headers;
    if let Some(cookies) = event.cookies.filter(|cookies| !cookies.is_empty()) {
        let cookies = HeaderValue::from_str(&cookies.join("; ")).map_err(|_| EventError::Http("cookie"))?;
        headers.insert(header::COOKIE, cookies);
    }
    Ok(Parts {
        target: target::of(path, &target::raw_query(&query)),
        headers,
        body: bytes(event.body, event.is_base64_encoded)?,
        client: address(event.request_context.http.source_ip.as_deref()),
    })
}

fn of_rest_api(event: ApiGatewayProxyRequest, parameters: &Pairs, base_path: &str) -> Result<Parts, EventError> {
    let (path, context) = (event.path.unwrap_or_default(), event.request_context);
    // The context's path includes the stage: if the path lacks it, the gateway has removed it.
    let whole = context.path.unwrap_or_default();
    let taken_off = |stage: &str| whole.strip_prefix('/').and_then(|rest| rest.strip_prefix(stage)) == Some(&path);
    let stage = context.stage.as_deref().filter(|stage| !taken_off(stage));
    let target = target::of(target::without_stage(&path, stage, base_path), &target::decoded_query(parameters));
    let mut headers = all(event.multi_value_headers, event.headers);
    // Without `binaryMediaTypes` the gateway passes on a compressed answer as base64 text.
    headers.remove(header::ACCEPT_ENCODING);
    Ok(Parts {
        target,
        headers,
        body: bytes(event.body, event.is_base64_encoded)?,
        client: address(context.identity.source_ip.as_deref()),
    })
}

fn of_load_balancer(event: AlbTargetGroupRequest, parameters: &Pairs) -> Result<Parts, EventError> {
    let target = target::of(&event.path.unwrap_or_default(), &target::encoded_query(parameters));
    let headers = all(event.multi_value_headers, event.headers);
    // The balancer adds the address at the end; what stands before is the client's own.
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back().and_then(|value| value.to_str().ok());
    let client = address(forwarded.and_then(|addresses| addresses.rsplit(',').next()));
    Ok(Parts { target, headers, body: bytes(event.body, event.is_base64_encoded)?, client })
}

fn address(text: Option<&str>) -> Option<IpAddr> {
    text?.trim().parse().ok()
}

/// All values of each header. If both fields are present, the single values add nothing.
fn all(several: HeaderMap, single: HeaderMap) -> HeaderMap {
    if several.is_empty() { single } else { several }
}

fn bytes(body: Option<String>, base64: bool) -> Result<Bytes, EventError> {
    let body = body.unwrap_or_default();
    if base64 {
        return BASE64_STANDARD.decode(body.as_bytes()).map(Bytes::from).map_err(|_| EventError::Http("base64 body"));
    }
    Ok(Bytes::from(body))
}

fn typed<E: DeserializeOwned>(json: &str) -> Result<E, EventError> {
    serde_json::from_str(json).map_err(|error| header_fault(json).map_or_else(|| error.into(), EventError::Http))
}

/// The fault in an event's headers, if any: the types report only its position.
fn header_fault(json: &str) -> Option<&'static str> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Headers {
        headers: Option<Pairs>,
        multi_value_headers: Option<Pairs>,
    }
    let Headers { headers, multi_value_headers } = serde_json::from_str(json).ok()?;
    headers.into_iter().chain(multi_value_headers).flat_map(|pairs| pairs.0).find_map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_bytes()).err().map(|_| "header name");
        name.or_else(|| HeaderValue::from_str(&value).err().map(|_| "header value"))
    })
}

#[cfg(test)]
mod tests;
