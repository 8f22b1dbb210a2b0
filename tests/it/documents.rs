//! What the tests of sales documents, invoices and receivables share.

use serde_json::{Value, json};
use svc_core::backoffice::import::Resource;
use svc_tests::{Actor, Company, Reply, World};

/// Fiscal folios, in the form in which they are shown.
pub(crate) const UUIDS: [&str; 3] = [
    "5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6d",
    "6b5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6e",
    "7c5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6f",
];

/// A company with customers 1 to 3, and products 1 (`A-1`), 2 (`B-2`) and 3 (`A-1` too, deleted).
pub(crate) async fn company(world: &World) -> Company {
    let company = world.company().await;
    let customers = ["Ana", "Bea", "Cid"].map(|nombre| json!({"nombre": nombre}));
    import(&company, Resource::Clientes, &customers).await;
    let products = [json!({"sku": "A-1"}), json!({"sku": "B-2"}), json!({"sku": "A-1", "estatus": "eliminado"})];
    import(&company, Resource::Productos, &products).await;
    company
}

/// Imports records that are good.
pub(crate) async fn import(company: &Company, resource: Resource, records: &[Value]) {
    let outcome = company.import(resource, records).await;
    assert_eq!(outcome, Ok(records.len() as u64), "{}", resource.name());
}

/// Checks that each query finds exactly the records of these claves.
pub(crate) async fn finds(actor: &Actor, path: &str, table: &[(&str, &[i64])]) {
    for (query, expected) in table {
        let found = actor.walk(&format!("{path}?{query}")).await;
        assert_eq!(claves(&found), *expected, "{path}?{query}");
    }
}

pub(crate) fn claves(records: &[Value]) -> Vec<i64> {
    records.iter().map(|record| record["clave"].as_i64().expect("a clave")).collect()
}

/// Checks that each query is refused with this code.
pub(crate) async fn refuses(actor: &Actor, path: &str, table: &[(&str, &str)]) {
    for (query, codigo) in table {
        let reply = actor.get(&format!("{path}?{query}")).await;
        let found = reply.json()["error"]["codigo"].clone();
        assert_eq!((reply.status, &found), (400, &json!(codigo)), "{path}?{query}: {}", reply.mensaje());
    }
}

/// Checks that the first record of a page has these fields, in this order, and no other.
#[track_caller]
pub(crate) fn has_fields(reply: &Reply, fields: &[&str]) {
    let text = String::from_utf8(reply.body.to_vec()).expect("UTF-8");
    let mut rest = text.split_once("\"datos\":[").expect("datos").1;
    for field in fields {
        rest = rest.split_once(&format!("\"{field}\":")).unwrap_or_else(|| panic!("{field} is not next in {rest}")).1;
    }
    assert_eq!(reply.json()["datos"][0].as_object().map(serde_json::Map::len), Some(fields.len()), "{text}");
}

/// Checks that a record with this field is refused, by line and field, beside two that are good.
pub(crate) async fn refuses_fields(company: &Company, resource: Resource, good: &Value, table: &[(&str, Value)]) {
    for (field, value) in table {
        let mut bad = good.clone();
        bad[*field] = value.clone();
        let error = company.import(resource, &[good.clone(), bad, good.clone()]).await.expect_err("a refusal");
        assert!(error.starts_with(&format!("line 2: {field}: ")), "{field} = {value}: {error}");
    }
    let name = resource.name();
    assert_eq!(company.import(resource, &[good.clone(), good.clone()]).await, Ok(2), "{name}: the good one is good");
}

/// Checks that a record whose every optional field is null or empty is as one without them, but for its clave.
pub(crate) async fn takes_null_for_absent(company: &Company, resource: Resource, least: &Value, path: &str) {
    let shown = company.admin().await.get(path).await.ok(200)["datos"][0].clone();
    let names = shown.as_object().expect("a record").keys().filter(|name| least.get(name).is_none());
    let (mut nulls, mut empties) = (least.clone(), least.clone());
    for name in names {
        nulls[name] = Value::Null;
        empties[name] = json!("");
    }
    import(company, resource, &[least.clone(), nulls, empties]).await;
    let mut records = company.admin().await.walk(path).await;
    let mut imported = records.split_off(records.len() - 3);
    for record in &mut imported {
        for own in ["clave", "renglon"] {
            record.as_object_mut().expect("a record").remove(own);
        }
    }
    assert_eq!(imported[0], imported[1]);
    assert_eq!(imported[0], imported[2]);
}
