//! The usage of companies and keys (spec, "Limits"; contract §5): counted in memory, merged into
//! the store in batches.
//!
//! - The [`Ledger`] counts. It is exact within a process: a request is checked and counted under
//!   one lock.
//! - [`Merging`] adds counts to the store and reads the totals of all processes. A server looks
//!   every [`DEFAULT_INTERVAL`] ([`crate::Context::work`]) which companies have counts that the
//!   others must know: those that are large beside what their limit leaves, or five seconds old. A
//!   request waits for a merge of its own if its count grew that much since the last one, and is
//!   refused if others had used the minute up. A process that may be frozen between requests merges
//!   in every request ([`crate::ContextBuilder::merge_usage_every`] of zero).
//!
//! A process that dies loses the counts of its last five seconds. Several processes together exceed
//! a limit by what they keep from each other, about a fiftieth of it. A merge with an unknown
//! outcome, because the connection broke, is repeated.

mod count;
mod ledger;
mod log;
mod merging;

use std::time::Duration;

pub(crate) use ledger::{AdmissionRequest, Figures, Ledger, Refusal, Taking};
pub(crate) use log::RequestLog;
pub(crate) use merging::Merging;

/// How long a request waits for a merge: as long as a statement of one may take.
pub(crate) const MERGE_PATIENCE: Duration = Duration::from_secs(2);

/// The default of [`crate::ContextBuilder::merge_usage_every`].
pub(crate) const DEFAULT_INTERVAL: Duration = Duration::from_millis(250);

/// The time from one writing of the log of requests to the next.
pub(crate) const LOG_INTERVAL: Duration = Duration::from_secs(2);
