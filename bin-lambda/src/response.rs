//! Writes a response in the gateway's format.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use lambda_http::Body;
use lambda_http::aws_lambda_events::alb::AlbTargetGroupResponse;
use lambda_http::aws_lambda_events::apigw::{ApiGatewayProxyResponse, ApiGatewayV2httpResponse};
use serde::Serialize;
use serde_json::Value;

use crate::event::Gateway;

const ONE_VALUE: &str = "headers";
const SEVERAL_VALUES: &str = "multiValueHeaders";

/// A response as JSON.
pub(crate) fn payload(gateway: Gateway, response: Response<Bytes>) -> Value {
    let (head, body) = response.into_parts();
    let (status, mut headers) = (head.status, head.headers);
    let (body, is_base64) = match String::from_utf8(body.into()) {
        Ok(text) => (Some(Body::Text(text)), false),
        Err(error) => (Some(Body::Binary(error.into_bytes())), true),
    };
    match gateway {
        Gateway::HttpApi => {
            let mut payload = ApiGatewayV2httpResponse::default();
            payload.cookies = headers.get_all(header::SET_COOKIE).iter().map(text).collect();
            headers.remove(header::SET_COOKIE);
            (payload.status_code, payload.headers) = (status.as_u16().into(), joined(&headers));
            (payload.body, payload.is_base64_encoded) = (body, is_base64);
            json(&payload, SEVERAL_VALUES)
        }
        Gateway::RestApi => {
            let mut payload = ApiGatewayProxyResponse::default();
            (payload.status_code, payload.multi_value_headers) = (status.as_u16().into(), headers);
            (payload.body, payload.is_base64_encoded) = (body, is_base64);
            json(&payload, ONE_VALUE)
        }
        Gateway::LoadBalancer { multi_value } => {
            let mut payload = AlbTargetGroupResponse::default();
            (payload.status_code, payload.status_description) = (status.as_u16().into(), Some(description(status)));
            (payload.body, payload.is_base64_encoded) = (body, is_base64);
            if multi_value {
                payload.multi_value_headers = headers;
                return json(&payload, ONE_VALUE);
            }
            payload.headers = joined(&headers);
            json(&payload, SEVERAL_VALUES)
        }
    }
}

fn description(status: StatusCode) -> String {
    format!("{} {}", status.as_u16(), status.canonical_reason().unwrap_or_default()).trim_end().to_owned()
}

/// One value per header, several joined as in RFC 9110 §5.3: the types would write only the first.
fn joined(headers: &HeaderMap) -> HeaderMap {
    let value = |name| {
        let values: Vec<_> = headers.get_all(name).iter().map(HeaderValue::as_bytes).collect();
        HeaderValue::from_maybe_shared(Bytes::from(values.join(&b", "[..]))).expect("it is of such values")
    };
    headers.keys().map(|name| (name.clone(), value(name))).collect()
}

fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

/// The payload without the header field that the gateway does not read: the types always write
/// both.
fn json(payload: &impl Serialize, unread: &str) -> Value {
    let mut json = serde_json::to_value(payload).expect("the API's headers are text");
    if let Some(fields) = json.as_object_mut() {
        fields.remove(unread);
    }
    json
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(gateway: Gateway, body: &'static [u8]) -> Value {
        let mut response = Response::new(Bytes::from_static(body));
        *response.status_mut() = StatusCode::CREATED;
        for (name, value) in [("x-a", "1"), ("x-a", "2"), ("set-cookie", "a=1"), ("set-cookie", "b=2")] {
            response.headers_mut().append(name, HeaderValue::from_static(value));
        }
        payload(gateway, response)
    }

    #[test]
    fn no_value_of_a_repeated_header_is_lost() {
        let v2 = answer(Gateway::HttpApi, b"hola");
        assert_eq!(
            v2,
            json!({"statusCode": 201, "headers": {"x-a": "1, 2"}, "cookies": ["a=1", "b=2"], "body": "hola", "isBase64Encoded": false})
        );
        let v1 = answer(Gateway::RestApi, b"");
        let several = json!({"x-a": ["1", "2"], "set-cookie": ["a=1", "b=2"]});
        assert_eq!(v1, json!({"statusCode": 201, "multiValueHeaders": several, "body": "", "isBase64Encoded": false}));
        let alb = answer(Gateway::LoadBalancer { multi_value: true }, b"");
        assert_eq!((&alb["statusDescription"], &alb["headers"]), (&json!("201 Created"), &json!(null)));
        let alb = answer(Gateway::LoadBalancer { multi_value: false }, b"\xff\0");
        assert_eq!(alb["headers"], json!({"x-a": "1, 2", "set-cookie": "a=1, b=2"}));
        assert_eq!((&alb["body"], &alb["isBase64Encoded"]), (&json!("/wA="), &json!(true)));
    }
}
