use http::{Method, Request};
use serde_json::json;
use svc_core::domain::company::Plan;
use svc_core::operations::CreateKey;
use svc_core::store::CompanyChange;
use svc_tests::{Reply, any_key};

use super::{at, left, world};

const NAMES: [&str; 8] = [
    "x-rate-limit-limit",
    "x-rate-limit-remaining",
    "x-rate-limit-reset",
    "x-svc-cupo-limite",
    "x-svc-cupo-restante",
    "x-svc-cupo-reinicio",
    "ratelimit",
    "ratelimit-policy",
];

#[tokio::test]
async fn every_authenticated_answer_has_both_limits() {
    let world = world().await;
    let ana = world.company().await.admin().await;
    at(&world, "2026-10-12T18:00:18Z");
    let reply = ana.get("/clientes").await;
    for (name, value) in NAMES.into_iter().zip([
        "150",
        "149",
        "42",
        "5000",
        "4999",
        "2026-11-01",
        r#""minuto";r=149;t=42, "mes";r=4999;t=1684782"#,
        r#""minuto";q=150;w=60, "mes";q=5000;w=2678400"#,
    ]) {
        assert_eq!(reply.header(name), Some(value), "{name}");
    }
    assert_eq!(reply.header("retry-after"), None);
    assert_eq!(reply.announced(), [""; 0]);
    // Writes and reads count together, errors too.
    for (used, (method, path)) in [
        (Method::GET, "/clientes?otro=1"),
        (Method::GET, "/clientes?limite=0"),
        (Method::POST, "/clientes"),
        (Method::PUT, "/clientes/99"),
        (Method::DELETE, "/webhooks/99"),
        (Method::GET, "/webhooks/99/entregas"),
    ]
    .into_iter()
    .enumerate()
    {
        let reply = ana.write(method, path, &format!("k{used}"), json!({})).await;
        assert!(reply.status >= 400, "{path}");
        assert_eq!(left(&reply), (148 - used as i64, 4_998 - used as i64), "{path}");
    }
}

#[tokio::test]
async fn unauthenticated_requests_see_no_limits_and_use_no_quota() {
    let world = world().await;
    let company = world.company().await;
    let ana = company.admin().await;
    let expired = CreateKey { usuario: Some(company.user("Eva", false).await), ..any_key() };
    let orphan = company.key(expired).await;
    let eva: i64 = world.sql("SELECT max(clave) FROM usuarios").await;
    company.disable_user(eva).await;
    let mut wrong = ana.clone();
    wrong.api_key.push('0');
    let health = Reply::of(&world.api, Request::get("/health").body("".into()).expect("a request")).await;
    let browser = ana.send(ana.request(Method::GET, "/clientes").header("Origin", "https://a.example"), "").await;
    for (reply, status) in [
        (health, 200),
        (ana.get("/health").await, 200),
        (wrong.get("/clientes").await, 401),
        (orphan.get("/clientes").await, 401),
        (browser, 400),
        (ana.get("/nada").await, 404),
        (ana.send(ana.request(Method::PATCH, "/clientes"), "").await, 405),
    ] {
        assert_eq!(reply.status, status, "{}", reply.json());
        for name in NAMES {
            assert_eq!(reply.header(name), None, "{name} of {}", reply.json());
        }
    }
    assert_eq!(left(&ana.get("/clientes").await), (149, 4_999));
}

#[tokio::test]
async fn requests_refused_before_the_limits_show_them_and_do_not_count() {
    let world = world().await;
    let off = world.company_with(CompanyChange { api: Some(false), ..CompanyChange::default() }).await;
    let planless = world.company_with(CompanyChange { plan: Some(Plan::None), ..CompanyChange::default() }).await;
    let pending = world.company().await.key(CreateKey { accept_terms: false, ..any_key() }).await;
    for (actor, status) in [(off.admin().await, 404), (planless.admin().await, 402), (pending, 403)] {
        for _ in 0..3 {
            let reply = actor.get("/clientes").await;
            assert_eq!((reply.status, left(&reply)), (status, (150, 5_000)), "{}", reply.json());
        }
    }
    // A missing scope is checked after the limits, so the request counts.
    let scopeless = world.company().await.actor(&[]).await;
    for used in 1..=2 {
        let reply = scopeless.get("/clientes").await;
        assert_eq!((reply.status, left(&reply)), (403, (150 - used, 5_000 - used)));
    }
}
