//! A copy of the database that lists are read from.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::postgres::{PgArguments, PgConnectOptions, PgRow};
use sqlx::{Executor as _, SqlStr};
use svc_core::store::StoreError;
use tokio::time::{Instant, timeout};

use crate::database::Database;
use crate::error::store_error;
use crate::settings::Settings;

/// How long a read waits for a connection to the replica.
const CONNECT: Duration = Duration::from_millis(500);

/// How long a read may take there, all in all.
const ANSWER: Duration = Duration::from_secs(3);

/// How long the replica is left alone once it failed; then one read tries it again, and the others wait for what it finds.
const AWAY: Duration = Duration::from_secs(5);

/// How long a company that wrote reads what it wrote, from the primary.
const FRESH: Duration = Duration::from_secs(1);

/// Companies remembered as having written before those are looked for that may be forgotten.
const WRITERS: usize = 1_024;

/// A copy that follows the database, some time behind.
#[derive(Debug)]
pub(crate) struct Replica {
    database: Database,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Until when it is left alone.
    away: Option<Instant>,
    /// When companies wrote last.
    written: HashMap<i64, Instant>,
}

impl Replica {
    pub(crate) fn new(options: PgConnectOptions, settings: &Settings) -> Self {
        let mut settings = settings.clone();
        settings.acquire_timeout = settings.acquire_timeout.min(CONNECT);
        Self { database: Database::new(options, &settings), state: Mutex::default() }
    }

    /// What a statement of a company's yields; nothing if the primary is to be asked.
    pub(crate) async fn rows(&self, empresa: i64, sql: SqlStr, arguments: PgArguments) -> Option<Vec<PgRow>> {
        if !self.may_answer(empresa) {
            return None;
        }
        let read = (&self.database).fetch_all(sqlx::query_with(sql, arguments));
        let error = match timeout(ANSWER, read).await {
            Ok(Ok(rows)) => {
                self.state().away = None;
                return Some(rows);
            }
            Ok(Err(error)) => store_error(error),
            Err(late) => StoreError::Unavailable(late.into()),
        };
        // A read that was in the way of what the replica replays says nothing about the next.
        if !matches!(error, StoreError::Transient(_)) {
            tracing::warn!(%error, seconds = AWAY.as_secs(), "the replica failed; lists are read from the primary");
            self.state().away = Some(Instant::now() + AWAY);
        }
        None
    }

    /// Whether a read of this company may go here. Of those that find its time away over, one may: it takes as much time again
    /// for itself.
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

    pub(crate) async fn close(&self) {
        self.database.pool().close().await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
