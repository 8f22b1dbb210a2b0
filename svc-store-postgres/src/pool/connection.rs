//! A connection in use.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{self, BoxFuture};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use sqlx::postgres::{PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{AssertSqlSafe, Connection as _, Describe, Either, Execute, Executor, PgConnection, Postgres, SqlStr};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

use super::bounded::{self, Condition, Transaction};
use super::prepared::{Sent, Shapes};
use super::shares::Place;
use super::statement::Statement;
use super::{Inner, Live};
use crate::error::Scope;
use crate::settings::CLIENT_CHECK;

/// How much longer than the server's own limit a statement may take before its connection is
/// abandoned.
const GRACE: Duration = Duration::from_secs(1);

/// A connection in use. On drop it returns to its pool. A running statement or transaction is ended
/// first; if that takes more than a moment, the connection is closed.
pub(crate) struct Connection {
    /// None after the drop.
    live: Option<Live>,
    pool: Arc<Inner>,
    place: Option<Place>,
    condition: Condition,
    /// A transaction begins with the next statement.
    to_begin: bool,
    /// The limit of each statement.
    limit: Duration,
}

impl Connection {
    pub(super) fn new(live: Live, pool: Arc<Inner>, place: Place) -> Self {
        let limit = pool.settings.statement_timeout.saturating_add(GRACE);
        Self { live: Some(live), pool, place: Some(place), condition: Condition::default(), to_begin: false, limit }
    }

    /// Lowers the limit of its statements. One that reaches it is abandoned, and the server ends it
    /// once it notices.
    pub(crate) fn limit(&mut self, limit: Duration) {
        self.limit = self.limit.min(limit);
    }

    pub(crate) fn statements(&mut self) -> Statements<'_> {
        Statements(self)
    }

    /// Begins a transaction with the next statement; behind a pooler, with the settings that its
    /// sessions do not keep.
    pub(crate) fn begin(&mut self) {
        self.to_begin = true;
    }

    /// Whether a statement of the transaction failed, so that PostgreSQL would answer COMMIT by
    /// rolling back, without an error.
    pub(crate) fn is_aborted(&self) -> bool {
        self.condition.transaction == Transaction::Aborted
    }

    /// Commits the transaction. After an error it is unknown whether it was committed.
    pub(crate) async fn commit(&mut self) -> Result<(), sqlx::Error> {
        self.end("COMMIT").await
    }

    /// Rolls the transaction back.
    pub(crate) async fn rollback(&mut self) -> Result<(), sqlx::Error> {
        self.end("ROLLBACK").await
    }

    async fn end(&mut self, statement: &'static str) -> Result<(), sqlx::Error> {
        if std::mem::take(&mut self.to_begin) {
            return Ok(());
        }
        self.statements().ready().await?;
        self.condition.transaction = Transaction::Ending;
        self.statements().control(statement.into()).await?;
        self.condition.transaction = Transaction::None;
        Ok(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let Some(live) = self.live.take() else { return };
        if self.condition.is_clean() {
            return self.pool.give_back(live);
        }
        if self.condition.worst == Scope::Server {
            self.pool.evict();
        }
        if self.condition.is_under_way()
            && let (Some(place), Ok(runtime)) = (self.place.take(), Handle::try_current())
        {
            runtime.spawn(recover(live, Arc::clone(&self.pool), place, std::mem::take(&mut self.condition)));
        }
    }
}

/// Ends the running statement of an abandoned request and keeps the place until then, so that
/// hanging up causes no more work than waiting. Most statements end in a moment, which is cheaper
/// than a new connection.
async fn recover(mut live: Live, pool: Arc<Inner>, place: Place, condition: Condition) {
    let is_known = condition.worst == Scope::Statement && !condition.preparing;
    // A ROLLBACK without a transaction would be a warning in the server's log.
    let is_open = matches!(condition.transaction, Transaction::Open | Transaction::Aborted);
    let has_ended = is_known && matches!(timeout(CLIENT_CHECK, live.reset(is_open)).await, Ok(Ok(())));
    if has_ended {
        pool.give_back(live);
    } else {
        drop(live);
        // The server may still be working until it sees that the connection is closed.
        sleep(CLIENT_CHECK * 2).await;
    }
    drop(place);
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("condition", &self.condition).finish_non_exhaustive()
    }
}

/// Runs statements on a connection in use, each within a limit.
#[derive(Debug)]
pub(crate) struct Statements<'c>(&'c mut Connection);

/// The connection that a statement needs.
struct Parts<'c> {
    connection: &'c mut PgConnection,
    condition: &'c mut Condition,
    limit: Duration,
    /// The varying statements that stay prepared; none where nothing may.
    shapes: Option<&'c mut Shapes>,
}

impl<'c> Statements<'c> {
    /// Runs `COPY … FROM STDIN` with these rows.
    pub(crate) async fn copy(self, statement: &str, rows: &[u8]) -> Result<(), sqlx::Error> {
        let Parts { connection, condition, limit, .. } = self.begun().await?;
        let copy = async {
            let mut copy = connection.copy_in_raw(statement).await?;
            copy.send(rows).await?;
            copy.finish().await.map(|_| ())
        };
        bounded::run(condition, limit, copy).await
    }

    /// Runs statements with these values, written as SQL, for their parameters; returns the number
    /// of rows that they wrote or found. They go to the server in one message, together with the
    /// BEGIN of their transaction.
    pub(crate) async fn run_with_begin(
        mut self,
        statements: &[(&'static Statement, &[String])],
    ) -> Result<u64, sqlx::Error> {
        let mut texts = Vec::new();
        for (statement, values) in statements {
            if self.0.pool.settings.is_pooled() {
                texts.push(statement.with(values));
            } else {
                self.ensure_prepared(statement).await?;
                texts.push(statement.execute(values));
            }
        }
        self.ready().await?;
        if let Some(begin) = self.beginning() {
            texts.insert(0, begin.to_string());
        }
        self.control(texts.join("; ").into()).await
    }

    /// Prepares it on this connection, for as long as that is open.
    async fn ensure_prepared(&mut self, statement: &'static Statement) -> Result<(), sqlx::Error> {
        let is_prepared = |live: &Live| live.prepared.contains(&statement.name);
        if !self.0.live.as_ref().is_some_and(is_prepared) {
            self.0.condition.preparing = true;
            Statements(&mut *self.0).control(statement.prepare().into()).await?;
            self.0.condition.preparing = false;
            self.0.live.as_mut().ok_or(sqlx::Error::PoolClosed)?.prepared.push(statement.name);
        }
        Ok(())
    }

    /// Runs statements without parameters, such as those that begin or end a transaction.
    async fn control(self, statement: Arc<str>) -> Result<u64, sqlx::Error> {
        let Parts { connection, condition, limit, .. } = self.parts()?;
        let control = sqlx::raw_sql(AssertSqlSafe(statement)).execute(connection);
        bounded::run(condition, limit, control).await.map(|done| done.rows_affected())
    }

    /// Reads the end of the answer before, which may still be on its way. After it, a statement is
    /// sent when it is first polled: dropped at any time, it has been sent or has not begun.
    async fn ready(&mut self) -> Result<(), sqlx::Error> {
        let Parts { connection, condition, limit, .. } = Statements(&mut *self.0).parts()?;
        bounded::run(condition, limit, connection.flush()).await
    }

    /// The statements that begin the transaction, if they are still to be sent. Only where
    /// [`Statements::ready`] came before.
    fn beginning(&mut self) -> Option<Arc<str>> {
        let Connection { pool, condition, to_begin, .. } = &mut *self.0;
        std::mem::take(to_begin).then(|| {
            condition.transaction = Transaction::Open;
            pool.begin.clone()
        })
    }

    /// The connection of a statement, once its transaction has begun.
    async fn begun(mut self) -> Result<Parts<'c>, sqlx::Error> {
        if self.0.to_begin {
            self.ready().await?;
        }
        if let Some(begin) = self.beginning() {
            Statements(&mut *self.0).control(begin).await?;
        }
        self.parts()
    }

    fn parts(self) -> Result<Parts<'c>, sqlx::Error> {
        let Connection { live, pool, condition, limit, .. } = self.0;
        let Live { connection, shapes, .. } = live.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        Ok(Parts { connection, condition, limit: *limit, shapes: (!pool.settings.is_pooled()).then_some(shapes) })
    }
}

impl<'c> Executor<'c> for Statements<'c> {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let rows = async move {
            let Parts { connection, condition, limit, shapes } = self.begun().await?;
            let rows = connection.fetch_many(Sent::new(query, shapes)?);
            Ok::<_, sqlx::Error>(bounded::rows(condition, limit, rows))
        };
        stream::once(rows).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let row = async move {
            let Parts { connection, condition, limit, shapes } = self.begun().await?;
            let row = connection.fetch_optional(Sent::new(query, shapes)?);
            bounded::run(condition, limit, row).await
        };
        row.boxed()
    }

    fn prepare_with<'e>(self, _: SqlStr, _: &'e [PgTypeInfo]) -> BoxFuture<'e, Result<PgStatement, sqlx::Error>>
    where
        'c: 'e,
    {
        unprepared()
    }

    fn describe<'e>(self, _: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, sqlx::Error>>
    where
        'c: 'e,
    {
        unprepared()
    }
}

/// Statements are not prepared ahead: behind a pooler a prepared statement is lost with the
/// transaction.
pub(crate) fn unprepared<'e, T: Send + 'e>() -> BoxFuture<'e, Result<T, sqlx::Error>> {
    let error = sqlx::Error::Protocol("statements are not prepared apart from being run".to_owned());
    future::ready(Err(error)).boxed()
}
