use serde_json::{Value, json};

use super::*;
use crate::openapi::{Language, NamedOperation};
use crate::operation::Router;

/// Svc's own operations with a name.
fn all_named(language: Language) -> Vec<NamedOperation> {
    Registry::default().named_operations(language).collect()
}

fn entry(name: &str) -> &'static Entry {
    OPERATIONS.iter().find(|entry| entry.spec.name == Some(name)).unwrap()
}

fn sample(entry: &Entry) -> Value {
    crate::openapi::example(entry).unwrap_or_else(|| panic!("texts/examples.json has none of {:?}", entry.spec.name))
}

fn schema(name: &str) -> Value {
    all_named(Language::English).into_iter().find(|operation| operation.name == name).unwrap().schema
}

fn accepts(schema: &Value, input: &Value) -> bool {
    jsonschema::draft202012::new(schema).unwrap().is_valid(input)
}

/// Every object of a schema that names properties, with where it stands.
fn objects<'s>(schema: &'s Value, at: &str, found: &mut Vec<(String, &'s Value)>) {
    if schema.get("properties").is_some() {
        found.push((at.to_owned(), schema));
    }
    let members: Vec<(String, &Value)> = match schema {
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        _ => return,
    };
    for (key, value) in members {
        objects(value, &format!("{at}/{key}"), found);
    }
}

#[test]
fn every_action_documents_a_closed_object_that_takes_its_sample() {
    for NamedOperation { name, summary, schema, .. } in all_named(Language::English) {
        assert!(!summary.is_empty(), "{name}");
        assert_eq!(schema["type"], "object", "{name}");
        let mut found = Vec::new();
        objects(&schema, name, &mut found);
        for (at, object) in found {
            assert_eq!(object["additionalProperties"], json!(false), "{at}");
            for (field, property) in object["properties"].as_object().unwrap() {
                assert!(property["description"].as_str().is_some_and(|text| !text.is_empty()), "{at}.{field}");
                assert_eq!(property.get("$ref"), None, "{at}.{field}");
            }
        }
        let mut other = sample(entry(name));
        assert!(accepts(&schema, &other), "{name}: {other}");
        other["otro_campo"] = json!(1);
        assert!(!accepts(&schema, &other), "{name}");
    }
}

#[test]
fn samples_are_read_as_their_schemas_take_them() {
    for NamedOperation { name, .. } in all_named(Language::English) {
        let input = Json::parse_object(sample(entry(name)).to_string().as_bytes()).unwrap();
        let operation = match entry(name).handler {
            Handler::Operation(operation) => operation,
            // It reads its input as it runs.
            Handler::Download(_) => continue,
            Handler::Open(_) | Handler::List(_) => panic!("{name} is no operation"),
        };
        operation.check(&input).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    }
}

#[test]
fn the_schema_of_a_customer_says_what_the_type_takes() {
    let schema = schema("customer.create");
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["required"], json!(["nombre"]));
    assert_eq!(
        schema["properties"]["nombre"],
        json!({"type": "string", "minLength": 1, "maxLength": 100, "description": "Name or legal name."})
    );
    assert_eq!(
        schema["properties"]["cp"],
        json!({"type": ["string", "null"], "pattern": "^[0-9]{5}$", "description": "Postal code."})
    );
    assert_eq!(schema["properties"]["regimen"]["type"], json!(["integer", "null"]));
    for wrong in [json!({}), json!({"nombre": ""}), json!({"nombre": "Ana", "cp": "0100"}), json!({"nombre": null})] {
        assert!(!accepts(&schema, &wrong), "{wrong}");
    }
}

#[test]
fn the_schema_of_an_edit_has_the_clave_and_the_fields_that_can_be_cleared() {
    let schema = schema("product.edit");
    assert_eq!(schema["required"], json!(["clave"]));
    for (input, taken) in [
        (json!({"clave": 1}), true),
        (json!({"clave": 1, "costo": null, "categoria": null}), true),
        (json!({"clave": 1, "costo": "1.5"}), true),
        (json!({"clave": 1, "costo": "-1.5"}), false),
        (json!({"clave": 1, "sku": null}), false),
        (json!({"clave": 1, "unidad": null}), false),
        (json!({"clave": 1, "tipo": "D"}), false),
        (json!({"clave": "1"}), false),
        (json!({}), false),
    ] {
        assert_eq!(accepts(&schema, &input), taken, "{input}");
    }
}

#[test]
fn the_registry_makes_a_router() {
    let router = Router::new(OPERATIONS).unwrap();
    let (route, parameters) = router.find("/clientes/12").unwrap();
    assert_eq!((route.allow.as_str(), parameters), ("PUT", vec!["12"]));
    assert_eq!(router.find("/clientes").unwrap().0.allow, "GET, POST");
    for path in ["/", "", "/clientes/", "/clientes/1/2", "/Clientes", "//clientes"] {
        assert!(router.find(path).is_none(), "{path}");
    }
}

#[test]
fn every_operation_can_be_reached_and_needs_a_scope_over_http() {
    for Entry { spec, .. } in OPERATIONS {
        assert!(spec.http.is_some() || spec.name.is_some(), "{spec:?}");
        assert!(spec.http.is_none_or(|http| !http.scopes.is_empty() || http.path == "/health"), "{spec:?}");
    }
}
