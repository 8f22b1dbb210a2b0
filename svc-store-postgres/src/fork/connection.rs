//! A connection for copies, on which a statement may take as long as it goes on.

use std::time::Duration;

use futures_util::stream::Stream;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgCopyIn, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection, PgExecutor, Postgres};
use tokio::time::timeout;

use super::ForkError;
use crate::run::Run;

/// How long no row and no answer may come.
pub(super) const STALLED: Duration = Duration::from_mins(1);

/// Set in each transaction, since a pooler keeps no session. Rows are found by the index that
/// begins with the company, however small the tables were when they were last counted.
const LIMITS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; \
                      SET LOCAL lock_timeout = '10s'; SET LOCAL enable_seqscan = off; SET LOCAL jit = off; \
                      SET LOCAL client_connection_check_interval = '10s'";

pub(super) struct ForkConnection(PgConnection);

impl Run for ForkConnection {
    fn executor(&mut self) -> impl PgExecutor<'_> + Send {
        &mut self.0
    }
}

impl ForkConnection {
    pub(super) async fn open(options: &PgConnectOptions) -> Result<Self, ForkError> {
        // A pooler refuses the driver's own parameter, which changes nothing in binary rows.
        let options = options.clone().application_name("svc fork").extra_float_digits(None);
        Ok(Self(timeout(STALLED, options.connect()).await.map_err(|_| ForkError::Stalled)??))
    }

    pub(super) async fn begin(&mut self) -> Result<(), ForkError> {
        self.run(&format!("BEGIN; {LIMITS}")).await
    }

    /// Begins a transaction that sees one moment throughout.
    pub(super) async fn begin_reading(&mut self) -> Result<(), ForkError> {
        self.run(&format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {LIMITS}")).await
    }

    pub(super) async fn commit(&mut self) -> Result<(), ForkError> {
        self.run("COMMIT").await
    }

    /// Takes a lock on a company until the end of the transaction; `false` if another has it.
    pub(super) async fn lock(&mut self, what: &str, company: i64) -> Result<bool, ForkError> {
        let lock = format!("SELECT pg_try_advisory_xact_lock(hashtextextended('{what} {company}', 0))");
        Ok(sqlx::query_scalar(AssertSqlSafe(lock)).persistent(false).fetch_one(&mut self.0).await?)
    }

    /// Runs statements without parameters.
    pub(super) async fn run(&mut self, statements: &str) -> Result<(), ForkError> {
        sqlx::raw_sql(AssertSqlSafe(statements)).execute(&mut self.0).await?;
        Ok(())
    }

    pub(super) async fn execute(&mut self, query: Query<'_, Postgres, PgArguments>) -> Result<(), ForkError> {
        self.0.execute(query).await?;
        Ok(())
    }

    /// Whether `statement` is true of a company, which is `$1`.
    pub(super) async fn asks(&mut self, statement: &'static str, company: i64) -> Result<bool, ForkError> {
        Ok(sqlx::query_scalar(statement).bind(company).persistent(false).fetch_one(&mut self.0).await?)
    }

    pub(super) async fn values(&mut self, statement: &'static str) -> Result<Vec<i64>, ForkError> {
        Ok(sqlx::query_scalar(statement).persistent(false).fetch_all(&mut self.0).await?)
    }

    /// Runs a statement that counts rows.
    pub(super) async fn count(&mut self, statement: &str) -> Result<u64, ForkError> {
        let count = sqlx::query_scalar(AssertSqlSafe(statement.to_owned())).persistent(false);
        let count: i64 = count.fetch_one(&mut self.0).await?;
        Ok(count.unsigned_abs())
    }

    pub(super) async fn rows(&mut self, statement: &'static str) -> Result<Vec<PgRow>, ForkError> {
        Ok(sqlx::query(statement).persistent(false).fetch_all(&mut self.0).await?)
    }

    /// Begins to read the rows of a statement `COPY … TO STDOUT`.
    pub(super) async fn copy_out<'c>(
        &'c mut self,
        statement: &'c str,
    ) -> Result<impl Stream<Item = Result<impl AsRef<[u8]>, sqlx::Error>> + Unpin, ForkError> {
        Ok(timeout(STALLED, self.0.copy_out_raw(statement)).await.map_err(|_| ForkError::Stalled)??)
    }

    /// Begins to write the rows of a statement `COPY … FROM STDIN`.
    pub(super) async fn copy_in<'c>(
        &'c mut self,
        statement: &'c str,
    ) -> Result<PgCopyIn<&'c mut PgConnection>, ForkError> {
        Ok(timeout(STALLED, self.0.copy_in_raw(statement)).await.map_err(|_| ForkError::Stalled)??)
    }

    /// Closes it, which ends its transaction in any state.
    pub(super) async fn close(self) {
        // A server that is gone has ended it already.
        let _ = timeout(STALLED, self.0.close()).await;
    }
}
