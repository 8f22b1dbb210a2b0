//! The operations as tools of the Model Context Protocol, for agents (feature `mcp`).
//!
//! Each call is a request to the API or to the office: its key's scopes and limits and the company's
//! quota apply as for any client. There are four tools by default, with which an agent finds an
//! operation, reads its description, rehearses it and runs it; so a host's own operations are there
//! too, and the agent's context is not filled with a hundred of them. [`Offer::each`] makes a tool of
//! every operation instead.
//!
//! [`Mcp`] is the tower service for a server that runs the API itself; [`Connector`] is what serves one
//! client over any other transport, with the API wherever its [`Upstream`] finds it.

mod answer;
mod catalogue;
mod confirmation;
mod connector;
mod few;
mod repetition;
mod search;
mod service;
mod upstream;

use std::sync::Arc;

pub use self::connector::Connector;
pub use self::service::Mcp;
pub use self::upstream::{Surface, Upstream};
use crate::context::Context;
use crate::domain::clock::{Clock, Random};
use crate::mcp::catalogue::Catalogue;
use crate::mcp::repetition::Session;
use crate::operation::Registry;

/// Which tools are offered, and what they may do.
#[derive(Clone)]
pub struct Offer {
    name: String,
    catalogue: Arc<Catalogue>,
    each: bool,
    read_only: bool,
    confirmed: bool,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    /// What rehearsals are signed with for a client whose requests bear no key of their own.
    secret: Arc<Session>,
}

impl Offer {
    /// Offers the operations that `context` runs: to find, describe, rehearse and run them.
    pub fn new(context: &Context) -> Self {
        let (clock, random) = context.shared_clock_and_random();
        Self::of(context.registry(), clock, random)
    }

    fn of(registry: &Registry, clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        Self {
            name: registry.title().unwrap_or("svc").to_owned(),
            catalogue: Arc::new(Catalogue::of(registry)),
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

    /// Runs a write only with the digest of its rehearsal by the same key with the same arguments, at
    /// most 15 minutes old. So nothing is done of which nobody saw what it would do.
    #[must_use]
    pub fn confirmed(mut self, confirmed: bool) -> Self {
        self.confirmed = confirmed;
        self
    }
}

#[cfg(test)]
mod tests;
