//! Who may call: every operation with every kind of key, scope and sign of a browser.

use bytes::Bytes;
use http::request::Builder;
use http::{HeaderValue, Request, header};
use serde_json::json;
use svc_core::domain::scope::Scope;
use svc_tests::endpoints;
use svc_tests::{Reply, World};

use super::{a_minute_later, call, company, fails, keyed, method, path};

const KEY_ID: &str = "X-Svc-Key-Id";

#[tokio::test]
async fn every_operation_requires_a_complete_key() {
    let world = World::new().await;
    let (ana, bob) = (company(&world).await.admin().await, company(&world).await.admin().await);
    let secret = format!("Bearer {}", ana.api_key);
    for spec in keyed() {
        let bare = || Request::builder().method(method(spec)).uri(path(spec, "1"));
        let with = |key_id: &str, secret: &str| bare().header(KEY_ID, key_id).header(header::AUTHORIZATION, secret);
        for (case, request) in [
            ("no key", bare()),
            ("a key id without its secret", bare().header(KEY_ID, &ana.key_id)),
            ("a secret without its key id", bare().header(header::AUTHORIZATION, &secret)),
            ("a wrong secret", with(&ana.key_id, &format!("{secret}0"))),
            ("another company's key id", with(&bob.key_id, &secret)),
            ("another company's number", with(&format!("{}0", ana.key_id), &secret)),
        ] {
            let reply = Reply::of(&world.api, request.body(Bytes::new()).expect("a request")).await;
            fails(&reply, 401, "llave_invalida", &format!("{case}: {} {}", spec.method.name(), spec.path));
        }
    }
}

#[tokio::test]
async fn every_operation_needs_one_of_its_scopes_and_no_other() {
    let world = World::new().await;
    let company = company(&world).await;
    for spec in keyed() {
        let what = format!("{} {}", spec.method.name(), spec.path);
        let others: Vec<Scope> = Scope::ALL.iter().copied().filter(|other| !spec.scopes.has(*other)).collect();
        let without = company.actor(&others).await;
        fails(&call(&without, spec, &path(spec, "1"), &json!({})).await, 403, "sin_permiso", &what);
        for scope in spec.scopes.iter() {
            let allowed = call(&company.actor(&[scope]).await, spec, &path(spec, "1"), &json!({})).await;
            assert!(![401, 403].contains(&allowed.status), "{what} with {scope}: {}", allowed.json());
        }
    }
}

#[tokio::test]
async fn every_operation_refuses_every_sign_of_a_browser() {
    let world = World::new().await;
    let ana = company(&world).await.admin().await;
    for spec in keyed() {
        for (query, headers) in browser_signs() {
            let target = format!("{}?{query}", path(spec, "1"));
            let request = with_headers(ana.request(method(spec), &target), headers);
            let what = format!("{} {target} {headers:?}", spec.method.name());
            fails(&ana.send(request, "").await, 400, "navegador_no_permitido", &what);
        }
        a_minute_later(&world);
    }
}

#[tokio::test]
async fn requests_that_only_look_like_a_browser_pass() {
    let world = World::new().await;
    let ana = company(&world).await.admin().await;
    let headers = [("Referer", "https://erp.example.com/"), ("Sec-Fetch-Mode", "cors"), ("Cookie", "sid=1")];
    let request = with_headers(ana.request(http::Method::GET, "/clientes"), &headers);
    ana.send(request, "").await.ok(200);
    for query in ["SID=1", "sida=1", "x=sid"] {
        ana.get(&format!("/clientes?{query}")).await.fails(400, "filtro_no_permitido");
    }
}

#[tokio::test]
async fn operations_without_a_key_ignore_browsers_and_keys() {
    let world = World::new().await;
    for spec in endpoints().map(|endpoint| endpoint.http).filter(|spec| spec.scopes.is_empty()) {
        for (query, headers) in browser_signs() {
            let request = Request::builder().method(method(spec)).uri(format!("{}?{query}", spec.path));
            let request = with_headers(request, headers).header(KEY_ID, "none").body(Bytes::new());
            Reply::of(&world.api, request.expect("a request")).await.ok(200);
        }
    }
}

/// Query strings and headers; each alone identifies a browser.
fn browser_signs() -> impl Iterator<Item = (&'static str, &'static [(&'static str, &'static str)])> {
    let queries = ["sid=1", "sid=", "sid", "limite=1&sid=2", "s%69d=1", "sid=%FF", "x=%FF&sid=1"];
    let headers: [&[(&str, &str)]; 8] = [
        &[("Origin", "https://shop.example.com")],
        &[("Origin", "https://erp.example.com")],
        &[("Origin", "null")],
        &[("Origin", "")],
        &[("X-CSRF-Token", "1")],
        &[("X-XSRF-TOKEN", "")],
        &[("X-CSRFToken", "1")],
        &[("RequestVerificationToken", "1")],
    ];
    queries.into_iter().map(|query| (query, &[][..])).chain(headers.into_iter().map(|headers| ("", headers)))
}

fn with_headers(request: Builder, headers: &[(&'static str, &'static str)]) -> Builder {
    headers.iter().fold(request, |request, (name, value)| request.header(*name, HeaderValue::from_static(value)))
}
