//! Checks of lists: the records they find, the queries they refuse, the fields they show.

use serde_json::Value;

use crate::{Actor, Reply};

/// The claves of records.
pub fn claves(records: &[Value]) -> Vec<i64> {
    records.iter().map(|record| record["clave"].as_i64().expect("a clave")).collect()
}

/// The record's fields of these names.
pub fn pick(record: &Value, fields: &[&str]) -> Value {
    fields.iter().map(|field| ((*field).to_owned(), record[*field].clone())).collect()
}

/// A record with these fields, in the order of their `values`: a row of a table of expected
/// records.
pub fn row(fields: &[&str], values: Value) -> Value {
    let Value::Array(values) = values else { panic!("{values} is no row") };
    assert_eq!(values.len(), fields.len(), "{values:?}");
    fields.iter().map(|field| (*field).to_owned()).zip(values).collect()
}

/// Checks that each query of the list at `path` finds exactly the records of these claves, whatever
/// the page's size.
pub async fn finds(actor: &Actor, path: &str, table: &[(&str, &[i64])]) {
    for (query, expected) in table {
        assert_eq!(claves(&actor.walk(&format!("{path}?{query}")).await), *expected, "{path}?{query}");
        let paged = actor.walk(&format!("{path}?{query}&limite=1")).await;
        assert_eq!(claves(&paged), *expected, "{path}?{query}, one by one");
    }
}

/// Checks that each query of the list at `path` is refused with this code.
pub async fn refuses(actor: &Actor, path: &str, table: &[(&str, &str)]) {
    for (query, codigo) in table {
        let reply = actor.get(&format!("{path}?{query}")).await;
        let json = reply.json();
        assert_eq!((reply.status, json["error"]["codigo"].as_str()), (400, Some(*codigo)), "{path}?{query}: {json}");
    }
}

/// Checks the records of the list at `target`: their fields, in order, and their values.
pub async fn shows(actor: &Actor, target: &str, records: &[&str]) {
    let page = actor.get(target).await;
    let expected = format!(r#"{{"ok":true,"datos":[{}],"siguiente":null,"hay_mas":false}}"#, records.join(","));
    assert_eq!(String::from_utf8_lossy(&page.body), expected, "{target}");
}

/// Checks that the first record of a page has these fields, in this order, and no other.
#[track_caller]
pub fn has_fields(reply: &Reply, fields: &[&str]) {
    let text = String::from_utf8(reply.body.to_vec()).expect("UTF-8");
    let mut rest = text.split_once("\"datos\":[").expect("datos").1;
    for field in fields {
        rest = rest.split_once(&format!("\"{field}\":")).unwrap_or_else(|| panic!("{field} is not next in {rest}")).1;
    }
    assert_eq!(reply.json()["datos"][0].as_object().map(serde_json::Map::len), Some(fields.len()), "{text}");
}
