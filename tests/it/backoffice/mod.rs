//! Back-office actions by name; one file an area.

mod invoices;
mod naming;
mod opportunities;
mod payables;
mod payments;
mod products;
mod purchases;
mod quota;
mod sales;
pub(crate) mod shop;
mod stock;

use serde_json::Value;
use svc_tests::{Company, World};

/// Does an action that succeeds.
#[track_caller]
pub(crate) fn did(outcome: Result<Value, svc_core::Error>) -> Value {
    outcome.expect("the action is done")
}

/// Checks that each input is refused with its code and a text that begins with `said`, and that nothing is told of it.
async fn refuses(company: &Company, action: &str, table: &[(Value, &str, &str)]) {
    let before = events(&company.world).await.len();
    for (input, codigo, said) in table {
        let error = company.act(action, input).await.expect_err(&format!("{action} {input}"));
        assert_eq!(error.code().codigo(), *codigo, "{action} {input}: {error}");
        assert!(error.mensaje().starts_with(said), "{action} {input}: {error}");
    }
    assert_eq!(events(&company.world).await.len(), before);
}

/// The bodies of all events, in the order in which they were written.
async fn events(world: &World) -> Vec<Value> {
    // Where the rows lie: the ids of events of one instant are in no order.
    let all: String = world
        .sql("SELECT coalesce(jsonb_agg(convert_from(cuerpo, 'UTF8')::jsonb ORDER BY lugar), '[]')::text FROM emitidos")
        .await;
    serde_json::from_str(&all).expect("JSON")
}

/// The type and the data of each event.
async fn told(world: &World) -> Vec<(String, Value)> {
    let told = |event: Value| (event["tipo"].as_str().unwrap_or_default().to_owned(), event["datos"].clone());
    events(world).await.into_iter().map(told).collect()
}
