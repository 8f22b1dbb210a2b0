//! An answer, in the form that a door takes it.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use serde::Serialize;

/// How a door takes headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// One text a header: several values are joined as RFC 9110 §5.3 says, but for `Set-Cookie`, which cannot be.
    Joined {
        /// Whether cookies have a field of their own.
        cookies: bool,
        /// Whether the status is wanted in words too.
        description: bool,
    },
    /// An array of texts a header.
    Several {
        /// Whether the status is wanted in words too.
        description: bool,
    },
}

/// An answer as JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Payload {
    status_code: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    multi_value_headers: Option<BTreeMap<String, Vec<String>>>,
    /// Also when there are none: emulators want the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    cookies: Option<Vec<String>>,
    body: String,
    is_base64_encoded: bool,
}

impl Payload {
    pub(crate) fn new(response: Response<Bytes>, form: Form) -> Self {
        let (head, body) = response.into_parts();
        let (Form::Joined { description, .. } | Form::Several { description }) = form;
        let mut several = texts(&head.headers);
        let (headers, multi_value_headers, cookies) = match form {
            Form::Several { .. } => (None, Some(several), None),
            Form::Joined { cookies, .. } => {
                let apart = cookies.then(|| several.remove(header::SET_COOKIE.as_str()).unwrap_or_default());
                let joined = several.into_iter().map(|(name, values)| (name, values.join(", "))).collect();
                (Some(joined), None, apart)
            }
        };
        let (body, is_base64_encoded) = text(body);
        Self {
            status_code: head.status.as_u16(),
            status_description: description.then(|| described(head.status)),
            headers,
            multi_value_headers,
            cookies,
            body,
            is_base64_encoded,
        }
    }
}

fn described(status: StatusCode) -> String {
    format!("{} {}", status.as_u16(), status.canonical_reason().unwrap_or_default()).trim_end().to_owned()
}

fn texts(headers: &HeaderMap) -> BTreeMap<String, Vec<String>> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.keys().map(|name| (name.to_string(), headers.get_all(name).iter().map(text).collect())).collect()
}

/// A body as text, and whether that is base64.
fn text(body: Bytes) -> (String, bool) {
    match String::from_utf8(body.into()) {
        Ok(text) => (text, false),
        Err(error) => (BASE64_STANDARD.encode(error.as_bytes()), true),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn payload(form: Form, body: &'static [u8]) -> serde_json::Value {
        let mut response = Response::new(Bytes::from_static(body));
        *response.status_mut() = StatusCode::CREATED;
        for (name, value) in [("x-a", "1"), ("x-a", "2"), ("set-cookie", "a=1"), ("set-cookie", "b=2")] {
            response.headers_mut().append(name, HeaderValue::from_static(value));
        }
        serde_json::to_value(Payload::new(response, form)).unwrap()
    }

    #[test]
    fn no_value_of_a_repeated_header_is_lost() {
        let v2 = payload(Form::Joined { cookies: true, description: false }, b"hola");
        assert_eq!(
            v2,
            json!({"statusCode": 201, "headers": {"x-a": "1, 2"}, "cookies": ["a=1", "b=2"], "body": "hola", "isBase64Encoded": false})
        );
        let v1 = payload(Form::Several { description: false }, b"");
        let several = json!({"x-a": ["1", "2"], "set-cookie": ["a=1", "b=2"]});
        assert_eq!(v1, json!({"statusCode": 201, "multiValueHeaders": several, "body": "", "isBase64Encoded": false}));
        let alb = payload(Form::Several { description: true }, b"");
        assert_eq!((&alb["statusDescription"], &alb["headers"]), (&json!("201 Created"), &json!(null)));
        let alb = payload(Form::Joined { cookies: false, description: true }, b"\xff\0");
        assert_eq!(alb["headers"], json!({"x-a": "1, 2", "set-cookie": "a=1, b=2"}));
        assert_eq!((&alb["body"], &alb["isBase64Encoded"]), (&json!("/wA="), &json!(true)));
    }
}
