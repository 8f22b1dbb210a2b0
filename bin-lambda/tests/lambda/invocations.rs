//! Invocations other than good requests, and the start of an instance.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use svc_core::store::Store as _;
use svc_tests::World;

use crate::gateways::{Gateway, Sent};
use crate::requests::{answered, get, signed, through};
use crate::runtime_api::Function;

#[tokio::test]
async fn no_header_breaks_a_request() {
    let function = Function::on(&World::new().await, &[]).await;
    for gateway in Gateway::ALL {
        for (name, value) in [
            ("Host", ""),
            ("Host", "a b"),
            ("Host", "[::1"),
            ("Host", "example.com:99999"),
            ("Host", "ejemplo.com/../?#"),
            ("X-Forwarded-Proto", "ja vascript"),
            ("X-Forwarded-Port", "-1"),
            ("X-Forwarded-For", "\u{1f600}"),
            ("X-Amzn-Trace-Id", "ñ"),
            ("Content-Length", "99999999999999999999"),
            ("Content-Encoding", "gzip"),
            ("Expect", "100-continue"),
        ] {
            let got = through(gateway, &function, &get("/health", &[(name, value)])).await;
            assert_eq!(got.status, 200, "{gateway:?} {name}: {value}");
        }
    }
    let balancer: Value = serde_json::from_str(include_str!("../fixtures/load_balancer_health.json")).unwrap();
    assert_eq!(function.invoke(&balancer).await.unwrap()["statusCode"], 200);
}

#[tokio::test]
async fn an_unknown_event_is_an_error_and_the_instance_survives() {
    let function = Function::on(&World::new().await, &[]).await;
    let mut broken = Gateway::HttpApi.event(&get("/health", &[]));
    (broken["body"], broken["isBase64Encoded"]) = (json!("no es"), json!(true));
    for (event, kind, said) in [
        ("{}", "UnknownEvent", "its fields are: none"),
        (r#"{"Records":[{"eventSource":"aws:sqs","body":"secreto"}]}"#, "UnknownEvent", "its fields are: Records"),
        (r#"{"svc":"secreto"}"#, "UnknownEvent", "svc is one of all, stamp, deliver, clean-up"),
        ("7", "UnknownEvent", "no JSON object"),
        (&broken.to_string(), "UnknownEvent", "the request's base64 body"),
        ("no es JSON", "", ""),
        ("", "", ""),
    ] {
        let error = function.invoke_within(event, Duration::from_secs(10)).await.unwrap_err();
        let (named, text) = (error["errorType"].as_str().unwrap(), error["errorMessage"].as_str().unwrap());
        assert!(named.contains(kind) && text.contains(said), "{event}: {error}");
        assert!(!text.contains("secreto") && !text.contains("panick"), "{event}: {error}");
        assert_eq!(answered(&function, &get("/health", &[])).await.0, 200);
    }
    assert!(!function.log().contains("secreto"), "{}", function.log());
}

#[tokio::test]
async fn an_instance_does_not_wait_for_its_database() {
    let settings = [
        ("DATABASE_URL", "postgres://svc:secreto@127.0.0.1:1/svc"),
        ("SVC_BASE_URL", "https://erp.example.com/api/v1"),
    ];
    let function = Function::start(&settings).await;
    let health = Gateway::RestApi.event(&get("/health", &[])).to_string();
    let health = function.invoke_within(&health, Duration::from_secs(5)).await.unwrap();
    assert_eq!(health["statusCode"], 200);
    let list = get("/clientes", &[("Authorization", "Bearer a"), ("X-Svc-Key-Id", "1_a")]);
    let (status, body) = answered(&function, &list).await;
    assert_eq!((status, &body["error"]["codigo"]), (503, &json!("no_disponible")));
    let scheduled = function.invoke(&json!({"svc": "clean-up"})).await.unwrap_err();
    assert_eq!(scheduled["errorType"], "ScheduledWork");
    assert!(!function.log().contains("secreto"), "{}", function.log());
}

#[tokio::test]
async fn an_invalid_setting_stops_the_start_and_is_named() {
    for (name, value) in [
        ("SVC_SECRETS_KEY", "secreto"),
        ("SVC_WEBHOOK_ALLOW_NETS", "10.0.0.0/99"),
        ("SVC_BASE_URL", "erp.example.com"),
        ("SVC_LIMITS", "tal vez"),
        ("DATABASE_URL", "postgres://ana:secreto@localhost:puerto/x"),
    ] {
        let base = [("DATABASE_URL", "postgres://localhost/x"), ("SVC_BASE_URL", "https://erp.example.com")];
        let settings: Vec<_> = base.into_iter().filter(|(other, _)| *other != name).chain([(name, value)]).collect();
        let (status, log) = Function::start(&settings).await.ended().await;
        assert!(!status.success(), "{name}: {log}");
        let named = if name == "SVC_BASE_URL" { "base URL" } else { name };
        let flag = format!("--{}", name.trim_start_matches("SVC_").to_lowercase().replace('_', "-"));
        assert!((log.contains(named) || log.contains(&flag)) && !log.contains("secreto"), "{name}: {log}");
    }
}

#[tokio::test]
async fn a_key_that_opens_no_stored_secret_stops_the_start() {
    let world = World::new().await;
    let wrong = "08".repeat(32);
    let new = Function::on(&world, &[("SVC_SECRETS_KEY", &wrong)]).await;
    assert_eq!(answered(&new, &get("/health", &[])).await.0, 200, "nothing is stored yet");
    world.company().await.load_certificate().await;
    for (key, said) in [(wrong.as_str(), "no stored secret opens"), ("", "SVC_SECRETS_KEY is empty")] {
        let (status, log) = Function::on(&world, &[("SVC_SECRETS_KEY", key)]).await.ended().await;
        assert!(!status.success() && log.contains(said) && !log.contains(&wrong), "{log}");
    }
    let right = Function::on(&world, &[]).await;
    assert_eq!(answered(&right, &get("/health", &[])).await.0, 200);
}

#[tokio::test]
async fn usage_reaches_the_next_instance() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let list = signed(&ana, &Method::GET, "/clientes", "");
    let mut left = Vec::new();
    for _ in 0..2 {
        let function = Function::on(&world, &[]).await;
        for _ in 0..3 {
            let got = through(Gateway::HttpApi, &function, &list).await;
            left.push(got.headers["x-svc-cupo-restante"].to_str().unwrap().parse::<i64>().unwrap());
        }
        // The process is killed here, without warning.
    }
    assert_eq!(left, (left[5]..=left[0]).rev().collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_can_answer_several_requests_at_once() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let function = Function::on(&world, &[("AWS_LAMBDA_MAX_CONCURRENCY", "4")]).await;
    let writes = (0..40).map(|_| signed(&ana, &Method::POST, "/clientes", r#"{"nombre":"Ana"}"#));
    let sent: Vec<_> = writes.collect();
    let answers = futures_util::future::join_all(sent.iter().map(|sent| answered(&function, sent))).await;
    let mut made: Vec<_> = answers.iter().map(|(_, body)| body["cliente"].as_i64().unwrap_or_default()).collect();
    made.sort_unstable();
    assert_eq!(made, (1..=40).collect::<Vec<_>>());
    let connections: i64 = world
        .sql(
            "SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'",
        )
        .await;
    // The world has sessions of its own.
    let own = i64::from(world.pool().size()) - 1;
    assert!((1..=4).contains(&(connections - own)), "{connections} of which {own} are the test's");
    assert!(world.store.next_company().await.is_ok());
}

#[tokio::test]
async fn it_serves_pages_and_tools_for_agents_beside_the_api() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let plain = Function::on(&world, &[]).await;
    let whole = Function::on(&world, &[("SVC_MCP", "true"), ("SVC_OFFICE", "true")]).await;
    for gateway in Gateway::ALL {
        let at = |path: &str| Sent { target: path.to_owned(), ..get("", &[]) };
        let page = through(gateway, &plain, &at("/docs?lang=es")).await;
        assert!(page.status == 200 && page.body.starts_with(b"<!doctype html>"), "{gateway:?}: {}", page.status);
        let mut packed = at("/docs/scalar.js");
        packed.headers.push(("Accept-Encoding".to_owned(), "gzip".to_owned()));
        let viewer = through(gateway, &plain, &packed).await;
        let is_packed = viewer.body.starts_with(&[0x1f, 0x8b]);
        // A REST API may have no `binaryMediaTypes`.
        assert_eq!((viewer.status, is_packed), (200, gateway != Gateway::RestApi), "{gateway:?}");
        assert_eq!(through(gateway, &plain, &at("/office/openapi.json")).await.status, 404, "{gateway:?}");
        assert_eq!(through(gateway, &whole, &at("/office/openapi.json")).await.status, 200, "{gateway:?}");

        let asked = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_operations","arguments":{"text":"stock"}}}"#;
        let mut sent = signed(&ana, &Method::POST, "", asked);
        "/mcp".clone_into(&mut sent.target);
        sent.headers.push(("Accept".to_owned(), "application/json, text/event-stream".to_owned()));
        assert_eq!(through(gateway, &plain, &sent).await.status, 404, "{gateway:?}");
        let found = through(gateway, &whole, &sent).await;
        let body = String::from_utf8_lossy(&found.body);
        assert!(found.status == 200 && body.contains("listStock"), "{gateway:?}: {} {body}", found.status);
    }
}
