//! One pass over the documents to be stamped and the cancellations to be sent and followed.

use super::Stamper;
use super::cancellation::Cancellations;
use super::provider::{StampReport, StampingProvider};
use super::stampings::Stampings;
use crate::budget::Budget;
use crate::context::Context;
use crate::leases::{LeasedPass, LeasedQueue, Pace};
use crate::store::{Backlog, LeasedStamping, StoreError};

/// Records worked on at once. A company gets another one while it has fewer in progress than are
/// free: alone it gets half of them, beside others fewer, so that no company waits for all records
/// of another.
const AT_ONCE: u32 = 16;

const PACE: Pace =
    Pace { room: |all, own| AT_ONCE.saturating_sub(all).saturating_sub(own).div_ceil(2), at_once: AT_ONCE };

/// Stamps the records of all companies that are due when it begins, and sends and follows the
/// cancellations that are, until all are done or `budget` is used up. Returns the counts.
///
/// The documents of test companies go to the sandbox, those of all others to `stamper`. Without one
/// the others wait: nothing of theirs is read, leased or attempted.
///
/// Call it on a timer. Several passes may run at once and share the work: a record is leased to one
/// of them under a token, for longer than the stamper may take, and an outcome is written only
/// while its token is valid. No transaction is open and no connection is held while a stamper
/// works. What is due is found by one read over all companies, and leased one company at a time,
/// round-robin. A record or company that fails is logged and counted, and delays no other; the
/// error is that of the read.
pub async fn stamp_due(
    context: &Context,
    stamper: Option<&dyn Stamper>,
    budget: Budget,
) -> Result<StampReport, StoreError> {
    let context = &context.in_background();
    let backlog = if stamper.is_some() { Backlog::Stamping } else { Backlog::TestStamping };
    let provider = StampingProvider::new(context, stamper);
    let queues: [&dyn LeasedQueue<Record = LeasedStamping, Report = StampReport>; 2] =
        [&Stampings(&provider), &Cancellations(&provider)];
    let pass = LeasedPass { context, backlog, queues: &queues, pace: PACE, budget };
    let report = pass.run().await?;
    if !report.is_empty() {
        context.held().await?;
    }
    Ok(report)
}
