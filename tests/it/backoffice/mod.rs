//! Back-office actions by name; one file per area.

mod below_stock;
mod bills;
mod corrections;
mod costs;
mod deposits;
mod edits;
mod exchange;
mod flow;
mod funds;
mod invoices;
mod ledger;
mod naming;
mod opportunities;
mod payables;
mod payments;
mod products;
mod prospects;
mod purchases;
mod quota;
mod rates;
mod reading;
pub(crate) mod reports;
mod reports_rates;
mod sales;
pub(crate) mod shop;
mod stock;
mod supplier_credit;
mod users;
mod withheld;

use serde_json::Value;
use svc_tests::{Company, World};

/// Runs an action that must succeed.
#[track_caller]
pub(crate) fn did(outcome: Result<Value, svc_core::Error>) -> Value {
    outcome.expect("the action is done")
}

/// Checks that each input is refused with its code and a text that begins with `said`, and that no
/// event is emitted.
async fn refuses(company: &Company, action: &str, table: &[(Value, &str, &str)]) {
    let before = ids(&company.world).await;
    for (input, codigo, said) in table {
        let error = company.run_by_name(action, input).await.expect_err(&format!("{action} {input}"));
        assert_eq!(error.code().codigo(), *codigo, "{action} {input}: {error}");
        assert!(error.mensaje().starts_with(said), "{action} {input}: {error}");
    }
    assert_eq!(ids(&company.world).await, before);
}

/// The bodies of all events, in the order in which they were written; after them, those that wait
/// to be grouped.
async fn events(world: &World) -> Vec<Value> {
    // In table order, because the ids of events of one instant are in no order.
    let all: String = world
        .sql("SELECT coalesce(jsonb_agg(convert_from(cuerpo, 'UTF8')::jsonb ORDER BY lugar), '[]')::text FROM emitidos")
        .await;
    serde_json::from_str(&all).expect("JSON")
}

/// The ids of all events. A change that joins a group gives the group another id.
async fn ids(world: &World) -> Vec<String> {
    events(world).await.iter().map(|event| event["id"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The events emitted after those `before`; what is grouped comes last.
async fn events_since(world: &World, before: &[String]) -> Vec<Value> {
    let new = |event: &Value| !before.iter().any(|id| event["id"] == **id);
    events(world).await.into_iter().filter(new).collect()
}

/// The type and the data of an event.
fn summary(event: &Value) -> (String, Value) {
    (event["tipo"].as_str().unwrap_or_default().to_owned(), event["datos"].clone())
}

/// The type and the data of each event.
async fn emitted(world: &World) -> Vec<(String, Value)> {
    events(world).await.iter().map(summary).collect()
}
