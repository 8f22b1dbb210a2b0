//! Importing: NDJSON, all or nothing.

mod claves;
mod faults;
mod lines;

use std::io;

use serde_json::{Value, json};
use svc_core::backoffice::import::Resource;
use svc_tests::Company;

/// Imports lines as they are; an error is its text.
async fn import_lines<L>(company: &Company, resource: Resource, lines: L) -> Result<u64, String>
where
    L: IntoIterator<Item = io::Result<Vec<u8>>>,
    L::IntoIter: Send,
{
    let office = &company.world.office;
    office.import(company.id, resource, lines.into_iter(), &mut |_| ()).await.map_err(|error| error.to_string())
}

/// Checks that an import is refused for this line, and that the text goes on with `text`: the field, mostly.
#[track_caller]
pub(crate) fn blames(outcome: Result<u64, String>, line: usize, text: &str) {
    let error = outcome.expect_err("a refusal");
    assert!(error.starts_with(&format!("line {line}: {text}")), "{error}, not line {line}: {text}");
}

/// So many good customers.
fn customers(count: usize) -> Vec<Value> {
    (1..=count).map(|number| json!({"nombre": format!("Cliente {number}")})).collect()
}
