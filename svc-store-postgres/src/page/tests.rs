//! The statements of all lists, as they are sent, in `snapshots/`: for review, and to be copied and
//! run (in psql after `\bind 1 …`). `$1` is the company; the values of filters follow in their
//! order.

use chrono::DateTime;
use svc_core::record::Value;
use svc_core::record::{Condition, ListSpec, Query, Takes};
use svc_core::registry::OPERATIONS;
use uuid::Uuid;

use super::PageQuery;
use crate::sources;

/// Where this variable is set, the snapshots are written anew.
const REWRITE: &str = "SVC_REWRITE_SNAPSHOTS";

fn lists() -> impl Iterator<Item = &'static ListSpec> {
    OPERATIONS.iter().filter_map(svc_core::operation::Entry::declared_list)
}

/// A value that the filter takes.
fn sample(takes: Takes) -> Value<'static> {
    match takes {
        Takes::Integer => Value::Integer(7),
        Takes::Boolean => Value::Boolean(true),
        Takes::Choice(words) => Value::Text(words[0].into()),
        Takes::Search => Value::Texts(vec!["tornillo".to_owned(), "acero".to_owned()]),
        Takes::Bound(_) => Value::Instant(DateTime::UNIX_EPOCH),
        Takes::Uuid => Value::Text(Uuid::nil().to_string().into()),
        _ => Value::Text("texto".into()),
    }
}

/// The statement of a page after a record, with all filters or with none.
fn statement(list: &'static ListSpec, filtered: bool) -> String {
    let mut query = Query::new(list, filtered.then_some(100), 30, DateTime::UNIX_EPOCH);
    query.under = list.path.contains("{clave}").then_some(1);
    if filtered {
        let all = list.filters.iter();
        query.conditions = all.map(|filter| Condition { filter, value: sample(filter.takes) }).collect();
    }
    PageQuery::of(sources::of(list.table), list, &query, 1).into_sql().sql().as_str().to_owned()
}

#[test]
fn the_snapshots_are_the_statements_of_the_lists() {
    let folder = format!("{}/src/page/snapshots", env!("CARGO_MANIFEST_DIR"));
    let mut stale = Vec::new();
    for list in lists() {
        let file = format!("{folder}/{}.sql", list.path.trim_start_matches('/').replace(['/', '{', '}'], "_"));
        let made = format!(
            "-- {}\n-- No filter, the first page.\n{};\n\n-- All filters, a later page.\n{};\n",
            list.path,
            statement(list, false),
            statement(list, true)
        );
        if std::env::var_os(REWRITE).is_some() {
            std::fs::write(&file, &made).expect("a snapshot");
        }
        if std::fs::read_to_string(&file).unwrap_or_default() != made {
            stale.push(list.path);
        }
    }
    assert!(stale.is_empty(), "{REWRITE}=1 cargo test -p svc-store-postgres --lib page writes these anew: {stale:?}");
}
