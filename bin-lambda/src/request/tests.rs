use http::Method;
use http::header::{AUTHORIZATION, COOKIE};
use serde_json::{Value, json};

use super::*;
use crate::event::{self, Event};

const HTTP_API: &str = include_str!("../../tests/fixtures/http_api.json");
const FUNCTION_URL: &str = include_str!("../../tests/fixtures/function_url.json");
const REST_API: &str = include_str!("../../tests/fixtures/rest_api.json");
const BALANCER: &str = include_str!("../../tests/fixtures/load_balancer.json");
const BALANCER_MULTI: &str = include_str!("../../tests/fixtures/load_balancer_multi.json");
const BALANCER_HEALTH: &str = include_str!("../../tests/fixtures/load_balancer_health.json");

/// An event's request, with these fields changed.
fn changed(event: &str, changes: &[(&str, Value)]) -> Result<Request<Bytes>, EventError> {
    let mut json: Value = serde_json::from_str(event).unwrap();
    for (pointer, value) in changes {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        json.pointer_mut(parent).unwrap()[name] = value.clone();
    }
    match event::read(&json.to_string())? {
        Event::Request(event) => request(event, "/erp/api/v1"),
        Event::Work(tasks) => panic!("{tasks:?}"),
    }
}

fn target(event: &str, changes: &[(&str, Value)]) -> String {
    changed(event, changes).unwrap().uri().to_string()
}

#[test]
fn every_gateway_event_becomes_the_same_request() {
    for event in [HTTP_API, FUNCTION_URL, REST_API, BALANCER, BALANCER_MULTI] {
        let request = changed(event, &[]).unwrap();
        assert_eq!((request.method(), request.uri().to_string().as_str()), (&Method::GET, "/api/v1/health"));
        assert_eq!(request.headers()["user-agent"], "curl/8.5.0");
        assert!(request.body().is_empty());
        let client = if [BALANCER, BALANCER_MULTI].contains(&event) { "72.12.164.125" } else { "205.255.255.176" };
        assert_eq!(request.extensions().get(), Some(&ClientAddress(client.parse().unwrap())));
    }
    let forwarded = [("/headers/x-forwarded-for", json!("10.0.0.1, 203.0.113.7"))];
    let balanced = changed(BALANCER, &forwarded).unwrap();
    let seen = ClientAddress("203.0.113.7".parse().unwrap());
    assert_eq!(balanced.extensions().get(), Some(&seen), "what stands before is the client's own");
    let health = changed(BALANCER_HEALTH, &[]).unwrap();
    assert_eq!((health.uri().path(), health.headers().len()), ("/health", 1));
}

#[test]
fn extra_gateway_fields_are_ignored() {
    let (claims, certificate) = (json!({"sub": "a", "groups": "[a b]"}), json!({"clientCertPem": "a", "validity": {}}));
    let iam = json!({"accessKey": "A", "accountId": "1", "callerId": "A", "cognitoIdentity": null,
                     "principalOrgId": null, "userArn": "arn:aws:iam::1:user/a", "userId": "A"});
    let context = |name: &str| format!("/requestContext/{name}");
    for (events, pointer, value) in [
        (&[HTTP_API, FUNCTION_URL, REST_API][..], context("authorizer"), json!(null)),
        (&[HTTP_API], context("authorizer"), json!({"jwt": {"claims": claims, "scopes": null}})),
        (&[HTTP_API], context("authorizer"), json!({"lambda": {"a": [1, {}], "b": null}})),
        (&[HTTP_API, FUNCTION_URL], context("authorizer"), json!({"iam": iam})),
        (&[HTTP_API, FUNCTION_URL], context("authentication"), json!(null)),
        (&[HTTP_API], context("authentication"), json!({"clientCert": certificate})),
        (&[REST_API], context("authorizer"), json!({"claims": null, "scopes": null, "principalId": "a", "n": 1})),
        (&[REST_API], context("identity/clientCert"), certificate.clone()),
        (&[REST_API], context("resourceId"), json!(null)),
        (&[HTTP_API, REST_API], "/pathParameters".to_owned(), json!(null)),
        (&[HTTP_API, REST_API], "/stageVariables".to_owned(), json!({"a": "b"})),
        (&[HTTP_API, REST_API], "/queryStringParameters".to_owned(), json!(null)),
        (&[HTTP_API], "/otro".to_owned(), json!([1])),
    ] {
        for event in events {
            let request = changed(event, &[(&pointer, value.clone())]);
            assert_eq!(
                request.map(|request| request.uri().path().to_owned()),
                Ok("/api/v1/health".to_owned()),
                "{pointer}"
            );
        }
    }
}

#[test]
fn only_the_stage_is_removed_from_a_path() {
    for (stage, path, left) in [
        ("$default", "/clientes", "/clientes"),
        ("Prod", "/Prod/clientes", "/clientes"),
        ("Prod", "/Prod", "/"),
        ("Prod", "/Production/x", "/Production/x"),
        ("api", "/api/api/v1/clientes", "/api/v1/clientes"),
        ("erp", "/erp/api/v1/clientes", "/erp/api/v1/clientes"),
        ("v1", "/v1/v1/x", "/v1/x"),
        ("", "/clientes", "/clientes"),
    ] {
        let changes = [("/rawPath", json!(path)), ("/requestContext/stage", json!(stage))];
        assert_eq!(target(HTTP_API, &changes), left, "v2, {stage}");
    }
    for (stage, path, whole, left) in [
        ("Prod", "/clientes", "/Prod/clientes", "/clientes"),
        // The stage has the name of the resource, and was already removed.
        ("clientes", "/clientes", "/clientes/clientes", "/clientes"),
        ("Prod", "/Prod/clientes", "/Prod/clientes", "/clientes"),
        ("Prod", "/erp/api/v1/clientes", "/erp/api/v1/clientes", "/erp/api/v1/clientes"),
    ] {
        let changes =
            [("/path", json!(path)), ("/requestContext/stage", json!(stage)), ("/requestContext/path", json!(whole))];
        assert_eq!(target(REST_API, &changes), left, "v1, {stage}");
    }
}

#[test]
fn paths_are_not_resolved_and_always_fit_a_uri() {
    for (path, uri) in [
        ("/a/../b", "/a/../b"),
        ("/a/%2e%2E/b", "/a/%2e%2E/b"),
        ("/a//b/", "/a//b/"),
        ("//host/a", "//host/a"),
        ("/a b\"<é>", "/a%20b%22%3C%C3%A9%3E"),
        ("/a?b#c", "/a%3Fb%23c"),
        ("/100%", "/100%"),
        ("/a%2Fb", "/a%2Fb"),
        ("", "/"),
        ("a", "/a"),
        ("*", "*"),
        ("/a\nb\u{7f}", "/a%0Ab%7F"),
    ] {
        assert_eq!(target(HTTP_API, &[("/rawPath", json!(path))]), uri);
        assert_eq!(target(REST_API, &[("/path", json!(path))]), uri);
        assert_eq!(target(BALANCER, &[("/path", json!(path))]), uri);
    }
}

#[test]
fn queries_stay_as_sent() {
    let v2 = |query: &str| target(HTTP_API, &[("/rawQueryString", json!(query))]);
    assert_eq!(v2("a=1&a=2&b=%20+&c"), "/api/v1/health?a=1&a=2&b=%20+&c");
    assert_eq!(v2("a=\"x y\"<z>#é`{|}"), "/api/v1/health?a=%22x%20y%22%3Cz%3E%23%C3%A9%60{|}");
    for byte in 0..=u8::MAX {
        let text = char::from(byte).to_string();
        changed(HTTP_API, &[("/rawQueryString", json!(text)), ("/rawPath", json!(format!("/{text}")))]).unwrap();
    }

    let several = "/multiValueQueryStringParameters";
    let decoded = json!({"z": ["1&2", "a+b c"], "a=": ["ñ%"]});
    assert_eq!(target(REST_API, &[(several, decoded)]), "/api/v1/health?z=1%262&z=a%2Bb%20c&a%3D=%C3%B1%25");
    let single = [("/queryStringParameters", json!({"a": "1"})), (several, json!(null))];
    assert_eq!(target(REST_API, &single), "/api/v1/health?a=1");

    let encoded = json!({"z": ["1%262", "a+b%20c\""], "a": [""]});
    assert_eq!(target(BALANCER_MULTI, &[(several, encoded)]), "/api/v1/health?z=1%262&z=a+b%20c%22&a=");
}

#[test]
fn repeated_headers_stay_and_odd_ones_do_no_harm() {
    let twice = json!({"Authorization": ["a", "b"], "X-Odd": ["ñ"]});
    let last = json!({"Authorization": "b", "X-Odd": "ñ"});
    for (event, single) in [(REST_API, "/headers"), (BALANCER_MULTI, "/headers")] {
        let request = changed(event, &[("/multiValueHeaders", twice.clone()), (single, last.clone())]).unwrap();
        let values: Vec<_> = request.headers().get_all(AUTHORIZATION).iter().collect();
        assert_eq!(values, ["a", "b"]);
        assert_eq!(request.headers()["x-odd"].as_bytes(), "ñ".as_bytes());
    }
    let cookies = changed(HTTP_API, &[("/cookies", json!(["a=1", "b=2"]))]).unwrap();
    assert_eq!(cookies.headers()[COOKIE], "a=1; b=2");
    for (name, value) in [
        ("host", ""),
        ("host", "a b"),
        ("host", "[::1"),
        ("host", "a:99999"),
        ("x-forwarded-proto", "ja vascript"),
        ("x-forwarded-port", "-1"),
    ] {
        for event in [HTTP_API, FUNCTION_URL, BALANCER] {
            let request = changed(event, &[(&format!("/headers/{name}"), json!(value))]).unwrap();
            assert_eq!(request.uri().path(), "/api/v1/health");
            assert_eq!(request.headers()[name], value);
        }
    }
    let nothing = [("/headers", json!(null)), ("/multiValueHeaders", json!(null))];
    assert_eq!(changed(REST_API, &nothing).unwrap().headers().len(), 0);
}

#[test]
fn bodies_are_bytes() {
    let body = |text: &str, base64: bool| {
        let changes = [("/body", json!(text)), ("/isBase64Encoded", json!(base64))];
        changed(HTTP_API, &changes).map(Request::into_body)
    };
    assert_eq!(body("{\"a\":\"ñ\"}", false).unwrap(), "{\"a\":\"ñ\"}");
    assert_eq!(body("/wA=", true).unwrap(), &b"\xff\0"[..]);
    assert_eq!(body("", true).unwrap(), "");
    assert_eq!(body("no es", true).unwrap_err(), EventError::Http("base64 body"));
}

#[test]
fn events_that_no_gateway_sends_are_refused() {
    for (changes, part) in [
        (("/requestContext/http/method", json!("G T")), "method"),
        (("/requestContext/http/method", json!("")), "method"),
        (("/headers", json!({"a b": "c"})), "header name"),
        (("/headers", json!({"a": "b\r\nc: d"})), "header value"),
        (("/cookies", json!(["a\n"])), "cookie"),
        (("/rawQueryString", json!("a".repeat(70_000))), "path or query"),
    ] {
        assert_eq!(changed(HTTP_API, &[changes]).unwrap_err(), EventError::Http(part));
    }
    let wrong = changed(HTTP_API, &[("/headers", json!({"a": {"secreto": 1}}))]).unwrap_err();
    assert!(matches!(wrong, EventError::Json(1, _)), "{wrong}");
}
