//! What queries find.

use serde_json::Value;
use svc_tests::Actor;

/// Checks that each query of the list at `path` finds exactly the records of these claves, whatever the page's size.
pub(crate) async fn finds(actor: &Actor, path: &str, table: &[(&str, &[i64])]) {
    for (query, expected) in table {
        assert_eq!(claves(&actor.walk(&format!("{path}?{query}")).await), *expected, "{path}?{query}");
        let paged = actor.walk(&format!("{path}?{query}&limite=1")).await;
        assert_eq!(claves(&paged), *expected, "{path}?{query}, one by one");
    }
}

/// Checks what each query of the list at `path` is refused with.
pub(crate) async fn refuses(actor: &Actor, path: &str, table: &[(&str, &str)]) {
    for (query, codigo) in table {
        let reply = actor.get(&format!("{path}?{query}")).await;
        let json = reply.json();
        assert_eq!((reply.status, json["error"]["codigo"].as_str()), (400, Some(*codigo)), "{path}?{query}");
    }
}

/// Checks the records of the list at `target`: their fields, in order, and their values.
pub(crate) async fn shows(actor: &Actor, target: &str, records: &[&str]) {
    let page = actor.get(target).await;
    let expected = format!(r#"{{"ok":true,"datos":[{}],"siguiente":null,"hay_mas":false}}"#, records.join(","));
    assert_eq!(String::from_utf8_lossy(&page.body), expected, "{target}");
}

/// The claves of records.
pub(crate) fn claves(records: &[Value]) -> Vec<i64> {
    records.iter().map(|record| record["clave"].as_i64().expect("a clave")).collect()
}
