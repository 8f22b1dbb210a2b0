//! The process's clock beside the store's.

use std::fmt;

use chrono::TimeDelta;

use super::Context;
use crate::domain::clock::CLOCK_TOLERANCE;
use crate::observe;
use crate::store::StoreError;

/// How far the process's clock is from the store's. `Display` says it in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockOffset(TimeDelta);

impl ClockOffset {
    /// How far the process's clock is ahead; negative if it is behind.
    pub fn ahead(self) -> TimeDelta {
        self.0
    }

    /// Whether one of the two clocks must be wrong: they are more than a minute apart.
    pub fn is_wrong(self) -> bool {
        self.0.abs() > CLOCK_TOLERANCE
    }
}

impl fmt::Display for ClockOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.0 < TimeDelta::zero() { "behind" } else { "ahead of" };
        write!(f, "this server's clock is {} s {side} the database's", self.0.num_seconds().abs())
    }
}

impl Context {
    /// Compares the process's clock with the store's; records the difference
    /// ([`observe::CLOCK_OFFSET`]).
    pub async fn clock_offset(&self) -> Result<ClockOffset, StoreError> {
        let before = self.now();
        let store = self.store().now().await?;
        let after = self.now();
        // The store read its clock between the two, so what lies between them is no difference.
        let offset = if store < before { before - store } else { (after - store).min(TimeDelta::zero()) };
        observe::clock_offset(offset);
        Ok(ClockOffset(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_minute_is_wrong_on_either_side() {
        for (seconds, is_wrong, text) in [
            (0, false, "this server's clock is 0 s ahead of the database's"),
            (60, false, "this server's clock is 60 s ahead of the database's"),
            (-61, true, "this server's clock is 61 s behind the database's"),
            (7_200, true, "this server's clock is 7200 s ahead of the database's"),
        ] {
            let offset = ClockOffset(TimeDelta::seconds(seconds));
            assert_eq!((offset.is_wrong(), offset.to_string().as_str()), (is_wrong, text));
        }
    }
}
