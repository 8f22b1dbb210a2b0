//! `/productos`

mod create;
mod edit;
mod list;
mod search;

use serde_json::Value;
use svc_tests::Actor;

/// Checks that each query finds exactly the products of these claves.
async fn finds(actor: &Actor, table: &[(&str, &[i64])]) {
    for (query, expected) in table {
        let found = actor.walk(&format!("/productos?{query}")).await;
        assert_eq!(claves(&found), *expected, "{query}");
    }
}

fn claves(records: &[Value]) -> Vec<i64> {
    records.iter().map(|record| record["clave"].as_i64().expect("a clave")).collect()
}
