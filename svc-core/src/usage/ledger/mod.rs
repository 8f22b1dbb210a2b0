mod recent;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use self::recent::RecentRequests;
use super::count::Count;
use crate::domain::clock::CLOCK_TOLERANCE;
use crate::domain::company::CompanyId;
use crate::domain::quota::Period;
use crate::store::{KeyId, KnownUse, MinuteUse, MonthUse, Usage};

/// The usage known to this process: its own exactly, that of others as of the last merge.
///
/// Only valid keys are counted, so its size is bounded by the number of active keys, whatever an
/// attacker sends.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    companies: HashMap<CompanyId, CompanyUsage>,
    /// The minute in which expired counts were last removed.
    cleaned: DateTime<Utc>,
}

#[derive(Default)]
struct CompanyUsage {
    /// This month, and the one before until it is merged.
    months: Vec<Month>,
    /// How far the company's clock was ahead in its last request.
    desfase: TimeDelta,
    keys: HashMap<Box<str>, Minute>,
    in_flight: u32,
    requests: RecentRequests,
}

struct Month {
    mes: NaiveDate,
    count: Count,
    /// Requests in progress, which count against the quota until they end.
    reserved: u64,
    /// The quota of the last request.
    limit: u64,
}

struct Minute {
    minuto: DateTime<Utc>,
    count: Count,
    /// The limit of the last request.
    limit: u64,
}

/// Which counts a merge takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taking {
    /// All that are pending.
    All,
    /// Those of companies that others must know about now.
    Due,
}

/// A request that was admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Admitted {
    /// Whether other processes must know of it before it is answered.
    pub(crate) urgent: bool,
    /// What others had added to the minute.
    others: u64,
    /// What others had added to the month.
    month_others: u64,
}

/// A request to be admitted, and its limits.
#[derive(Clone, Copy)]
pub(crate) struct AdmissionRequest<'a> {
    pub(crate) key: &'a KeyId,
    /// The minute and the month in which it counts.
    pub(crate) period: Period,
    /// The usage in the store when the key was read.
    pub(crate) known: KnownUse,
    /// Requests per minute and key.
    pub(crate) rate: u64,
    /// Operations per month and company.
    pub(crate) quota: u64,
    /// How far the company's clock is ahead, by which `period` has its month.
    pub(crate) desfase: TimeDelta,
    /// Requests of the company in progress at the same time.
    pub(crate) in_flight: u32,
    /// Whether the limits of the minute and the month are enforced or only reported (contract §5).
    pub(crate) enforced: bool,
}

/// No limit that is enforced.
const NO_LIMIT: u64 = u64::MAX;

/// The usage, including the request if it was admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Figures {
    /// Requests of this minute.
    pub(crate) minute: u64,
    /// Operations of this month, including those in progress.
    pub(crate) month: u64,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The minute is used up.
    Rate,
    /// The month is used up.
    Quota,
    /// Too many requests are in progress.
    Busy,
}

impl Ledger {
    /// Admits or refuses a request, and counts it. The caller must call [`Ledger::release`] once
    /// for every admitted request.
    ///
    /// The minute counts what passes its own limit; the month reserves what passes all three.
    pub(crate) fn admit(&self, request: &AdmissionRequest<'_>) -> (Figures, Result<Admitted, Refusal>) {
        let mut counts = self.counts();
        let company = counts.companies.entry(request.key.company).or_default();
        company.desfase = request.desfase;
        company.requests.add_one(request.period.minuto);
        let minute = company.minute(request);
        let within_rate = minute.count.total() < request.rate;
        if within_rate || !request.enforced {
            minute.count.add_one();
        }
        let (urgent, others) = (minute.count.is_urgent(minute.limit), minute.count.others());
        let minute = minute.count.total();
        let in_flight = company.in_flight;
        let month = company.month(request.period.mes);
        month.limit = request.limit(request.quota);
        month.count.learn(request.month_known());
        let admitted = if !within_rate && request.enforced {
            Err(Refusal::Rate)
        } else if month.total() >= request.quota && request.enforced {
            Err(Refusal::Quota)
        } else if in_flight >= request.in_flight {
            Err(Refusal::Busy)
        } else {
            month.reserved += 1;
            Ok(Admitted { urgent: urgent || month.is_urgent(), others, month_others: month.count.others() })
        };
        let month = month.total();
        company.in_flight += u32::from(admitted.is_ok());
        (Figures { minute, month }, admitted)
    }

    /// The numbers of an admitted request in its minute and of its operation in its month: those of
    /// its admission (`used`), with what other processes were seen to add since.
    pub(crate) fn place(&self, request: &AdmissionRequest<'_>, admitted: Admitted, used: Figures) -> Figures {
        let counts = self.counts();
        let company = counts.companies.get(&request.key.company);
        let minute = company.and_then(|company| company.keys.get(&request.key.suffix));
        let minute = minute.filter(|minute| minute.minuto == request.period.minuto);
        let month = company.and_then(|company| company.months.iter().find(|month| month.mes == request.period.mes));
        let since = |count: Count, before| count.others().saturating_sub(before);
        Figures {
            minute: used.minute + minute.map_or(0, |minute| since(minute.count, admitted.others)),
            month: used.month + month.map_or(0, |month| since(month.count, admitted.month_others)),
        }
    }

    /// The usage so far, without counting the request.
    pub(crate) fn peek(&self, request: &AdmissionRequest<'_>) -> Figures {
        let counts = self.counts();
        let company = counts.companies.get(&request.key.company);
        let minute = company.and_then(|company| company.keys.get(&request.key.suffix));
        let minute = minute.filter(|minute| minute.minuto >= request.period.minuto);
        let month = company.and_then(|company| company.months.iter().find(|month| month.mes == request.period.mes));
        Figures {
            minute: minute.map_or(0, |minute| minute.count.total()).max(request.minute_known()),
            month: month.map_or(0, Month::total).max(request.month_known()),
        }
    }

    /// Ends an admitted request; `used` says whether it counts against the month. Returns the
    /// month's usage.
    pub(crate) fn release(&self, company: CompanyId, mes: NaiveDate, used: bool) -> u64 {
        let mut counts = self.counts();
        let company = counts.companies.entry(company).or_default();
        company.in_flight = company.in_flight.saturating_sub(1);
        let month = company.month(mes);
        month.reserved = month.reserved.saturating_sub(1);
        if used {
            month.count.add_one();
        }
        month.total()
    }

    /// The companies with the most requests in this minute and the one before, the busiest first,
    /// at most `max`; with each, how many requests this process has received since it began to
    /// count the company.
    pub(crate) fn busiest(&self, max: usize, now: DateTime<Utc>) -> Vec<(CompanyId, u64)> {
        let minuto = Period::of(now).minuto;
        let counts = self.counts();
        let lately = counts.companies.iter().map(|(&id, company)| {
            let requests = &company.requests;
            (Reverse(requests.lately(minuto)), id, requests.asked())
        });
        let mut companies: Vec<_> = lately.filter(|(Reverse(lately), ..)| *lately > 0).collect();
        // Requests do not wait for the sorting.
        drop(counts);
        companies.sort_unstable();
        companies.truncate(max);
        companies.into_iter().map(|(_, id, asked)| (id, asked)).collect()
    }

    /// Takes usage that is not stored yet, and removes expired counts.
    pub(super) fn take(&self, taking: Taking, now: DateTime<Utc>) -> Usage {
        let mut counts = self.counts();
        counts.remove_expired(Period::of(now));
        let mut usage = Usage::default();
        for (&id, company) in &mut counts.companies {
            if taking == Taking::Due && !company.is_due(now) {
                continue;
            }
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

    /// Records that `taken` is stored and that the totals are `total`.
    pub(super) fn merged(&self, taken: &Usage, total: &Usage) {
        let mut counts = self.counts();
        counts.each(taken, Count::merged);
        counts.each(total, Count::learn);
    }

    /// Returns `taken`, which could not be stored, for the next merge.
    pub(super) fn put_back(&self, taken: &Usage) {
        self.counts().each(taken, Count::put_back);
    }

    /// A panic under the lock leaves consistent counts, so poisoning is ignored.
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of companies and keys in memory.
    #[cfg(test)]
    fn held(&self) -> (usize, usize) {
        let counts = self.counts();
        (counts.companies.len(), counts.companies.values().map(|company| company.keys.len()).sum())
    }
}

impl AdmissionRequest<'_> {
    /// That limit, if it is enforced.
    fn limit(&self, limit: u64) -> u64 {
        if self.enforced { limit } else { NO_LIMIT }
    }

    fn minute_known(&self) -> u64 {
        if self.known.period.minuto == self.period.minuto { self.known.minute } else { 0 }
    }

    fn month_known(&self) -> u64 {
        if self.known.period.mes == self.period.mes { self.known.month } else { 0 }
    }
}

impl CompanyUsage {
    /// The key's count of the minute. If the clock was set back, the later minute continues to
    /// count, at most until the present one has ended.
    fn minute(&mut self, request: &AdmissionRequest<'_>) -> &mut Minute {
        let fresh = || Minute { minuto: request.period.minuto, count: Count::default(), limit: NO_LIMIT };
        let minute = self.keys.entry(request.key.suffix.clone()).or_insert_with(fresh);
        if minute.minuto < request.period.minuto {
            *minute = fresh();
        }
        minute.bring_back(request.period.minuto);
        minute.count.learn(request.minute_known());
        minute.limit = request.limit(request.rate);
        minute
    }

    fn month(&mut self, mes: NaiveDate) -> &mut Month {
        let found = self.months.iter().position(|month| month.mes == mes);
        let at = found.unwrap_or_else(|| {
            self.months.push(Month { mes, count: Count::default(), reserved: 0, limit: NO_LIMIT });
            self.months.len() - 1
        });
        &mut self.months[at]
    }

    /// Whether a merge at `now` takes its counts. All are asked, so that each grows older.
    fn is_due(&mut self, now: DateTime<Utc>) -> bool {
        let minutes = self.keys.values_mut().map(|minute| minute.count.is_due(minute.limit, now));
        let months = self.months.iter_mut().map(|month| month.count.is_due(month.limit, now));
        minutes.chain(months).fold(false, |any, due| any | due)
    }

    fn is_idle(&self) -> bool {
        self.keys.is_empty() && self.in_flight == 0 && self.months.iter().all(Month::is_stored)
    }
}

impl Minute {
    /// Makes a minute ahead of `present` the present one, with its count.
    ///
    /// One minute ahead is left alone: near a minute's end requests are counted out of order.
    fn bring_back(&mut self, present: DateTime<Utc>) {
        if self.minuto - present > CLOCK_TOLERANCE {
            self.minuto = present;
            self.count.end_merge();
        }
    }
}

impl Month {
    fn total(&self) -> u64 {
        self.count.total() + self.reserved
    }

    /// Whether the others must know now. Operations in progress leave less of the quota; they are
    /// merged once they end.
    fn is_urgent(&self) -> bool {
        self.count.is_urgent(self.limit.saturating_sub(self.reserved))
    }

    fn is_stored(&self) -> bool {
        self.count.is_stored() && self.reserved == 0
    }
}

impl Counts {
    /// Calls `step` for each count of `usage` that is still in memory.
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

    /// Once a minute, removes keys unused in this minute and the one before, past months and those
    /// ahead of the present, and companies without keys. Unmerged counts stay. A removed key that
    /// is used again starts from its stored usage.
    fn remove_expired(&mut self, period: Period) {
        if self.cleaned == period.minuto {
            return;
        }
        self.cleaned = period.minuto;
        let before = period.minuto - TimeDelta::minutes(1);
        for company in self.companies.values_mut() {
            company.keys.retain(|_, minute| {
                minute.bring_back(period.minuto);
                minute.minuto >= before
            });
            let present = Period::ahead(period.minuto, company.desfase).mes;
            let next = Period::ahead(period.minuto + CLOCK_TOLERANCE, company.desfase).mes;
            company.months.retain(|month| (present..=next).contains(&month.mes) || !month.is_stored());
        }
        self.companies.retain(|_, company| !company.is_idle());
    }
}

#[cfg(test)]
mod tests;
