//! The answer to a value of the wrong type names the field, in Spanish, and nothing of the
//! implementation.

use serde_json::{Value, json};
use svc_core::json::Json;
use svc_core::registry::OPERATIONS;
use svc_tests::{Company, World};

use super::{a_minute_later, call, company, path};

/// Words of Rust and its libraries, which no client should read.
const FOREIGN: &[&str] = &[
    "struct ",
    "enum ",
    "variant",
    "expected",
    "invalid",
    "missing",
    "unknown",
    "::",
    "tuple",
    "sequence",
    "boolean",
    "string",
    "a map",
    "i64",
    "i32",
    "u32",
    "u64",
    "f64",
    "element",
    "character",
    "Some",
    "None",
];

/// A value of every type, and extreme numbers and texts.
fn values() -> Vec<Value> {
    let number = |literal: &str| serde_json::from_str(literal).expect("a number");
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        number("1e40"),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(""),
        json!("x"),
        json!("a\u{0}b"),
        json!("x".repeat(3_000)),
        json!([]),
        json!([null]),
        json!([1]),
        json!(["x"]),
        json!([[]]),
        json!([{}]),
        json!([[1, "x", true, null, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]]),
        json!({}),
        json!({"a": 1}),
        json!({"otro": null}),
    ]
}

/// Bodies with one wrong field, for every field of a schema, including those of nested objects.
fn bodies(schema: &Value) -> Vec<Value> {
    let mut bodies = vec![json!({"campo_que_no_existe": 1})];
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        bodies.extend(values().into_iter().map(|value| json!({ name: value })));
        for item in [&field["items"], &field["anyOf"][0]["items"]] {
            bodies.extend(inner(item).into_iter().map(|inner| json!({ name: [inner] })));
        }
        for object in [field, &field["anyOf"][0]] {
            bodies.extend(inner(object).into_iter().map(|inner| json!({ name: inner })));
        }
    }
    bodies
}

fn inner(schema: &Value) -> Vec<Value> {
    if schema["properties"].is_object() { bodies(schema) } else { Vec::new() }
}

#[track_caller]
fn is_spanish(message: &str, what: &str) {
    for word in FOREIGN {
        assert!(!message.contains(word), "{word:?} in {message:?}: {what}");
    }
}

#[tokio::test]
async fn no_answer_names_a_type_of_rust() {
    let world = World::new().await;
    let company = company(&world).await;
    let ana = company.admin().await;
    let (mut sent, mut nested) = (0, 0);
    for entry in OPERATIONS {
        let Some(schema) = entry.schema() else { continue };
        for body in bodies(&schema) {
            let what = format!(
                "{} {body:.300}",
                entry.spec.name.or(entry.spec.http.map(|http| http.path)).unwrap_or_default()
            );
            sent += 1;
            nested += u32::from(body.to_string().contains("[{\""));
            if let Some(spec) = &entry.spec.http {
                let reply = call(&ana, spec, &path(spec, "1"), &body).await;
                assert!(reply.status < 500, "{what}: {}", reply.json());
                if reply.status >= 400 {
                    is_spanish(&reply.mensaje(), &what);
                }
            }
            if let Some(name) = entry.spec.name {
                by_name(&company, name, &body, &what).await;
            }
        }
        a_minute_later(&world);
    }
    assert!(sent > 3_000 && nested > 300, "every field of every body: {sent}, {nested}");
}

async fn by_name(company: &Company, name: &str, body: &Value, what: &str) {
    if let Err(refused) = Json::parse_object(body.to_string().as_bytes()) {
        return is_spanish(&refused, what);
    }
    if let Err(error) = company.run_by_name(name, body).await {
        assert!(error.status().as_u16() < 500, "{what}: {error}");
        is_spanish(error.mensaje(), what);
    }
}
