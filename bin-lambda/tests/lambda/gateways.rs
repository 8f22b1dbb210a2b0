//! How each gateway, and a load balancer, turns a request into an event and the function's answer
//! into a response.
//!
//! The events are the public ones in `../fixtures`, with the request's parts inserted as the
//! gateway does: an HTTP API decodes the path, joins repeated headers and puts its stage before the
//! path; a REST API decodes parameters; a load balancer without multi-value headers passes on the
//! last of repeated ones.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

/// A request as a client sends it.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// A response as a client gets it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// The source of an invocation: a gateway, or a load balancer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gateway {
    HttpApi,
    FunctionUrl,
    RestApi,
    Balancer,
    BalancerMulti,
}

impl Gateway {
    pub(crate) const ALL: [Self; 5] =
        [Self::HttpApi, Self::FunctionUrl, Self::RestApi, Self::Balancer, Self::BalancerMulti];

    /// The event that this gateway builds from a request.
    pub(crate) fn event(self, sent: &Sent) -> Value {
        let (path, query) = sent.target.split_once('?').unwrap_or((&sent.target, ""));
        let mut event: Value = serde_json::from_str(self.fixture()).unwrap();
        let (body, base64) = body(&sent.body);
        let with_body = event.as_object_mut().unwrap();
        with_body.insert("body".to_owned(), body);
        with_body.insert("isBase64Encoded".to_owned(), json!(base64));
        match self {
            Self::HttpApi | Self::FunctionUrl => {
                event["rawPath"] = json!(path);
                if self == Self::HttpApi {
                    event["rawPath"] = json!(format!("/prod{}", percent_decode_str(path).decode_utf8_lossy()));
                    event["requestContext"]["stage"] = json!("prod");
                }
                event["requestContext"]["http"]["path"] = event["rawPath"].clone();
                event["requestContext"]["http"]["method"] = json!(sent.method);
                event["rawQueryString"] = json!(query);
                extend(&mut event["headers"], &lower(&sent.headers), &|values| json!(values.join(",")));
                if sent.body.is_empty() {
                    event.as_object_mut().unwrap().remove("body");
                }
            }
            Self::RestApi => {
                event["path"] = json!(path);
                event["requestContext"]["path"] = json!(format!("/Prod{path}"));
                event["httpMethod"] = json!(sent.method);
                event["requestContext"]["httpMethod"] = json!(sent.method);
                let pairs: Vec<_> = pairs(query).into_iter().map(|(n, v)| (decoded(&n), decoded(&v))).collect();
                if !pairs.is_empty() {
                    (event["queryStringParameters"], event["multiValueQueryStringParameters"]) = (json!({}), json!({}));
                    extend(&mut event["queryStringParameters"], &pairs, &|values| json!(values.last()));
                    extend(&mut event["multiValueQueryStringParameters"], &pairs, &|values| json!(values));
                }
                extend(&mut event["headers"], &sent.headers, &|values| json!(values.last()));
                extend(&mut event["multiValueHeaders"], &sent.headers, &|values| json!(values));
                if sent.body.is_empty() {
                    event["body"] = Value::Null;
                }
            }
            Self::Balancer | Self::BalancerMulti => {
                event["path"] = json!(path);
                event["httpMethod"] = json!(sent.method);
                let (headers, pairs) = (lower(&sent.headers), pairs(query));
                if self == Self::Balancer {
                    extend(&mut event["queryStringParameters"], &pairs, &|values| json!(values.last()));
                    extend(&mut event["headers"], &headers, &|values| json!(values.last()));
                } else {
                    extend(&mut event["multiValueQueryStringParameters"], &pairs, &|values| json!(values));
                    extend(&mut event["multiValueHeaders"], &headers, &|values| json!(values));
                }
            }
        }
        event
    }

    /// The response that this gateway builds from an answer. Fails if it would have to drop or
    /// refuse something.
    pub(crate) fn response(self, answer: &Value) -> Got {
        let (one, several) = ("headers", "multiValueHeaders");
        let (form, other) = match self {
            Self::HttpApi | Self::FunctionUrl | Self::Balancer => (one, several),
            Self::RestApi | Self::BalancerMulti => (several, one),
        };
        assert_eq!(answer.get(other), None, "{self:?} takes {form}");
        let mut headers = HeaderMap::new();
        for (name, value) in answer[form].as_object().unwrap() {
            let values = if form == one { std::slice::from_ref(value) } else { value.as_array().unwrap() };
            for value in values {
                let value = HeaderValue::from_str(value.as_str().unwrap()).unwrap();
                headers.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value);
            }
        }
        let status = u16::try_from(answer["statusCode"].as_u64().unwrap()).unwrap();
        let description =
            answer.get("statusDescription").map(|text| text.as_str().unwrap().starts_with(&status.to_string()));
        let balancer = matches!(self, Self::Balancer | Self::BalancerMulti);
        assert_eq!(description, balancer.then_some(true), "{answer}");
        let body = answer["body"].as_str().unwrap();
        let base64 = answer["isBase64Encoded"].as_bool().unwrap();
        let body = if base64 { BASE64_STANDARD.decode(body).unwrap() } else { body.as_bytes().to_vec() };
        Got { status, headers, body }
    }

    fn fixture(self) -> &'static str {
        match self {
            Self::HttpApi => include_str!("../fixtures/http_api.json"),
            Self::FunctionUrl => include_str!("../fixtures/function_url.json"),
            Self::RestApi => include_str!("../fixtures/rest_api.json"),
            Self::Balancer => include_str!("../fixtures/load_balancer.json"),
            Self::BalancerMulti => include_str!("../fixtures/load_balancer_multi.json"),
        }
    }
}

/// A body as it occurs in an event, and whether it is base64: every other body is, and every one
/// that is no text.
fn body(body: &[u8]) -> (Value, bool) {
    match std::str::from_utf8(body) {
        Ok(text) if body.len().is_multiple_of(2) => (json!(text), false),
        _ => (json!(BASE64_STANDARD.encode(body)), true),
    }
}

fn lower(headers: &[(String, String)]) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect()
}

fn pairs(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(|(n, v)| (n.to_owned(), v.to_owned())).collect()
}

fn decoded(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

/// Puts pairs into an object, each name once.
fn extend(object: &mut Value, pairs: &[(String, String)], value: &dyn Fn(&[&str]) -> Value) {
    let mut several: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, value) in pairs {
        several.entry(name).or_default().push(value);
    }
    let object: &mut Map<String, Value> = object.as_object_mut().unwrap();
    object.extend(several.into_iter().map(|(name, values)| (name.to_owned(), value(&values))));
}
