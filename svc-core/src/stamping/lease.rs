//! How long a worker holds a record.

use chrono::TimeDelta;

use super::Stamper;

/// How long a lease lasts beyond the stamper's deadline: time to read the record and to write the outcome.
const MARGIN: TimeDelta = TimeDelta::minutes(1);

/// The longest deadline of a stamper that a lease takes into account.
const LONGEST: TimeDelta = TimeDelta::days(1);

/// How long a record is leased: longer than two calls of the stamper.
pub(super) fn lease_time(stamper: &dyn Stamper) -> TimeDelta {
    let deadline = TimeDelta::from_std(stamper.deadline()).map_or(LONGEST, |deadline| deadline.min(LONGEST));
    deadline * 2 + MARGIN
}
