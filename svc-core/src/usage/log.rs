//! The log of requests: kept in memory until it is written, a company's share of it bounded.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::timeout;

use crate::domain::company::CompanyId;
use crate::observe;
use crate::store::{LoggedRequest, Store};

/// The requests that wait to be written.
const WAITING: usize = 20_000;

/// How many of them may belong to one company, so that none fills the log or takes all of its time.
const SHARE: usize = 1_000;

/// Requests a transaction.
const BATCH: usize = 5_000;

/// How long writing a batch may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// The requests that are not written yet.
#[derive(Debug, Default)]
pub(crate) struct RequestLog(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    requests: Vec<LoggedRequest>,
    by_company: HashMap<CompanyId, usize>,
}

/// Locks; a panic leaves nothing behind that the next could not use.
fn lock(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RequestLog {
    /// Keeps a request, or counts it as lost if too many wait.
    pub(crate) fn add(&self, request: LoggedRequest) {
        let mut waiting = lock(&self.0);
        let is_full = waiting.requests.len() >= WAITING;
        let share = waiting.by_company.entry(request.company).or_default();
        if is_full || *share >= SHARE {
            drop(waiting);
            observe::requests_not_logged(1);
            return;
        }
        *share += 1;
        waiting.requests.push(request);
    }

    /// Writes what waits, company by company. What cannot be written is lost and counted: a log is
    /// not worth holding up anything.
    pub(crate) async fn write(&self, store: &dyn Store) {
        let mut requests = std::mem::take(&mut *lock(&self.0)).requests;
        requests.sort_by_key(|request| request.company);
        for batch in requests.chunks(BATCH) {
            let failure = match timeout(PATIENCE, store.log_requests(batch)).await {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => error.to_string(),
                Err(late) => late.to_string(),
            };
            observe::requests_not_logged(batch.len() as u64);
            tracing::warn!(failure, lost = batch.len(), "requests could not be logged");
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn request(company: i64) -> LoggedRequest {
        LoggedRequest {
            company: CompanyId(company),
            peticion: String::new(),
            fecha: DateTime::UNIX_EPOCH,
            metodo: "GET".to_owned(),
            ruta: "/clientes".to_owned(),
            estado: 200,
            codigo: None,
            microsegundos: 1,
            llave: None,
            direccion: None,
        }
    }

    #[test]
    fn a_company_cannot_fill_the_log() {
        let log = RequestLog::default();
        for _ in 0..2 * SHARE {
            log.add(request(1));
        }
        log.add(request(2));
        let waiting = lock(&log.0);
        let of = |company| waiting.requests.iter().filter(|one| one.company == CompanyId(company)).count();
        assert_eq!((of(1), of(2)), (SHARE, 1));
    }

    #[test]
    fn no_more_wait_than_fit() {
        let log = RequestLog::default();
        for at in 0..2 * WAITING {
            log.add(request((at / 100) as i64));
        }
        assert_eq!(lock(&log.0).requests.len(), WAITING);
    }
}
