//! Routes: methods, unknown paths, records.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use http::Request;
use serde_json::{Value, json};
use svc_tests::endpoints;
use svc_tests::{Reply, World};

use super::{a_minute_later, call, company, fails, on_a_record, outcome, path, sample, writes};

const METHODS: [&str; 12] =
    ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "Post"];

#[tokio::test]
async fn other_methods_are_405_with_the_allowed_ones() {
    let world = World::new().await;
    let mut methods: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for spec in endpoints().map(|endpoint| endpoint.http) {
        methods.entry(path(spec, "1")).or_default().insert(spec.method.name());
    }
    for (path, allowed) in &methods {
        for method in METHODS.iter().filter(|method| !allowed.contains(**method)) {
            let reply = answer(&world, method, path).await;
            fails(&reply, 405, "metodo_no_permitido", &format!("{method} {path}"));
            let announced: Vec<_> = reply.header("allow").expect("Allow").split(", ").collect();
            assert_eq!(announced.len(), allowed.len(), "{method} {path}: {announced:?}");
            assert_eq!(&announced.into_iter().collect::<BTreeSet<_>>(), allowed, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn unknown_paths_are_404_for_every_method() {
    let world = World::new().await;
    let mut unknown: Vec<String> =
        ["/", "//", "/api", "/api/v1", "/api/v1/", "/api/v1/api/v1/clientes", "/api/v2/clientes", "/Clientes", "*"]
            .map(str::to_owned)
            .into();
    for spec in endpoints().map(|endpoint| endpoint.http) {
        let known = path(spec, "1");
        unknown.extend([format!("{known}/"), format!("/{known}"), format!("{known}/1/x/2/y")]);
        // After a parameter it would be part of the parameter's value.
        unknown.extend((!spec.path.ends_with('}')).then(|| format!("{known};x")));
    }
    for path in &unknown {
        for method in ["GET", "POST", "PATCH", "OPTIONS"] {
            fails(&answer(&world, method, path).await, 404, "ruta_no_existe", &format!("{method} {path}"));
        }
    }
}

#[tokio::test]
async fn a_non_integer_clave_is_400() {
    let world = World::new().await;
    let ana = company(&world).await.admin().await;
    for spec in on_a_record() {
        for clave in [
            "abc",
            "1.0",
            "1e3",
            "0x1",
            "+1",
            "%2B1",
            "1a",
            "-",
            "%201",
            "1%20",
            "%00",
            "1%00",
            "%FF",
            "%D9%A1",
            "1%2F2",
            "null",
            "1;x",
            "9223372036854775808",
            "-9223372036854775809",
        ] {
            let target = path(spec, clave);
            let reply = call(&ana, spec, &target, &sample(spec)).await;
            fails(&reply, 400, "dato_invalido", &target);
            let name = spec.path.split(['{', '}']).nth(1).expect("a parameter");
            assert!(reply.mensaje().starts_with(&format!("{name}: ")), "{target}: {}", reply.mensaje());
        }
        a_minute_later(&world);
    }
}

#[tokio::test]
async fn a_non_integer_second_parameter_is_400_and_named() {
    let world = World::new().await;
    let ana = company(&world).await.admin().await;
    let mut checked = 0;
    for spec in on_a_record() {
        let Some(name) = spec.path.split(['{', '}']).nth(3) else { continue };
        let mut claves = ["1", "1x"].into_iter();
        let segment = |text: &'static str| if text.starts_with('{') { claves.next().expect("two") } else { text };
        let target = spec.path.split('/').map(segment).collect::<Vec<_>>().join("/");
        let reply = call(&ana, spec, &target, &sample(spec)).await;
        fails(&reply, 400, "dato_invalido", &target);
        assert!(reply.mensaje().starts_with(&format!("{name}: ")), "{target}: {}", reply.mensaje());
        checked += 1;
    }
    assert_eq!(checked, 1, "re-sending a delivery");
}

#[tokio::test]
async fn another_companys_record_answers_like_a_missing_one() {
    let world = World::new().await;
    let (ana, bob) = (company(&world).await.admin().await, company(&world).await.admin().await);
    // Ana's company gets the first record of everything that can be created; Bob's stays empty.
    for spec in writes().filter(|spec| spec.method.name() == "POST" && !spec.path.contains('{')) {
        call(&ana, spec, spec.path, &sample(spec)).await.ok(201);
    }
    for spec in on_a_record() {
        let body = sample(spec);
        let foreign = call(&bob, spec, &path(spec, "1"), &body).await;
        fails(&foreign, 404, "no_encontrado", &path(spec, "1"));
        for clave in ["0", "-1", "999999", "9223372036854775807", "-9223372036854775808"] {
            let missing = call(&bob, spec, &path(spec, clave), &body).await;
            assert_eq!(outcome(&missing), outcome(&foreign), "{} {clave}", spec.path);
            assert_eq!(without_peticion(&missing), without_peticion(&foreign), "{} {clave}", spec.path);
        }
        if spec.method.name() == "PUT" {
            call(&ana, spec, &path(spec, "1"), &json!({})).await.ok(200);
        }
    }
}

/// The answer of the API to a request without a key.
async fn answer(world: &World, method: &str, path: &str) -> Reply {
    let request = Request::builder().method(method).uri(path).body(Bytes::new()).expect("a request");
    Reply::of(&world.api, request).await
}

fn without_peticion(reply: &Reply) -> Value {
    let mut json = reply.json();
    json["error"]["peticion"] = Value::Null;
    json
}
