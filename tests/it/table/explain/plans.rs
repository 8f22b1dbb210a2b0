//! Plans as `auto_explain` reports them: notices, which the driver passes to `tracing`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Metadata, Subscriber};

/// A table of at most this many rows may be read whole.
const SMALL: i64 = 1_000;

/// At most this many rows may be sorted for a page.
const MAX_ROWS: f64 = 5_000.0;

/// More of the claves that the filter of changes collects may be sorted: this many take a few
/// milliseconds.
const MAX_ROWS_OF_CHANGES: f64 = 25_000.0;

/// The plans of the statements that this thread sends.
pub(super) struct Plans {
    reported: Arc<Mutex<Vec<Plan>>>,
    _watching: DefaultGuard,
}

impl Plans {
    pub(super) fn watch() -> Self {
        let reported = Arc::default();
        Self { _watching: tracing::subscriber::set_default(Notices(Arc::clone(&reported))), reported }
    }

    /// The plans reported since the last call.
    pub(super) fn take(&self) -> Vec<Plan> {
        std::mem::take(&mut self.reported.lock().expect("no panic"))
    }
}

/// A statement and its plan.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) statement: String,
    root: Value,
}

impl Plan {
    fn read(notice: &str) -> Option<Self> {
        let mut reported: Value = serde_json::from_str(&notice[notice.find('{')?..]).ok()?;
        Some(Self { statement: reported["Query Text"].as_str()?.to_owned(), root: reported["Plan"].take() })
    }

    /// The blocks it touched, in memory or not, as its cost. (The planner's own estimate is useless
    /// for a page near the end, which it takes for a share of all remaining rows.)
    pub(super) fn blocks(&self) -> f64 {
        number(&self.root, "Shared Hit Blocks") + number(&self.root, "Shared Read Blocks")
    }

    /// The faults of the plan; `sizes` has the rows of each table, and a filter may skip
    /// `max_skipped`.
    pub(super) fn faults(&self, sizes: &HashMap<String, i64>, max_skipped: f64) -> Vec<String> {
        let mut faults = Vec::new();
        visit(&self.root, &mut |node| {
            let kind = node["Node Type"].as_str().unwrap_or_default();
            let table = node["Relation Name"].as_str().unwrap_or_default();
            if kind == "Seq Scan" && sizes.get(table).is_none_or(|rows| *rows > SMALL) {
                faults.push(format!("reads the whole of {table}"));
            }
            if let ("Sort" | "Incremental Sort", Some(input)) = (kind, inputs(node).first()) {
                let sorted =
                    number(input, "Plan Rows").max(number(input, "Actual Rows") * number(input, "Actual Loops"));
                let max = if are_changes(input) { MAX_ROWS_OF_CHANGES } else { MAX_ROWS };
                if sorted > max {
                    faults.push(format!("sorts {sorted} rows"));
                }
            }
            let vain = number(node, "Rows Removed by Filter") * number(node, "Actual Loops");
            if vain > max_skipped {
                faults.push(format!("reads {vain} rows of {table} in vain"));
            }
        });
        faults
    }
}

fn number(node: &Value, name: &str) -> f64 {
    node[name].as_f64().unwrap_or(0.0)
}

fn inputs(node: &Value) -> &[Value] {
    node["Plans"].as_array().map_or(&[], Vec::as_slice)
}

/// Whether a node yields the claves that the filter of changes collects.
fn are_changes(node: &Value) -> bool {
    node["CTE Name"] == "cambiados" || inputs(node).iter().any(are_changes)
}

fn visit(node: &Value, see: &mut impl FnMut(&Value)) {
    see(node);
    for input in inputs(node) {
        visit(input, see);
    }
}

/// Collects the plans in PostgreSQL's notices.
struct Notices(Arc<Mutex<Vec<Plan>>>);

impl Subscriber for Notices {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "sqlx::postgres::notice"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Message(&self.0));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Message<'a>(&'a Mutex<Vec<Plan>>);

impl Visit for Message<'_> {
    fn record_str(&mut self, _: &Field, text: &str) {
        self.0.lock().expect("no panic").extend(Plan::read(text));
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}
