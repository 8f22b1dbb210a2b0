//! Records the statements that are sent, from the driver's log.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// Watches the statements that this thread sends.
#[derive(Debug)]
pub struct Watch {
    sent: Arc<Mutex<Vec<String>>>,
    /// With a single subscriber, `tracing` asks that of the first thread that logs.
    _second: Dispatch,
    _watching: DefaultGuard,
}

/// Watches the statements that this thread sends, until the watch is dropped.
pub fn watch() -> Watch {
    let sent = Arc::<Mutex<Vec<String>>>::default();
    let log = || Log(Arc::clone(&sent));
    let (second, watching) = (Dispatch::new(log()), tracing::subscriber::set_default(log()));
    Watch { sent, _second: second, _watching: watching }
}

impl Watch {
    /// The different statements so far.
    pub fn sent(&self) -> BTreeSet<String> {
        self.sent.lock().expect("no panic").iter().cloned().collect()
    }

    /// The statements since the last call, in order.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.sent.lock().expect("no panic"))
    }
}

struct Log(Arc<Mutex<Vec<String>>>);

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "sqlx::query"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn event(&self, event: &Event<'_>) {
        let mut statement = Statement::default();
        event.record(&mut statement);
        let text = if statement.whole.is_empty() { statement.summary } else { statement.whole };
        self.0.lock().expect("no panic").push(text.trim().to_owned());
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// A short statement is its own summary; a longer one is logged with both.
#[derive(Default)]
struct Statement {
    summary: String,
    whole: String,
}

impl Visit for Statement {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "summary" => value.clone_into(&mut self.summary),
            "db.statement" => value.clone_into(&mut self.whole),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}
