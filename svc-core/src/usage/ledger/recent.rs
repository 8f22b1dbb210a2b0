use chrono::{DateTime, TimeDelta, Utc};

/// The requests of a company, admitted or refused, that this process has received.
///
/// Two minutes are counted, because the present one has hardly any request at its beginning.
#[derive(Default)]
pub(super) struct RecentRequests {
    /// All since the company has been in memory.
    asked: u64,
    minuto: DateTime<Utc>,
    /// Those of `minuto`.
    present: u64,
    /// Those of the minute before it.
    before: u64,
}

impl RecentRequests {
    pub(super) fn add_one(&mut self, minuto: DateTime<Utc>) {
        // Near a minute's end requests are counted out of order: an earlier minute counts as the
        // later one.
        if minuto > self.minuto {
            self.before = if self.minuto == minuto - TimeDelta::minutes(1) { self.present } else { 0 };
            (self.minuto, self.present) = (minuto, 0);
        }
        self.asked += 1;
        self.present += 1;
    }

    pub(super) fn asked(&self) -> u64 {
        self.asked
    }

    /// Those of the minute and the one before it.
    pub(super) fn lately(&self, minuto: DateTime<Utc>) -> u64 {
        if self.minuto >= minuto {
            self.present + self.before
        } else if self.minuto == minuto - TimeDelta::minutes(1) {
            self.present
        } else {
            0
        }
    }
}
