//! Results of attempts that wait to be written, by company. No I/O.

use std::collections::{HashMap, VecDeque};

use crate::domain::company::CompanyId;
use crate::store::AttemptRecord;

/// How often writing a company's results is attempted.
const ATTEMPTS: u32 = 2;

/// The results of a company's attempts, in their order.
pub(super) struct CompanyResults {
    pub(super) company: CompanyId,
    pub(super) records: Vec<AttemptRecord>,
    /// Whether it waits no longer.
    overdue: bool,
    /// Attempts to write it.
    attempts: u32,
}

/// The results of all companies.
#[derive(Default)]
pub(super) struct Results {
    waiting: HashMap<CompanyId, CompanyResults>,
    /// The companies of `waiting`, those first that have waited for longest.
    order: VecDeque<CompanyId>,
    unwritten: usize,
}

impl Results {
    pub(super) fn push(&mut self, company: CompanyId, record: AttemptRecord) {
        let batch = self.waiting.entry(company).or_insert_with(|| {
            self.order.push_back(company);
            CompanyResults { company, records: Vec::new(), overdue: false, attempts: 0 }
        });
        batch.records.push(record);
        self.unwritten += 1;
    }

    /// How many wait or are being written.
    pub(super) const fn unwritten(&self) -> usize {
        self.unwritten
    }

    /// The most results that a company has waiting, among those that are `free`.
    pub(super) fn max(&self, free: impl Fn(CompanyId) -> bool) -> usize {
        let of = self.waiting.values().filter(|batch| free(batch.company));
        of.map(|batch| batch.records.len()).max().unwrap_or(0)
    }

    /// Makes all waiting results ready to be written.
    pub(super) fn hurry(&mut self) {
        self.waiting.values_mut().for_each(|batch| batch.overdue = true);
    }

    /// Takes the first company's results that are overdue or `ready`, which gets the company and
    /// their number. Only companies that are `free` are considered.
    pub(super) fn take(
        &mut self,
        free: impl Fn(CompanyId) -> bool,
        ready: impl Fn(CompanyId, usize) -> bool,
    ) -> Option<CompanyResults> {
        let is_next = |&&company: &&CompanyId| {
            let batch = self.waiting.get(&company);
            free(company) && batch.is_some_and(|batch| batch.overdue || ready(company, batch.records.len()))
        };
        let company = *self.order.iter().find(is_next)?;
        self.take_of(company)
    }

    /// Takes a company's results, if there are any.
    pub(super) fn take_of(&mut self, company: CompanyId) -> Option<CompanyResults> {
        let batch = self.waiting.remove(&company)?;
        self.order.retain(|&of| of != company);
        Some(CompanyResults { attempts: batch.attempts + 1, ..batch })
    }

    /// Ends the writing of a batch.
    pub(super) fn done(&mut self, batch: &CompanyResults) {
        self.unwritten -= batch.records.len();
    }

    /// Records that writing a batch failed. Returns `false` if the batch is given up: its
    /// deliveries are then repeated when their leases end.
    pub(super) fn failed(&mut self, mut batch: CompanyResults) -> bool {
        if batch.attempts >= ATTEMPTS {
            self.done(&batch);
            return false;
        }
        if let Some(later) = self.waiting.remove(&batch.company) {
            batch.records.extend(later.records);
        } else {
            self.order.push_back(batch.company);
        }
        batch.overdue = true;
        self.waiting.insert(batch.company, batch);
        true
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn record(clave: i64) -> AttemptRecord {
        AttemptRecord { clave, webhook: 1, token: Uuid::nil(), attempt: None }
    }

    fn claves(batch: &CompanyResults) -> Vec<i64> {
        batch.records.iter().map(|record| record.clave).collect()
    }

    #[test]
    fn results_are_written_company_by_company_in_their_order() {
        let mut results = Results::default();
        for (company, clave) in [(1, 1), (2, 2), (1, 3)] {
            results.push(CompanyId(company), record(clave));
        }
        assert!(results.take(|_| true, |_, count| count > 2).is_none());
        results.hurry();
        let first = results.take(|_| true, |_, count| count > 2).unwrap();
        assert_eq!((first.company, claves(&first)), (CompanyId(1), vec![1, 3]));
        results.push(CompanyId(1), record(4));
        let second = results.take(|company| company != CompanyId(1), |_, _| true).unwrap();
        assert_eq!((second.company, results.unwritten()), (CompanyId(2), 4));
        assert!(results.take(|company| company != CompanyId(1), |_, _| true).is_none(), "the first is not free");
        results.done(&second);
        assert!(results.failed(first));
        let again = results.take(|_| true, |_, _| false).unwrap();
        assert_eq!(claves(&again), [1, 3, 4]);
        assert!(!results.failed(again), "given up");
        assert_eq!(results.unwritten(), 0);
    }
}
