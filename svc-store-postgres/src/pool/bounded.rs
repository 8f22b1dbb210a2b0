//! Statements with a time limit of their own, in case the server does not answer.

use std::io;
use std::task::Poll;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use tokio::time::{sleep, timeout};

use crate::error::Scope;

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

    fn ended<T>(&mut self, outcome: &Result<T, sqlx::Error>) {
        self.under_way = false;
        self.transaction = match (self.transaction, outcome) {
            (Transaction::Open, Err(sqlx::Error::Database(_))) => Transaction::Aborted,
            (Transaction::Aborted, Ok(_)) => Transaction::Open,
            (transaction, _) => transaction,
        };
        if let Err(error) = outcome {
            self.worst = self.worst.max(Scope::of(error));
        }
    }
}

/// The outcome of a statement; an error if there is none within `limit`, after which the statement
/// counts as still running.
pub(super) async fn run<T>(
    condition: &mut Condition,
    limit: Duration,
    statement: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    condition.under_way = true;
    let outcome = timeout(limit, statement).await.map_err(|_| late())?;
    condition.ended(&outcome);
    outcome
}

/// The rows of a statement, with the same limit for all of them.
pub(super) fn rows<'e, T: 'e>(
    condition: &'e mut Condition,
    limit: Duration,
    mut rows: BoxStream<'e, Result<T, sqlx::Error>>,
) -> BoxStream<'e, Result<T, sqlx::Error>> {
    condition.under_way = true;
    let mut limit = Box::pin(sleep(limit));
    let mut failed = false;
    stream::poll_fn(move |cx| match rows.poll_next_unpin(cx) {
        Poll::Pending => limit.as_mut().poll(cx).map(|()| Some(Err(late()))),
        Poll::Ready(None) => {
            if !failed {
                condition.ended(&Ok(()));
            }
            Poll::Ready(None)
        }
        Poll::Ready(Some(row)) => {
            if row.is_err() {
                failed = true;
                condition.ended(&row);
            }
            Poll::Ready(Some(row))
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
