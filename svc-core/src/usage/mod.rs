//! The usage of companies and keys (spec "Limits", contract §5): counted in memory, merged into the store in batches.
//!
//! - The [`Ledger`] counts. It is exact within a process: a request is checked and counted under one lock.
//! - [`Merging`] adds what was counted since the last merge to the store, a statement for each company, and
//!   reads the totals of all processes. A server merges every [`DEFAULT_INTERVAL`] ([`crate::Context::work`]); a process that
//!   may be frozen between requests merges in every request ([`crate::ContextBuilder::merge_usage_every`] of zero).
//!
//! A process that dies loses what it counted in its last interval, and several processes together admit at most as many
//! requests too many as arrive within one. A merge whose outcome is unknown, because the connection broke, is repeated.

mod count;
mod ledger;
mod merging;

use std::time::Duration;

pub(crate) use ledger::{AdmissionRequest, Figures, Ledger, Refusal};
pub(crate) use merging::Merging;

/// The default of [`crate::ContextBuilder::merge_usage_every`].
pub(crate) const DEFAULT_INTERVAL: Duration = Duration::from_millis(250);
