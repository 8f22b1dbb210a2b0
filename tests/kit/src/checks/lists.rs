//! Every list of a host, with every filter.

use std::collections::BTreeSet;

use http::Method;
use serde_json::Value;
use svc_core::operation::Entry;
use svc_core::record::Takes;

use crate::{Actor, Reply, values};

/// The refusals of a valid value: the list asks for another filter too, or for a narrower span.
const NARROWER: [&str; 2] = ["filtro_requerido", "rango_invalido"];

/// Checks every list that a host added to the server of `actor`, whose key may read them all:
///
/// - it takes each filter with every kind of valid value, alone and with each other one, and
///   refuses invalid values, unknown parameters, wrong page sizes and foreign cursors by the codes
///   of contract §3;
/// - a walk by pages of one record gives all records once, in ascending order of `clave`;
/// - a filter with a value that a record shows finds that record, and only records that show it.
///
/// A list of some records says more than an empty one: make them first. Returns how many records of
/// how many lists were compared.
pub async fn lists(actor: &Actor) -> (usize, usize) {
    let registry = actor.api().context().registry().clone();
    let (mut records, mut lists) = (0, 0);
    for list in registry.own().iter().filter(|entry| entry.pages().is_some()) {
        let path = list.spec.http.as_ref().expect("a list is read over HTTP").path;
        assert!(!path.contains('{'), "{path}: a list below a record has no check yet");
        refusals(actor, path, list).await;
        pairs(actor, path, list).await;
        records += order(actor, path).await;
        shown(actor, path, list).await;
        lists += 1;
    }
    (records, lists)
}

async fn refusals(actor: &Actor, path: &str, list: &Entry) {
    for filter in list.filters() {
        for (query, codigo) in values::bad(filter) {
            refused(actor, &format!("{path}?{query}"), codigo).await;
        }
    }
    for (query, codigo) in [
        ("otro=1", "filtro_no_permitido"),
        ("limite=0", "limite_invalido"),
        ("limite=x", "limite_invalido"),
        ("limite=1000", "limite_invalido"),
        ("cursor=a", "cursor_invalido"),
        ("cursor=", "cursor_invalido"),
    ] {
        refused(actor, &format!("{path}?{query}"), codigo).await;
    }
}

async fn refused(actor: &Actor, target: &str, codigo: &str) {
    let reply = actor.get(target).await;
    assert_eq!((reply.status, code(&reply).as_str()), (400, codigo), "{target}: {}", reply.mensaje());
}

fn code(reply: &Reply) -> String {
    reply.json()["error"]["codigo"].as_str().unwrap_or_default().to_owned()
}

async fn pairs(actor: &Actor, path: &str, list: &Entry) {
    for one in list.filters() {
        for value in values::good(one.takes) {
            let others = list.filters().iter().filter(|other| other.name != one.name);
            let others = others.map(|other| format!("&{}={}", other.name, values::sample(other.takes)));
            for more in std::iter::once(String::new()).chain(others) {
                let target = format!("{path}?limite=1&{}={value}{more}", one.name);
                let page = actor.get(&target).await;
                let narrower = page.status == 400 && NARROWER.contains(&code(&page).as_str());
                assert!(page.status == 200 || narrower, "{target}: {} {}", page.status, page.mensaje());
            }
        }
    }
}

/// Returns how many records there are.
async fn order(actor: &Actor, path: &str) -> usize {
    if actor.get(path).await.status != 200 {
        return 0;
    }
    let claves = |records: &[Value]| records.iter().map(|record| record["clave"].as_i64()).collect::<Vec<_>>();
    let whole = claves(&actor.walk(path).await);
    assert!(whole.is_sorted_by(|one, next| one < next), "{path} is not in ascending order of clave: {whole:?}");
    let one_by_one = claves(&actor.walk(&format!("{path}?limite=1")).await);
    assert_eq!(one_by_one, whole, "{path} by pages of one record");
    whole.len()
}

/// Checks filters that are called as a field is against the values that the first records show.
async fn shown(actor: &Actor, path: &str, list: &Entry) {
    let first = actor.send(actor.request(Method::GET, path), "").await;
    let first = first.json()["datos"].as_array().cloned().unwrap_or_default();
    for filter in list.filters() {
        if !matches!(filter.takes, Takes::Integer | Takes::Boolean | Takes::Choice(_) | Takes::Uuid) {
            continue;
        }
        let values: BTreeSet<String> = first.iter().filter_map(|record| value(record, filter.name)).collect();
        for expected in values {
            let target = format!("{path}?{}={expected}", filter.name);
            let found = actor.walk(&target).await;
            let shows = |record: &Value| value(record, filter.name).as_ref() == Some(&expected);
            assert!(!found.is_empty() && found.iter().all(shows), "{target}: {found:?}");
            let among = |records: &[Value]| records.iter().filter(|record| shows(record)).count();
            assert!(among(&found) >= among(&first), "{target} leaves records out: {found:?}");
        }
    }
}

/// The value of a field, as a filter takes it.
fn value(record: &Value, field: &str) -> Option<String> {
    match &record[field] {
        Value::Null | Value::Array(_) | Value::Object(_) => None,
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    }
}
