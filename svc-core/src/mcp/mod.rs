//! The operations as tools of the Model Context Protocol, for agents (feature `mcp`).
//!
//! Each call is a request to the API or to the office: its key's scopes and limits and the
//! company's quota apply as for any client. There are four tools by default, with which an agent
//! finds an operation, reads its description, rehearses it and runs it; so a host's own operations
//! are there too, and the agent's context is not filled with a hundred of them. [`Offer::each`]
//! makes a tool of every operation instead.
//!
//! [`Mcp`] is the tower service for a server that runs the API itself; [`Connector`] is what serves
//! one client over any other transport, with the API wherever its [`Upstream`] finds it.

mod answer;
mod catalogue;
mod confirmation;
mod connector;
mod exact;
mod few;
mod keys;
mod offer;
mod repetition;
mod search;
mod service;
mod upstream;

pub use self::connector::Connector;
pub use self::exact::with_exact_numbers;
pub use self::keys::NamedKeys;
pub use self::offer::Offer;
pub use self::service::Mcp;
pub use self::upstream::{Surface, Upstream};

#[cfg(test)]
mod tests;
