//! Where statements run and how they are sent. Only this module knows whether there is a pooler.
//!
//! Everything else gets a [`Single`] or the [`Statements`](crate::pool::Statements) of a
//! transaction, never a connection, so that no statement is sent in another way or without a limit.

use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use sqlx::postgres::{PgConnectOptions, PgExecutor, PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{Describe, Either, Execute, Executor, Postgres, SqlStr};

use crate::pool::{Access, Connection, Pool, unprepared};
use crate::run::Run;
use crate::settings::Settings;

#[derive(Debug, Clone)]
pub(crate) struct Database {
    pool: Pool,
    /// Whether each single statement takes a transaction: without it, a pooler may send Parse and
    /// Execute to different connections.
    pooled: bool,
}

impl Database {
    pub(crate) fn new(options: PgConnectOptions, settings: &Settings, access: Access) -> Self {
        Self { pool: Pool::new(options, settings, access), pooled: settings.is_pooled() }
    }

    /// The same database with connections of its own; with these ones if `settings` allow none.
    pub(crate) fn apart(&self, options: PgConnectOptions, settings: &Settings) -> Self {
        if settings.max_connections == 0 { self.clone() } else { Self::new(options, settings, Access::Write) }
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    pub(crate) fn is_pooled(&self) -> bool {
        self.pooled
    }

    /// Runs a single statement of a company, in its own transaction behind a pooler.
    pub(crate) fn of(&self, company: i64) -> Single<'_> {
        Single { database: self, company: Some(company), limit: None }
    }

    /// Runs a single statement of the service.
    pub(crate) fn of_all(&self) -> Single<'_> {
        Single { database: self, company: None, limit: None }
    }

    /// Begins a transaction of the service.
    pub(crate) async fn begin_for_all(&self) -> Result<Connection, sqlx::Error> {
        self.of_all().begin().await
    }

    /// Begins a transaction of a company.
    pub(crate) async fn begin(&self, company: i64) -> Result<Connection, sqlx::Error> {
        self.of(company).begin().await
    }
}

impl Run for Connection {
    fn executor(&mut self) -> impl PgExecutor<'_> + Send {
        self.statements()
    }
}

/// Runs a single statement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Single<'d> {
    database: &'d Database,
    company: Option<i64>,
    /// A limit of its own.
    limit: Option<Duration>,
}

impl Single<'_> {
    /// With a lower limit than that of other statements.
    pub(crate) fn within(self, limit: Option<Duration>) -> Self {
        Self { limit, ..self }
    }

    async fn begin(self) -> Result<Connection, sqlx::Error> {
        let mut connection = self.acquire().await?;
        connection.begin();
        Ok(connection)
    }

    async fn acquire(self) -> Result<Connection, sqlx::Error> {
        let mut connection = self.database.pool.acquire(self.company).await?;
        if let Some(limit) = self.limit {
            connection.limit(limit);
        }
        Ok(connection)
    }

    async fn open(self) -> Result<Connection, sqlx::Error> {
        if self.database.pooled { self.begin().await } else { self.acquire().await }
    }

    async fn close(self, mut connection: Connection) -> Result<(), sqlx::Error> {
        if self.database.pooled { connection.commit().await } else { Ok(()) }
    }
}

impl Run for Single<'_> {
    fn executor(&mut self) -> impl PgExecutor<'_> + Send {
        *self
    }
}

impl<'d> Executor<'d> for Single<'d> {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'd: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let run = async move {
            let mut connection = self.open().await?;
            let done: Vec<_> = connection.statements().fetch_many(query).try_collect().await?;
            self.close(connection).await?;
            Ok::<_, sqlx::Error>(stream::iter(done.into_iter().map(Ok)))
        };
        stream::once(run).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'd: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let run = async move {
            let mut connection = self.open().await?;
            let row = connection.statements().fetch_optional(query).await?;
            self.close(connection).await?;
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
