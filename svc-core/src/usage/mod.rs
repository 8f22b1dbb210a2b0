//! The usage of companies and keys (spec, "Limits"; contract §5): counted in memory, merged into
//! the store in batches.
//!
//! - The [`Ledger`] counts. It is exact within a process: a request is checked and counted under
//!   one lock.
//! - [`Merging`] adds the counts since the last merge to the store, one statement per company, and
//!   reads the totals of all processes. A server merges every [`DEFAULT_INTERVAL`]
//!   ([`crate::Context::work`]); a process that may be frozen between requests merges in every
//!   request ([`crate::ContextBuilder::merge_usage_every`] of zero).
//!
//! A process that dies loses the counts of its last interval. Several processes together admit at
//! most the excess requests that arrive within one interval. A merge with an unknown outcome,
//! because the connection broke, is repeated.

mod count;
mod ledger;
mod log;
mod merging;

use std::time::Duration;

pub(crate) use ledger::{AdmissionRequest, Figures, Ledger, Refusal};
pub(crate) use log::RequestLog;
pub(crate) use merging::Merging;

/// The default of [`crate::ContextBuilder::merge_usage_every`].
pub(crate) const DEFAULT_INTERVAL: Duration = Duration::from_millis(250);

/// The time from one writing of the log of requests to the next.
pub(crate) const LOG_INTERVAL: Duration = Duration::from_secs(2);
