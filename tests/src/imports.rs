//! Checks of imports: the records they take and refuse.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::{Company, Resource};

/// `count` valid customers for an import, each with its own name.
pub fn customers(count: usize) -> Vec<Value> {
    (1..=count).map(|number| json!({"nombre": format!("Cliente {number}")})).collect()
}

/// Checks that an import was refused for this line, and that the error continues with `text`,
/// usually the field.
#[track_caller]
pub fn blames(outcome: Result<u64, String>, line: usize, text: &str) {
    let error = outcome.expect_err("a refusal");
    assert!(error.starts_with(&format!("línea {line}: {text}")), "{error}, not línea {line}: {text}");
}

/// Checks that a record with this value in a field is refused, by line and field, between two valid
/// ones, and that the valid one is accepted.
pub async fn refuses_fields(company: &Company, resource: Resource, good: &Value, table: &[(&str, Value)]) {
    refuses_fields_beside(company, resource, good, good, table).await;
    let name = resource.name();
    assert_eq!(company.import(resource, &[good.clone(), good.clone()]).await, Ok(2), "{name}: the good one is good");
}

/// Checks that `good` with this value in a field is refused, by line and field, between two valid
/// ones.
pub async fn refuses_fields_beside(
    company: &Company,
    resource: Resource,
    good: &Value,
    other: &Value,
    table: &[(&str, Value)],
) {
    for (field, value) in table {
        let mut bad = good.clone();
        bad[*field] = value.clone();
        let outcome = company.import(resource, &[other.clone(), bad, other.clone()]).await;
        let error = outcome.expect_err("a refusal");
        assert!(error.starts_with(&format!("línea 2: {field}: ")), "{field} = {value}: {error}");
    }
}

/// Checks that a record whose optional fields are all null or empty equals one without them, except
/// for its clave.
pub async fn takes_null_for_absent(company: &Company, resource: Resource, least: &Value, path: &str) {
    let shown = company.admin().await.get(path).await.ok(200)["datos"][0].clone();
    let names = shown.as_object().expect("a record").keys().filter(|name| least.get(name).is_none());
    let (mut nulls, mut empties) = (least.clone(), least.clone());
    for name in names {
        nulls[name] = Value::Null;
        empties[name] = json!("");
    }
    company.load(resource, &[least.clone(), nulls, empties]).await;
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

/// A new company with everything that another one exports.
///
/// # Panics
/// If a line is refused.
pub async fn copy_of(company: &Company) -> Company {
    let other = company.world.company().await;
    for resource in Resource::ALL {
        let outcome = other.import_new(*resource, &company.export(*resource).await).await;
        assert!(outcome.is_ok(), "{}: {outcome:?}", resource.name());
    }
    other
}

/// Exports everything of a company, imports it into a new one, and checks that the new one exports
/// the same; the records that it was born with stay as they were.
///
/// # Panics
/// If a line is refused, or a record is another one afterwards.
pub async fn imports_what_it_exports(company: &Company) -> Company {
    let other = company.world.company().await;
    let mut born = BTreeMap::new();
    for resource in Resource::ALL {
        born.insert(resource.name(), claves(&other.export(*resource).await));
    }
    for resource in Resource::ALL {
        let given = company.export(*resource).await;
        let new = claves(&given).difference(&born[resource.name()]).count();
        assert_eq!(other.import_new(*resource, &given).await, Ok(new as u64), "{}", resource.name());
    }
    for resource in Resource::ALL {
        let (given, again) = (company.export(*resource).await, other.export(*resource).await);
        let wanted = claves(&given);
        let again: Vec<_> = again.iter().filter(|record| wanted.contains(&clave(record))).collect();
        assert_eq!(given.len(), again.len(), "{}", resource.name());
        for (given, again) in given.iter().zip(again) {
            let is_born = born[resource.name()].contains(&clave(given));
            assert!(is_born || given == again, "{}:\n{given}\n{again}", resource.name());
        }
    }
    other
}

fn clave(record: &Value) -> i64 {
    record["clave"].as_i64().expect("a clave")
}

fn claves(records: &[Value]) -> BTreeSet<i64> {
    records.iter().map(clave).collect()
}
