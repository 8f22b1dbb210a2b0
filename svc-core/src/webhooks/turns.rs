//! Which company is next: one after the other, each for one bounded turn. No I/O.

use std::collections::{HashMap, VecDeque};

use chrono::{DateTime, TimeDelta, Utc};

use crate::domain::company::CompanyId;
use crate::store::{Due, Queue};

/// How long a company is left alone after a turn that failed.
const REST: TimeDelta = TimeDelta::seconds(15);

/// In which of its queues a company has something to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one for each queue")]
pub(super) struct Needs {
    pub(super) groups: bool,
    pub(super) events: bool,
    pub(super) deliveries: bool,
    pub(super) discards: bool,
}

impl Needs {
    /// Deliveries to be sent.
    pub(super) const DELIVERIES: Self = Self { groups: false, events: false, deliveries: true, discards: false };

    const fn none(self) -> bool {
        !(self.groups || self.events || self.deliveries || self.discards)
    }

    /// Whether deliveries may be there to be claimed at the end of the turn.
    pub(super) const fn claims(self) -> bool {
        self.groups || self.events || self.deliveries
    }

    const fn and(self, other: Self) -> Self {
        Self {
            groups: self.groups || other.groups,
            events: self.events || other.events,
            deliveries: self.deliveries || other.deliveries,
            discards: self.discards || other.discards,
        }
    }
}

/// The companies that have something to do.
#[derive(Default)]
pub(super) struct Turns {
    needs: HashMap<CompanyId, Needs>,
    /// Those of `needs` that are not having their turn, each once.
    order: VecDeque<CompanyId>,
    /// Those that are, with what they need again.
    having: HashMap<CompanyId, Needs>,
    resting: HashMap<CompanyId, DateTime<Utc>>,
}

impl Turns {
    /// Notes what is due.
    pub(super) fn found(&mut self, due: &[Due], now: DateTime<Utc>) {
        self.resting.retain(|_, until| now < *until);
        for due in due {
            if self.resting.contains_key(&due.company) {
                continue;
            }
            let mut needs = Needs::default();
            match due.queue {
                Queue::Groups => needs.groups = true,
                Queue::Events => needs.events = true,
                Queue::Discards => needs.discards = true,
                Queue::Deliveries => needs.deliveries = true,
                Queue::Stampings | Queue::Cancellations | Queue::Mails => continue,
            }
            self.need(due.company, needs);
        }
    }

    /// Notes what a company needs.
    pub(super) fn need(&mut self, company: CompanyId, needs: Needs) {
        if needs.none() {
            return;
        }
        if let Some(again) = self.having.get_mut(&company) {
            *again = again.and(needs);
            return;
        }
        let entry = self.needs.entry(company).or_default();
        if entry.none() {
            self.order.push_back(company);
        }
        *entry = entry.and(needs);
    }

    /// Whether none waits for its turn.
    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The company whose turn it is, until [`Self::done`] or [`Self::failed`].
    pub(super) fn next(&mut self) -> Option<(CompanyId, Needs)> {
        let company = self.order.pop_front()?;
        Some((company, self.of(company)))
    }

    /// Gives a company its turn, with what it needs. It must be free.
    pub(super) fn of(&mut self, company: CompanyId) -> Needs {
        self.having.insert(company, Needs::default());
        self.order.retain(|&next| next != company);
        self.needs.remove(&company).unwrap_or_default()
    }

    /// Whether a company is not having its turn.
    pub(super) fn is_free(&self, company: CompanyId) -> bool {
        !self.having.contains_key(&company)
    }

    /// Ends a company's turn; it has another if something is `left`.
    pub(super) fn done(&mut self, company: CompanyId, left: Needs) {
        let again = self.having.remove(&company).unwrap_or_default();
        self.need(company, again.and(left));
    }

    /// Ends a company's turn that failed.
    pub(super) fn failed(&mut self, company: CompanyId, now: DateTime<Utc>) {
        self.having.remove(&company);
        self.resting.insert(company, now + REST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(company: i64, queue: Queue) -> Due {
        Due { company: CompanyId(company), queue, since: None }
    }

    fn now() -> DateTime<Utc> {
        DateTime::UNIX_EPOCH
    }

    #[test]
    fn companies_have_one_turn_after_the_other() {
        let mut turns = Turns::default();
        turns.found(&[due(1, Queue::Events), due(2, Queue::Groups), due(1, Queue::Deliveries)], now());
        let (first, needs) = turns.next().unwrap();
        assert_eq!((first, needs), (CompanyId(1), Needs { events: true, ..Needs::DELIVERIES }));
        turns.need(first, Needs::DELIVERIES);
        turns.done(first, Needs { events: true, ..Needs::default() });
        assert_eq!(turns.next(), Some((CompanyId(2), Needs { groups: true, ..Needs::default() })));
        assert_eq!(turns.next(), Some((CompanyId(1), needs)), "what was left, and what came up meanwhile");
        turns.done(CompanyId(1), Needs::default());
        assert_eq!(turns.next(), None, "the second is having its turn");
    }

    #[test]
    fn a_company_whose_turn_failed_rests() {
        let mut turns = Turns::default();
        turns.found(&[due(1, Queue::Events)], now());
        let (company, _) = turns.next().unwrap();
        turns.failed(company, now());
        turns.found(&[due(1, Queue::Events), due(2, Queue::Events)], now() + TimeDelta::seconds(14));
        assert_eq!(turns.next().map(|(company, _)| company), Some(CompanyId(2)));
        assert_eq!(turns.next(), None);
        turns.found(&[due(1, Queue::Events)], now() + TimeDelta::seconds(15));
        assert_eq!(turns.next().map(|(company, _)| company), Some(CompanyId(1)));
    }
}
