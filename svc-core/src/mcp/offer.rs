//! [`Offer`]: which tools there are.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};

use super::catalogue::{Offered, OperationIndex};
use super::repetition::Session;
use crate::context::Context;
use crate::domain::clock::{Clock, Random};
use crate::domain::scope::KeyScopes;
use crate::operation::Registry;

/// The argument of a write with the digest of its rehearsal.
pub(super) const DIGEST: &str = "digest";

/// The argument of a write's own tool that makes it a rehearsal.
pub(super) const REHEARSAL_ARGUMENT: &str = "rehearse";

/// Which tools are offered, and what they may do.
#[derive(Clone)]
pub struct Offer {
    pub(super) name: String,
    pub(super) catalogue: Arc<OperationIndex>,
    pub(super) each: bool,
    pub(super) read_only: bool,
    pub(super) confirmed: bool,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) random: Arc<dyn Random>,
    /// What rehearsals are signed with for a client whose requests bear no key of their own.
    pub(super) secret: Arc<Session>,
}

impl Offer {
    /// Offers the operations that `context` runs: to find, describe, rehearse and run them.
    pub fn new(context: &Context) -> Self {
        let (clock, random) = context.shared_clock_and_random();
        Self::of(context.registry(), clock, random)
    }

    pub(super) fn of(registry: &Registry, clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        Self {
            name: registry.title().unwrap_or("svc").to_owned(),
            catalogue: Arc::new(OperationIndex::of(registry)),
            each: false,
            read_only: false,
            confirmed: false,
            secret: Arc::new(Session::new(random.as_ref())),
            clock,
            random,
        }
    }

    /// Offers a tool for each operation that the key's scopes allow, instead of the four.
    #[must_use]
    pub fn each(mut self, each: bool) -> Self {
        self.each = each;
        self
    }

    /// Offers what reads, and nothing that writes.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Runs a write only with the digest of its rehearsal by the same key with the same arguments,
    /// at most 15 minutes old. So nothing is done before somebody saw what it would do.
    #[must_use]
    pub fn confirmed(mut self, confirmed: bool) -> Self {
        self.confirmed = confirmed;
        self
    }
}

impl Offer {
    pub(super) fn offers(&self, offered: &Offered) -> bool {
        !(self.read_only && offered.writes)
    }

    /// The operations that a key with these scopes may run, or any key if they are unknown.
    pub(super) fn allowed(&self, scopes: Option<&KeyScopes>) -> impl Iterator<Item = &Offered> {
        let may = move |offered: &&Offered| {
            self.offers(offered) && scopes.is_none_or(|scopes| offered.scopes.is_empty() || scopes.meet(offered.scopes))
        };
        // What the API does too is offered once, unless the key has the office's scope alone.
        let is_first = move |offered: &&Offered| {
            let first = offered.name.and_then(|name| self.catalogue.find(name)).filter(may);
            first.is_none_or(|first| std::ptr::eq(first, *offered))
        };
        self.catalogue.all().iter().filter(move |offered| may(offered) && is_first(offered))
    }

    pub(super) fn digest_said(&self) -> &'static str {
        if self.confirmed {
            "Every write needs it: the digest of its rehearsal with the same arguments, at most 15 minutes old."
        } else {
            "The digest of its rehearsal: the write is then done once, and only as it was rehearsed."
        }
    }

    /// The tool of an operation of its own.
    pub(super) fn own_tool(&self, offered: &Offered) -> Tool {
        let mut tool = offered.described.clone();
        if !offered.writes {
            return tool;
        }
        let mut schema = JsonObject::clone(&tool.input_schema);
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            let said = "Do it and undo it: answers what it would answer, and a digest to confirm it with.";
            properties.insert(REHEARSAL_ARGUMENT.to_owned(), json!({ "type": "boolean", "description": said }));
            let digest = json!({ "type": "string", "description": self.digest_said() });
            properties.insert(DIGEST.to_owned(), digest);
        }
        tool.input_schema = Arc::new(schema);
        tool
    }
}
