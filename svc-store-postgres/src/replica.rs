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
use crate::pool::Access;
use crate::settings::Settings;

/// How long a read waits for a connection to the replica.
const CONNECT: Duration = Duration::from_millis(500);

/// How long a read may take there, all in all.
const ANSWER: Duration = Duration::from_secs(3);

/// How long the replica is not used after a failure; then one read tries it, while the others still go to the primary.
const AWAY: Duration = Duration::from_secs(5);

/// How long a company reads from the primary after a write, so that it sees what it wrote.
const FRESH: Duration = Duration::from_secs(1);

/// How many companies' writes are remembered before the expired ones are removed.
const WRITERS: usize = 1_024;

/// A replica, which lags behind the primary.
#[derive(Debug)]
pub(crate) struct Replica {
    database: Database,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Until when it is not used.
    away: Option<Instant>,
    /// The last write of each company.
    written: HashMap<i64, Instant>,
}

impl Replica {
    pub(crate) fn new(options: PgConnectOptions, settings: &Settings) -> Self {
        let mut settings = settings.clone();
        settings.acquire_timeout = settings.acquire_timeout.min(CONNECT);
        Self { database: Database::new(options, &settings, Access::Read), state: Mutex::default() }
    }

    /// The rows of a company's statement; `None` if it has to run on the primary.
    pub(crate) async fn rows(&self, empresa: i64, sql: SqlStr, arguments: PgArguments) -> Option<Vec<PgRow>> {
        if !self.may_answer(empresa) {
            return None;
        }
        let read = self.database.of(empresa).fetch_all(sqlx::query_with(sql, arguments));
        let error = match timeout(ANSWER, read).await {
            Ok(Ok(rows)) => {
                self.state().away = None;
                return Some(rows);
            }
            Ok(Err(error)) => store_error(error),
            Err(late) => StoreError::Unavailable(late.into()),
        };
        // A read cancelled by the replay of the WAL says nothing about the next.
        if !matches!(error, StoreError::Transient(_)) {
            tracing::warn!(%error, seconds = AWAY.as_secs(), "the replica failed; lists are read from the primary");
            self.state().away = Some(Instant::now() + AWAY);
        }
        None
    }

    /// Whether a read of this company may run here. After a failure one read tries again, and extends the time in which the
    /// others may not.
    fn may_answer(&self, empresa: i64) -> bool {
        let now = Instant::now();
        let mut state = self.state();
        if state.written.get(&empresa).is_some_and(|&at| now < at + FRESH) {
            return false;
        }
        match state.away {
            Some(until) if now < until => false,
            Some(_) => {
                state.away = Some(now + AWAY);
                true
            }
            None => true,
        }
    }

    /// Remembers that a company wrote just now.
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

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
