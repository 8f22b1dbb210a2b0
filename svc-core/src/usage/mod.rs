//! What companies and keys use (spec "Limits", contract §5): counted in memory, merged into the store in batches.
//!
//! - The ledger counts. It is exact in one process: a request is counted under the same lock that judges it.
//! - Merging brings to the store what was counted since the last time, for all keys and companies in one statement,
//!   and learns from its answer what other processes used. A server has it done every [`DEFAULT_INTERVAL`]
//!   ([`crate::Api::merge_usage`]); a process that may be frozen between requests has it done by every request, before its
//!   answer leaves (an interval of zero, [`crate::ApiBuilder::merge_usage_every`]).
//!
//! So a process that dies loses what it counted in its last interval, and many processes together let at most as many
//! requests too many pass as come in within one. A merge whose outcome stays unknown, because the connection broke, is
//! done again.

mod count;
mod ledger;
mod merging;

use std::time::Duration;

pub(crate) use ledger::{Ask, Figures, Ledger, Refusal};
pub(crate) use merging::Merging;

/// How often a server merges what was used, when nothing else is said.
pub const DEFAULT_INTERVAL: Duration = Duration::from_millis(250);
