//! The form of a write: content type, size, Idempotency-Key, query, JSON.

use bytes::Bytes;
use http::{HeaderValue, header};
use serde_json::{Value, json};
use svc_core::DEFAULT_MAX_BODY;
use svc_core::operation::{BodyNeed, Http, Idempotency};
use svc_tests::{Actor, World, fresh_key};

use super::{a_minute_later, bodied, bodyless, call, company, fails, method, outcome, path, request, sample, writes};

const KEY: &str = "Idempotency-Key";

#[tokio::test]
async fn a_body_without_a_json_content_type_is_415() {
    let world = World::new().await;
    let ana = company(&world).await.admin().await;
    for spec in bodied() {
        let bare = || ana.request(method(spec), &path(spec, "1")).header(KEY, fresh_key());
        fails(&ana.send(bare(), "{}").await, 415, "tipo_no_soportado", "no Content-Type");
        for wrong in [
            "",
            "text/plain",
            "text/json",
            "application/xml",
            "application/problem+json",
            "application/x-www-form-urlencoded",
            "application/json; charset=latin1",
            "application/json, text/plain",
        ] {
            let reply = ana.send(bare().header(header::CONTENT_TYPE, wrong), "{}").await;
            fails(&reply, 415, "tipo_no_soportado", &format!("{wrong:?} at {}", spec.path));
        }
        for right in ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"] {
            let reply = ana.send(bare().header(header::CONTENT_TYPE, right), "{}").await;
            assert_ne!(reply.status, 415, "{right:?} at {}", spec.path);
        }
        a_minute_later(&world);
    }
}

#[tokio::test]
async fn a_body_over_the_maximum_is_413_with_or_without_its_length() {
    const MAX_BODY: usize = 500;
    let world = World::with(|builder| builder.max_body(MAX_BODY)).await;
    let ana = company(&world).await.admin().await;
    for spec in bodied() {
        let (fits, exceeds) = (padded(&sample(spec), MAX_BODY), padded(&sample(spec), MAX_BODY + 1));
        for (announced, body, refused) in [
            (None, &fits, false),
            (Some(MAX_BODY), &fits, false),
            (None, &exceeds, true),
            (Some(MAX_BODY + 1), &exceeds, true),
            (Some(MAX_BODY + 1), &fits, true),
            (Some(MAX_BODY), &exceeds, true),
        ] {
            let mut request = request(&ana, spec, &path(spec, "1"));
            if let Some(length) = announced {
                request = request.header(header::CONTENT_LENGTH, length);
            }
            let reply = ana.send(request, body.clone()).await;
            let what = format!("{} bytes announced as {announced:?} at {}", body.len(), spec.path);
            assert_eq!(reply.status == 413, refused, "{what}: {}", reply.json());
            if refused {
                fails(&reply, 413, "cuerpo_excedido", &what);
            }
        }
    }
}

#[tokio::test]
async fn a_body_may_have_one_mebibyte() {
    let world = World::new().await;
    let ana = company(&world).await.admin().await;
    assert_eq!(DEFAULT_MAX_BODY, 1_048_576);
    for spec in bodied() {
        for (size, refused) in [(1_048_576, false), (1_048_577, true)] {
            let body = padded(&sample(spec), size);
            let reply = ana.send(request(&ana, spec, &path(spec, "1")), body).await;
            assert_eq!(reply.status == 413, refused, "{size} bytes at {}: {}", spec.path, reply.json());
        }
    }
}

#[tokio::test]
async fn writes_require_a_well_formed_idempotency_key_unless_it_is_optional() {
    let world = World::new().await;
    let ana = company(&world).await.admin().await;
    for spec in writes() {
        let target = path(spec, "1");
        let bare = || ana.request(method(spec), &target).header(header::CONTENT_TYPE, "application/json");
        let missing = outcome(&ana.send(bare(), sample(spec).to_string()).await);
        let required = spec.idempotency == Idempotency::Required;
        assert_eq!(missing == (400, "idempotencia_requerida".to_owned()), required, "{target}: {missing:?}");
        assert_eq!(required, spec.path != "/leads", "only POST /leads may do without");
        let long = "x".repeat(256);
        for wrong in ["", "a b", "a\tb", "ñ", "clave\u{a0}", long.as_str()] {
            let value = HeaderValue::from_bytes(wrong.as_bytes()).expect("a header's value");
            let reply = ana.send(bare().header(KEY, value), sample(spec).to_string()).await;
            fails(&reply, 400, "idempotencia_invalida", &format!("{wrong:?} at {target}"));
        }
        let twice = bare().header(KEY, fresh_key()).header(KEY, fresh_key());
        let reply = ana.send(twice, sample(spec).to_string()).await;
        fails(&reply, 400, "idempotencia_invalida", "two Idempotency-Keys");
        for right in ["!", "~", "a/b:c\"d", &format!("{:x>255}", fresh_key())] {
            let reply = ana.send(bare().header(KEY, right), sample(spec).to_string()).await;
            assert_ne!(outcome(&reply).1, "idempotencia_invalida", "{right:?} at {target}");
        }
        a_minute_later(&world);
    }
}

#[tokio::test]
async fn a_write_takes_no_query_parameters() {
    let world = World::new().await;
    let ana = company(&world).await.admin().await;
    for spec in writes() {
        for query in ["x=1", "x=", "x", "=1", "limite=1", "cursor=a", "nombre=Ana", "%FF=1", "x=%FF", "&&x=1"] {
            let target = format!("{}?{query}", path(spec, "1"));
            let reply = call(&ana, spec, &target, &sample(spec)).await;
            fails(&reply, 400, "filtro_no_permitido", &target);
        }
        let nothing = call(&ana, spec, &format!("{}?", path(spec, "1")), &sample(spec)).await;
        assert_ne!(outcome(&nothing).1, "filtro_no_permitido", "an empty query names nothing");
        a_minute_later(&world);
    }
}

#[tokio::test]
async fn a_body_other_than_one_json_object_is_json_invalido() {
    let world = World::new().await;
    let ana = company(&world).await.admin().await;
    let deep = [b"{\"a\":".as_slice(), "[".repeat(100_000).as_bytes()].concat();
    let bodies: [&[u8]; 27] = [
        b"null",
        b"[]",
        b"[{}]",
        b"\"a\"",
        b"1",
        b"true",
        b"{",
        b"}",
        b"{}x",
        b"{}{}",
        b"{}\0",
        b"{'a':1}",
        b"{a:1}",
        b"{\"a\":1,}",
        b"{\"a\":01}",
        b"{\"a\":.5}",
        b"{\"a\":1e}",
        b"{\"a\":NaN}",
        b"{\"a\":1,\"a\":1}",
        b"{\"a\":1,\"\\u0061\":1}",
        b"{\"a\":{\"b\":[{\"c\":1,\"c\":2}]}}",
        b"{\"a\":\"\xff\"}",
        b"{\"a\":\"\\ud800\"}",
        b"{\"a\":\"line\nbreak\"}",
        b"\xef\xbb\xbf{}",
        b"//\n{}",
        &deep,
    ];
    for spec in bodied() {
        for body in bodies {
            fails_as_json(&ana, spec, body).await;
        }
        if spec.body == BodyNeed::Required {
            fails_as_json(&ana, spec, b"").await;
            fails_as_json(&ana, spec, b" \n").await;
        }
        a_minute_later(&world);
    }
    assert_eq!((world.count("clientes").await, world.count("emitidos").await), (0, 0), "nothing is written");
}

#[tokio::test]
async fn a_bodyless_write_accepts_no_body_or_an_empty_object_of_any_media_type() {
    const MAX_BODY: usize = 500;
    let world = World::with(|builder| builder.max_body(MAX_BODY)).await;
    let ana = company(&world).await.admin().await;
    let paths: Vec<_> = bodyless().map(|spec| (spec.method.name(), spec.path)).collect();
    assert_eq!(
        paths,
        [
            ("DELETE", "/webhooks/{clave}"),
            ("POST", "/webhooks/{clave}/secreto"),
            ("POST", "/webhooks/{clave}/probar"),
            ("POST", "/webhooks/{clave}/entregas/{entrega}/reenviar"),
        ]
    );
    for spec in bodyless() {
        let target = path(spec, "1");
        let bare = || ana.request(method(spec), &target).header(KEY, fresh_key());
        for media in [None, Some("application/json"), Some("text/plain"), Some("")] {
            let typed = || media.map_or_else(bare, |media| bare().header(header::CONTENT_TYPE, media));
            for nothing in ["", "{}", " { }\n"] {
                fails(&ana.send(typed(), nothing).await, 404, "no_encontrado", &format!("{media:?} {nothing:?}"));
            }
            for (body, codigo) in [
                ("{\"otro\":1}", "campo_no_permitido"),
                ("{\"clave\":null}", "campo_no_permitido"),
                ("[]", "json_invalido"),
                ("null", "json_invalido"),
                (" ", "json_invalido"),
                ("{", "json_invalido"),
                ("{\"a\":1,\"a\":1}", "json_invalido"),
            ] {
                fails(&ana.send(typed(), body).await, 400, codigo, &format!("{media:?} {body} at {target}"));
            }
        }
        fails(&ana.send(bare(), padded(&json!({}), MAX_BODY + 1)).await, 413, "cuerpo_excedido", &target);
        a_minute_later(&world);
    }
}

#[tokio::test]
async fn unknown_fields_are_refused_and_named() {
    let world = World::new().await;
    let ana = company(&world).await.admin().await;
    for spec in bodied() {
        for (field, value) in [("otro", json!(1)), ("otro", Value::Null), ("Nombre", json!("Ana")), ("ok", json!(true))]
        {
            let mut body = sample(spec);
            body[field] = value;
            let reply = call(&ana, spec, &path(spec, "1"), &body).await;
            fails(&reply, 400, "campo_no_permitido", &format!("{body} at {}", spec.path));
            assert!(reply.mensaje().starts_with(&format!("{field}: ")), "{}", reply.mensaje());
        }
    }
}

/// An equivalent body of `size` bytes.
fn padded(body: &Value, size: usize) -> Bytes {
    let mut text = body.to_string();
    text.push_str(&" ".repeat(size - text.len()));
    text.into()
}

async fn fails_as_json(actor: &Actor, spec: &Http, body: &[u8]) {
    let reply = actor.send(request(actor, spec, &path(spec, "1")), Bytes::copy_from_slice(body)).await;
    let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
    fails(&reply, 400, "json_invalido", &format!("{shown} at {}", spec.path));
}
