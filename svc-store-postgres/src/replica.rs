//! The read replica that lists are read from.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::postgres::{PgArguments, PgConnectOptions, PgRow};
use sqlx::{Executor as _, SqlStr};
use svc_core::store::StoreError;
use tokio::time::{Instant, timeout};

use crate::database::Database;
use crate::error::store_error;
use crate::pool::{Access, is_late};
use crate::settings::Settings;

/// How long a read waits for a connection to the replica.
const CONNECT: Duration = Duration::from_millis(500);

/// The time limit of a read from the replica, connecting included.
const ANSWER: Duration = Duration::from_secs(3);

/// How long the replica is not used after a failure; then one read tries it while the others still
/// go to the primary. A slow read affects only its company, unless another company's was slow too
/// and none has succeeded since.
const AWAY: Duration = Duration::from_secs(5);

/// How long a company reads from the primary after a write, so that it sees its own writes.
const FRESH: Duration = Duration::from_secs(1);

/// How many companies' writes are remembered before the expired ones are removed.
const WRITERS: usize = 1_024;

/// A replica, which lags behind the primary.
#[derive(Debug)]
pub(crate) struct Replica {
    database: Database,
    state: Mutex<ReplicaState>,
}

#[derive(Debug, Default)]
struct ReplicaState {
    /// The time until which it is not used.
    away: Option<Instant>,
    /// The time until which it is not used for a company whose last read there was too slow.
    slow: HashMap<i64, Instant>,
    /// When it last answered.
    answered: Option<Instant>,
    /// The last write of each company.
    written: HashMap<i64, Instant>,
}

impl ReplicaState {
    /// Whether a company's read may use the replica. After a failure one read tries it again, and
    /// postpones the next try of the others.
    fn may_answer(&mut self, empresa: i64, now: Instant) -> bool {
        if self.written.get(&empresa).is_some_and(|&at| now < at + FRESH)
            || self.slow.get(&empresa).is_some_and(|&until| now < until)
        {
            return false;
        }
        match self.away {
            Some(until) if now < until => false,
            Some(_) => {
                self.away = Some(now + AWAY);
                true
            }
            None => true,
        }
    }

    fn answered(&mut self, empresa: i64, now: Instant) {
        self.away = None;
        self.slow.remove(&empresa);
        self.answered = Some(now);
    }

    fn failed(&mut self, now: Instant) {
        self.away = Some(now + AWAY);
    }

    /// Records a slow read of this company; returns whether the replica is now unused for all
    /// companies.
    fn too_slow(&mut self, empresa: i64, now: Instant) -> bool {
        let until = now + AWAY;
        self.slow.retain(|_, slow| now < *slow);
        let answered = self.answered;
        let others = self.slow.iter().any(|(&of, &slow)| of != empresa && answered.is_none_or(|at| at + AWAY < slow));
        self.slow.insert(empresa, until);
        if others {
            self.failed(now);
        }
        others
    }
}

impl Replica {
    pub(crate) fn new(options: PgConnectOptions, settings: &Settings) -> Self {
        let mut settings = settings.clone();
        settings.acquire_timeout = settings.acquire_timeout.min(CONNECT);
        Self { database: Database::new(options, &settings, Access::Read), state: Mutex::default() }
    }

    /// Returns the rows of a company's statement; `None` if it must run on the primary. A search
    /// that reaches its limit ends here: the primary would take as long, and the replica is fine.
    pub(crate) async fn rows(
        &self,
        empresa: i64,
        sql: SqlStr,
        arguments: PgArguments,
        search: Option<Duration>,
    ) -> Result<Option<Vec<PgRow>>, StoreError> {
        if !self.may_answer(empresa) {
            return Ok(None);
        }
        let query = sqlx::query_with(sql, arguments).persistent(false);
        let read = self.database.of(empresa).within(search).fetch_all(query);
        // Room for a connection before a search.
        let answer = search.map_or(ANSWER, |limit| limit + 2 * CONNECT);
        let (error, slow) = match timeout(answer, read).await {
            Ok(Ok(rows)) => {
                self.state().answered(empresa, Instant::now());
                return Ok(Some(rows));
            }
            Ok(Err(error)) if search.is_some() && is_late(&error) => return Err(StoreError::SearchTooLong),
            // Waiting for the company's share of connections and being cancelled count as slow.
            Ok(Err(error)) => {
                let slow = matches!(error, sqlx::Error::PoolTimedOut) || is_cancelled(&error);
                (store_error(error), slow)
            }
            Err(late) => (StoreError::Unavailable(late.into()), true),
        };
        // A read cancelled by the replay of the WAL does not predict the next.
        if matches!(error, StoreError::Transient(_)) {
            return Ok(None);
        }
        let all = if slow { self.state().too_slow(empresa, Instant::now()) } else { true };
        if all {
            self.state().failed(Instant::now());
            tracing::warn!(%error, seconds = AWAY.as_secs(), "the replica failed; lists are read from the primary");
        } else {
            tracing::warn!(%error, empresa, seconds = AWAY.as_secs(), "the replica took too long; the company's lists are read from the primary");
        }
        Ok(None)
    }

    fn may_answer(&self, empresa: i64) -> bool {
        self.state().may_answer(empresa, Instant::now())
    }

    /// Records that a company wrote just now.
    pub(crate) fn written(&self, empresa: i64) {
        let now = Instant::now();
        let mut state = self.state();
        if state.written.len() >= WRITERS {
            state.written.retain(|_, at| now < *at + FRESH);
        }
        state.written.insert(empresa, now);
    }

    pub(crate) fn options(&self) -> &PgConnectOptions {
        self.database.pool().options()
    }

    pub(crate) async fn close(&self) {
        self.database.pool().close().await;
    }

    fn state(&self) -> MutexGuard<'_, ReplicaState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the replica cancelled a slow statement.
fn is_cancelled(error: &sqlx::Error) -> bool {
    // query_canceled
    error.as_database_error().and_then(sqlx::error::DatabaseError::code).is_some_and(|code| code == "57014")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_read_takes_the_replica_from_its_company_alone() {
        let (mut state, now) = (ReplicaState::default(), Instant::now());
        assert!(!state.too_slow(1, now));
        assert!(!state.may_answer(1, now + AWAY / 2) && state.may_answer(2, now));
        state.answered(2, now + AWAY / 4);
        assert!(!state.too_slow(3, now + AWAY / 2), "it has answered since");
        assert!(state.may_answer(2, now + AWAY / 2));
        assert!(state.may_answer(1, now + AWAY));
    }

    #[test]
    fn a_replica_that_answers_nobody_is_left_alone() {
        let (mut state, now) = (ReplicaState::default(), Instant::now());
        state.answered(2, now);
        assert!(!state.too_slow(1, now + AWAY / 4));
        assert!(state.too_slow(3, now + AWAY / 2));
        assert!(!state.may_answer(2, now + AWAY / 2));
        let again = now + AWAY * 2;
        assert!(state.may_answer(2, again) && !state.may_answer(4, again), "one tries");
        state.answered(2, again);
        assert!(state.may_answer(4, again));
    }
}
