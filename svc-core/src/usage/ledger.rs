use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use super::count::Count;
use crate::domain::company::CompanyId;
use crate::domain::quota::Period;
use crate::store::{KeyId, KnownUse, MinuteUse, MonthUse, Usage};

/// What was used, as far as this process knows: its own use exactly, others' as of the last merge.
///
/// It holds keys and companies that were let in lately, so it is as large as the business, not as large as an attack.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<Book>);

#[derive(Default)]
struct Book {
    companies: HashMap<CompanyId, Company>,
    /// When what is over was last removed.
    swept: DateTime<Utc>,
}

#[derive(Default)]
struct Company {
    /// This month, and for a moment the one before.
    months: Vec<Month>,
    keys: HashMap<Box<str>, Minute>,
    in_flight: u32,
}

struct Month {
    mes: NaiveDate,
    count: Count,
    /// Requests under way: whether they count is known when they end.
    reserved: u64,
}

struct Minute {
    minuto: DateTime<Utc>,
    count: Count,
}

/// A request that asks to be let in.
#[derive(Clone, Copy)]
pub(crate) struct Ask<'a> {
    /// With this key.
    pub(crate) key: &'a KeyId,
    /// In this period.
    pub(crate) period: Period,
    /// What the store knew when the key was read.
    pub(crate) known: KnownUse,
    /// Requests a minute.
    pub(crate) rate: u64,
    /// Operations a month.
    pub(crate) quota: u64,
    /// Requests at the same time.
    pub(crate) in_flight: u32,
    /// Whether the minute's and the month's limits cut.
    pub(crate) cuts: bool,
}

/// What was used, after the request if it was let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Figures {
    /// Requests of this minute.
    pub(crate) minute: u64,
    /// Operations of this month, those under way included.
    pub(crate) month: u64,
}

/// Why a request is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The minute is used up.
    Rate,
    /// The month is used up.
    Quota,
    /// Too many requests are under way.
    Busy,
}

impl Ledger {
    /// Lets a request in, or not, and counts it. Whoever is let in calls [`Ledger::leave`] once.
    ///
    /// The minute counts what passed the minute's limit; the month reserves what passed all three.
    pub(crate) fn enter(&self, ask: &Ask<'_>) -> (Figures, Result<(), Refusal>) {
        let mut book = self.book();
        let company = book.companies.entry(ask.key.company).or_default();
        let minute = company.minute(ask);
        let within_rate = minute.count.total() < ask.rate;
        if within_rate || !ask.cuts {
            minute.count.add_one();
        }
        let minute = minute.count.total();
        let in_flight = company.in_flight;
        let month = company.month(ask.period.mes);
        month.count.learn(ask.month_known());
        let admitted = if !within_rate && ask.cuts {
            Err(Refusal::Rate)
        } else if month.total() >= ask.quota && ask.cuts {
            Err(Refusal::Quota)
        } else if in_flight >= ask.in_flight {
            Err(Refusal::Busy)
        } else {
            month.reserved += 1;
            Ok(())
        };
        let month = month.total();
        company.in_flight += u32::from(admitted.is_ok());
        (Figures { minute, month }, admitted)
    }

    /// What was used so far, of a request that is not counted.
    pub(crate) fn look(&self, ask: &Ask<'_>) -> Figures {
        let book = self.book();
        let company = book.companies.get(&ask.key.company);
        let minute = company.and_then(|company| company.keys.get(&ask.key.suffix));
        let minute = minute.filter(|minute| minute.minuto >= ask.period.minuto);
        let month = company.and_then(|company| company.months.iter().find(|month| month.mes == ask.period.mes));
        Figures {
            minute: minute.map_or(0, |minute| minute.count.total()).max(ask.minute_known()),
            month: month.map_or(0, Month::total).max(ask.month_known()),
        }
    }

    /// A request that was let in has ended; `counts` tells whether the month counts it. Gives what of the month is used.
    pub(crate) fn leave(&self, company: CompanyId, mes: NaiveDate, counts: bool) -> u64 {
        let mut book = self.book();
        let company = book.companies.entry(company).or_default();
        company.in_flight = company.in_flight.saturating_sub(1);
        let month = company.month(mes);
        month.reserved = month.reserved.saturating_sub(1);
        if counts {
            month.count.add_one();
        }
        month.total()
    }

    /// Takes what the store does not have yet, and forgets what is over.
    pub(super) fn take(&self, now: DateTime<Utc>) -> Usage {
        let mut book = self.book();
        book.sweep(Period::of(now));
        let mut usage = Usage::default();
        for (&id, company) in &mut book.companies {
            for (suffix, minute) in &mut company.keys {
                let minuto = minute.minuto;
                usage.minutes.extend(minute.count.take().map(|usadas| {
                    let key = KeyId { company: id, suffix: suffix.clone() };
                    MinuteUse { key, minuto, usadas }
                }));
            }
            for month in &mut company.months {
                let mes = month.mes;
                usage.months.extend(month.count.take().map(|usadas| MonthUse { company: id, mes, usadas }));
            }
        }
        usage
    }

    /// `taken` is stored, and `total` is what that makes.
    pub(super) fn merged(&self, taken: &Usage, total: &Usage) {
        let mut book = self.book();
        book.each(taken, Count::merged);
        book.each(total, Count::learn);
    }

    /// `taken` is not stored: it waits for the next merge.
    pub(super) fn put_back(&self, taken: &Usage) {
        self.book().each(taken, Count::put_back);
    }

    /// A count under way is never left half done, so a poisoned lock holds nothing wrong.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Companies and keys held.
    #[cfg(test)]
    fn held(&self) -> (usize, usize) {
        let book = self.book();
        (book.companies.len(), book.companies.values().map(|company| company.keys.len()).sum())
    }
}

impl Ask<'_> {
    fn minute_known(&self) -> u64 {
        if self.known.period.minuto == self.period.minuto { self.known.minute } else { 0 }
    }

    fn month_known(&self) -> u64 {
        if self.known.period.mes == self.period.mes { self.known.month } else { 0 }
    }
}

impl Company {
    /// The minute's count of the key. A clock that was set back goes on counting in the later minute.
    fn minute(&mut self, ask: &Ask<'_>) -> &mut Minute {
        let fresh = || Minute { minuto: ask.period.minuto, count: Count::default() };
        let minute = self.keys.entry(ask.key.suffix.clone()).or_insert_with(fresh);
        if minute.minuto < ask.period.minuto {
            *minute = fresh();
        }
        minute.count.learn(ask.minute_known());
        minute
    }

    fn month(&mut self, mes: NaiveDate) -> &mut Month {
        let found = self.months.iter().position(|month| month.mes == mes);
        let at = found.unwrap_or_else(|| {
            self.months.push(Month { mes, count: Count::default(), reserved: 0 });
            self.months.len() - 1
        });
        &mut self.months[at]
    }

    fn is_idle(&self) -> bool {
        self.keys.is_empty() && self.in_flight == 0 && self.months.iter().all(Month::is_settled)
    }
}

impl Month {
    fn total(&self) -> u64 {
        self.count.total() + self.reserved
    }

    fn is_settled(&self) -> bool {
        self.count.is_settled() && self.reserved == 0
    }
}

impl Book {
    /// Does `step` with each count that `usage` names and that is still held.
    fn each(&mut self, usage: &Usage, step: fn(&mut Count, u64)) {
        for MinuteUse { key, minuto, usadas } in &usage.minutes {
            let company = self.companies.get_mut(&key.company);
            let minute = company.and_then(|company| company.keys.get_mut(&key.suffix));
            if let Some(minute) = minute.filter(|minute| minute.minuto == *minuto) {
                step(&mut minute.count, *usadas);
            }
        }
        for MonthUse { company, mes, usadas } in &usage.months {
            let company = self.companies.get_mut(company);
            let month = company.and_then(|company| company.months.iter_mut().find(|month| month.mes == *mes));
            if let Some(month) = month {
                step(&mut month.count, *usadas);
            }
        }
    }

    /// Forgets, once a minute, keys that were not used in this minute or the one before, months that are over, and companies
    /// without keys. What the store does not have yet stays. Whoever comes back was away for longer than keys are
    /// remembered, and brings what the store knows.
    fn sweep(&mut self, period: Period) {
        if self.swept == period.minuto {
            return;
        }
        self.swept = period.minuto;
        let before = period.minuto - TimeDelta::minutes(1);
        for company in self.companies.values_mut() {
            company.keys.retain(|_, minute| minute.minuto >= before);
            company.months.retain(|month| month.mes >= period.mes || !month.is_settled());
        }
        self.companies.retain(|_, company| !company.is_idle());
    }
}

#[cfg(test)]
mod tests;
