//! Statements with a time limit of their own, in case the server does not answer.

use std::io;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use tokio::time::{sleep, timeout};

use crate::error::Scope;
use crate::settings::IDLE_IN_TRANSACTION;

/// How far the transaction of a connection is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transaction {
    #[default]
    None,
    /// What begins it was sent.
    Open,
    /// A statement of it failed: the server takes nothing but its end, or a way back to a
    /// savepoint.
    Aborted,
    /// What ends it was sent too: it ends with the answer, whatever that is.
    Ending,
}

/// The state of a connection.
#[derive(Debug, Default)]
pub(super) struct Condition {
    /// A statement began and has not ended.
    pub(super) under_way: bool,
    pub(super) transaction: Transaction,
    /// A statement is being prepared in SQL; until the answer, nobody knows whether the server has
    /// it.
    pub(super) preparing: bool,
    /// The last failure.
    pub(super) worst: Scope,
    /// When the last statement of the transaction ended.
    rested: Option<Instant>,
    /// The server may have ended the session, because its transaction rested for too long.
    overslept: bool,
}

impl Condition {
    /// Whether the next statement can be sent.
    pub(super) fn is_clean(&self) -> bool {
        !self.is_under_way() && self.worst == Scope::Statement
    }

    /// Whether a statement or a transaction has not ended.
    pub(super) fn is_under_way(&self) -> bool {
        self.under_way || self.transaction != Transaction::None
    }

    fn began(&mut self) {
        self.under_way = true;
        let rested = self.rested.take().filter(|_| self.transaction != Transaction::None);
        self.overslept |= rested.is_some_and(|since| since.elapsed() >= IDLE_IN_TRANSACTION);
    }

    /// The statement ended. A session that the server ended because its transaction rested says
    /// nothing about the server.
    fn ended<T>(&mut self, outcome: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        self.under_way = false;
        self.rested = Some(Instant::now());
        self.transaction = match (self.transaction, &outcome) {
            (Transaction::Open, Err(sqlx::Error::Database(_))) => Transaction::Aborted,
            (Transaction::Aborted, Ok(_)) => Transaction::Open,
            (transaction, _) => transaction,
        };
        let Err(error) = outcome else { return outcome };
        let scope = Scope::of(&error);
        if self.overslept && scope == Scope::Server {
            self.worst = self.worst.max(Scope::Connection);
            return Err(sqlx::Error::Io(io::Error::other(Overslept(error))));
        }
        // What fails after its connection was lost says no more.
        if self.worst < Scope::Connection {
            self.worst = scope;
        }
        Err(error)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the transaction rested for more than {limit} s between two statements, which ends it: {0}", limit = IDLE_IN_TRANSACTION.as_secs())]
struct Overslept(sqlx::Error);

/// The outcome of a statement; an error if there is none within `limit`, after which the statement
/// counts as still running.
pub(super) async fn run<T>(
    condition: &mut Condition,
    limit: Duration,
    statement: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    condition.began();
    let outcome = timeout(limit, statement).await.map_err(|_| late())?;
    condition.ended(outcome)
}

/// The rows of a statement, with the same limit for all of them.
pub(super) fn rows<'e, T: 'e>(
    condition: &'e mut Condition,
    limit: Duration,
    mut rows: BoxStream<'e, Result<T, sqlx::Error>>,
) -> BoxStream<'e, Result<T, sqlx::Error>> {
    condition.began();
    let mut limit = Box::pin(sleep(limit));
    let mut failed = false;
    stream::poll_fn(move |cx| match rows.poll_next_unpin(cx) {
        Poll::Pending => limit.as_mut().poll(cx).map(|()| Some(Err(late()))),
        Poll::Ready(None) if failed => Poll::Ready(None),
        Poll::Ready(None) => Poll::Ready(condition.ended::<()>(Ok(())).err().map(Err)),
        Poll::Ready(Some(row)) if row.is_ok() => Poll::Ready(Some(row)),
        Poll::Ready(Some(row)) => {
            failed = true;
            Poll::Ready(Some(condition.ended(row)))
        }
    })
    .boxed()
}

#[derive(Debug, thiserror::Error)]
#[error("the database did not answer in time")]
struct Late;

fn late() -> sqlx::Error {
    sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, Late))
}

/// Whether a statement reached its limit here.
pub(crate) fn is_late(error: &sqlx::Error) -> bool {
    let sqlx::Error::Io(error) = error else { return false };
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Late>)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_ended_at_rest_says_nothing_about_the_server() {
        for (rest, worst, text) in [
            (IDLE_IN_TRANSACTION, Scope::Connection, "rested for more than 10 s"),
            (Duration::ZERO, Scope::Server, "broken pipe"),
        ] {
            let rested = Instant::now().checked_sub(rest);
            let mut condition = Condition { transaction: Transaction::Open, rested, ..Condition::default() };
            condition.began();
            let failed = condition.ended::<()>(Err(sqlx::Error::Io(io::ErrorKind::BrokenPipe.into())));
            assert_eq!(condition.worst, worst);
            assert!(failed.unwrap_err().to_string().contains(text), "{text}");
        }
    }
}
