//! Where statements run, and how they are sent: the only module that knows whether there is a pooler.
//!
//! Everything else is given a [`Database`] or the [`Statements`] of a transaction, never a pool or a connection, so no
//! statement is sent in another way.

use std::sync::Arc;

use futures_util::future::{self, BoxFuture};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use sqlx::postgres::{PgArguments, PgConnectOptions, PgCopyIn, PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{AssertSqlSafe, Describe, Either, Execute, Executor, PgConnection, PgPool, Postgres, SqlStr, Transaction};

use crate::settings::{Pooler, Settings};

/// A database with its connections. Each statement that runs on it is a transaction of its own.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    pool: PgPool,
    /// How a transaction begins behind a pooler. Each single statement takes one too: without it, the pooler may send Parse
    /// and Execute to different connections.
    begin: Option<Arc<str>>,
}

impl Database {
    pub(crate) fn new(options: PgConnectOptions, settings: &Settings) -> Self {
        let begin = match settings.pooler {
            Pooler::None => None,
            Pooler::Transaction => Some(settings.begin().into()),
        };
        Self { pool: settings.pool(options), begin }
    }

    /// Its connections, for what is not a statement of the store.
    pub(crate) fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Whether it is reached through a pooler.
    pub(crate) fn is_pooled(&self) -> bool {
        self.begin.is_some()
    }

    /// Begins a transaction; behind a pooler, with the settings that the session cannot hold.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
        match &self.begin {
            Some(begin) => self.pool.begin_with(AssertSqlSafe(begin.clone())).await,
            None => self.pool.begin().await,
        }
    }
}

impl<'d> Executor<'d> for &'d Database {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'd: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        if !self.is_pooled() {
            return self.pool.fetch_many(query);
        }
        let run = async move {
            let mut tx = self.begin().await?;
            let done: Vec<_> = tx.fetch_many(Unnamed(query)).try_collect().await?;
            tx.commit().await?;
            Ok::<_, sqlx::Error>(stream::iter(done.into_iter().map(Ok)))
        };
        stream::once(run).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'd: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        if !self.is_pooled() {
            return self.pool.fetch_optional(query);
        }
        let run = async move {
            let mut tx = self.begin().await?;
            let row = tx.fetch_optional(Unnamed(query)).await?;
            tx.commit().await?;
            Ok(row)
        };
        run.boxed()
    }

    fn prepare_with<'e>(self, _: SqlStr, _: &'e [PgTypeInfo]) -> BoxFuture<'e, Result<PgStatement, sqlx::Error>>
    where
        'd: 'e,
    {
        unprepared()
    }

    fn describe<'e>(self, _: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, sqlx::Error>>
    where
        'd: 'e,
    {
        unprepared()
    }
}

/// Where the statements of a transaction run.
#[derive(Debug)]
pub(crate) struct Statements<'c> {
    connection: &'c mut PgConnection,
    /// Whether they may be kept on the connection under a name.
    named: bool,
}

impl<'c> Statements<'c> {
    pub(crate) fn new(connection: &'c mut PgConnection, named: bool) -> Self {
        Self { connection, named }
    }

    /// Begins a COPY.
    pub(crate) async fn copy(self, statement: &str) -> Result<PgCopyIn<&'c mut PgConnection>, sqlx::Error> {
        self.connection.copy_in_raw(statement).await
    }
}

impl<'c> Executor<'c> for Statements<'c> {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        if self.named { self.connection.fetch_many(query) } else { self.connection.fetch_many(Unnamed(query)) }
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        if self.named { self.connection.fetch_optional(query) } else { self.connection.fetch_optional(Unnamed(query)) }
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

/// An unnamed statement: the connection goes to another client afterwards, so nothing may stay prepared on it.
struct Unnamed<E>(E);

impl<'q, E: Execute<'q, Postgres>> Execute<'q, Postgres> for Unnamed<E> {
    fn sql(self) -> SqlStr {
        self.0.sql()
    }

    fn statement(&self) -> Option<&PgStatement> {
        self.0.statement()
    }

    fn take_arguments(&mut self) -> Result<Option<PgArguments>, sqlx::error::BoxDynError> {
        self.0.take_arguments()
    }

    fn persistent(&self) -> bool {
        false
    }
}

/// Statements are not prepared ahead: behind a pooler a prepared statement is lost with the transaction.
fn unprepared<'e, T: Send + 'e>() -> BoxFuture<'e, Result<T, sqlx::Error>> {
    let error = sqlx::Error::Protocol("statements are not prepared apart from being run".to_owned());
    future::ready(Err(error)).boxed()
}
