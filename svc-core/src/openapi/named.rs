//! The operations that are run by name, for listing.

use serde::Serialize;
use serde_json::Value;

use super::language::Language;
use super::texts::Texts;
use crate::operation::Registry;

/// An operation that [`Context::run_by_name`](crate::Context::run_by_name) and `svc do` can run.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct NamedOperation {
    /// The name (`stock.move`).
    pub name: &'static str,
    /// What it does, in a few words.
    pub summary: String,
    /// The names of the events that it may emit.
    pub emits: Vec<&'static str>,
    /// The JSON Schema (2020-12) of its input.
    pub schema: Value,
}

impl Registry {
    /// Every operation with a name, in the registry's order, with its texts in `language`.
    pub fn named_operations(&self, language: Language) -> impl Iterator<Item = NamedOperation> {
        let texts = Texts::of(language);
        let ours = self.entries().len() - self.own().len();
        self.entries().iter().enumerate().filter_map(move |(place, entry)| {
            let (name, mut schema) = (entry.spec.name?, entry.schema()?);
            // A host documents the fields of its types where it declares them.
            if place < ours {
                texts.describe_input(entry, &mut schema);
            }
            let emits = entry.spec.emitted_words().collect();
            Some(NamedOperation { name, summary: texts.summary_of(entry), emits, schema })
        })
    }
}
