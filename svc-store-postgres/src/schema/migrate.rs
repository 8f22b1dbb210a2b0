//! Runs migrations while servers answer.

use std::pin::pin;
use std::time::Duration;

use sqlx::error::DatabaseError;
use sqlx::migrate::{Migrate as _, MigrateError, Migration, Migrator};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection};
use tokio::time::{Instant, sleep, timeout};

use super::OpenError;
use super::distribute::{has_engine, is_distributed, rest};
use super::history::History;
use crate::settings::Settings;

/// The advisory lock of migrating processes: any number that nothing else locks.
const LOCK: i64 = 0x7376_635f_6d69_6772;

/// How often the lock is tried.
const LOCK_INTERVAL: Duration = Duration::from_millis(250);

/// The pauses between attempts at a migration.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// How long a migration takes before it is reported: usually all are done sooner.
const REPORTED_AFTER: Duration = Duration::from_secs(2);

/// How often it is reported from then on.
const REPORTED_EVERY: Duration = Duration::from_secs(30);

/// PostgreSQL's temporary errors: `lock_not_available` and `deadlock_detected`.
const CONTENDED: [&str; 2] = ["55P03", "40P01"];

/// The longest wait for the table of the history, which holds nothing that takes longer.
const HISTORY_PATIENCE: Duration = Duration::from_mins(1);

/// How long migrations wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// For one lock, before others may pass.
    lock: Duration,
    /// For all locks of one migration, and for another migrating process.
    total: Duration,
}

impl Patience {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self { lock: settings.migration_lock_timeout, total: settings.migration_patience }
    }
}

/// Called with the number of migrations applied so far, and with that of all pending ones.
pub(crate) type MigrationProgress<'p> = &'p mut (dyn FnMut(u64, u64) + Send);

/// Applies the pending migrations of `migrator`; returns their number.
pub(crate) async fn migrate(
    options: &PgConnectOptions,
    migrator: &Migrator,
    patience: Patience,
    progress: MigrationProgress<'_>,
) -> Result<u64, OpenError> {
    alone(options, patience, async |connection| run(connection, migrator, patience, progress).await).await
}

/// Distributes the remaining tables; returns their number.
pub(crate) async fn distribute(options: &PgConnectOptions, patience: Patience) -> Result<u64, OpenError> {
    alone(options, patience, async |connection| {
        if !has_engine(connection).await? {
            return Err(OpenError::NoEngine);
        }
        Ok(rest(connection).await?)
    })
    .await
}

/// Runs `work` while no other process migrates, on its own connection, without a limit on
/// statements.
async fn alone(
    options: &PgConnectOptions,
    patience: Patience,
    work: impl AsyncFnOnce(&mut PgConnection) -> Result<u64, OpenError>,
) -> Result<u64, OpenError> {
    let mut connection = connect(options).await?;
    let outcome = match lock(&mut connection, patience.total).await {
        Ok(()) => work(&mut connection).await,
        Err(error) => Err(error),
    };
    // The lock belongs to the session and ends with it.
    let closed = connection.close().await;
    let done = outcome?;
    closed?;
    Ok(done)
}

async fn connect(options: &PgConnectOptions) -> Result<PgConnection, sqlx::Error> {
    let mut connection = options.clone().application_name("svc migrate").connect().await?;
    sqlx::raw_sql("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
        .execute(&mut connection)
        .await?;
    // If this process dies, its long statement ends soon after.
    if let Err(error) = connection.execute("SET client_connection_check_interval = '10s'").await {
        // PostgreSQL supports it on most operating systems.
        tracing::debug!(%error, "the database does not watch its clients' connections");
    }
    Ok(connection)
}

/// Attempts at reading the history, whose table another process may have locked.
pub(crate) struct HistoryAttempts {
    began: Instant,
    max: Duration,
}

impl HistoryAttempts {
    pub(crate) fn new(patience: Patience) -> Self {
        Self { began: Instant::now(), max: patience.total.min(HISTORY_PATIENCE) }
    }

    /// Whether to try again after this error, after a pause.
    pub(crate) async fn pause_after(&self, error: &OpenError) -> bool {
        let again = is_locked(error) && self.began.elapsed() < self.max;
        if again {
            tracing::warn!(%error, "the history of the schema is locked; it is tried again");
            sleep(FIRST_PAUSE).await;
        }
        again
    }
}

/// The history, which is made if the database has none.
async fn history(connection: &mut PgConnection, migrator: &Migrator) -> Result<History, OpenError> {
    connection.ensure_migrations_table(&migrator.table_name).await?;
    History::read(connection, migrator).await
}

async fn run(
    connection: &mut PgConnection,
    migrator: &Migrator,
    patience: Patience,
    progress: MigrationProgress<'_>,
) -> Result<u64, OpenError> {
    set_lock_timeout(connection, patience.lock).await?;
    let attempts = HistoryAttempts::new(patience);
    let history = loop {
        match history(connection, migrator).await {
            Err(error) if attempts.pause_after(&error).await => {}
            outcome => break outcome?,
        }
    };
    let pending = history.pending(migrator)?;
    let distributed = is_distributed(connection).await?;
    if distributed {
        // A process that was killed between a migration and this left its tables on one node.
        rest(connection).await?;
        // Tables that refer to each other are changed in one transaction.
        connection.execute("SET citus.multi_shard_modify_mode = 'sequential'").await?;
    }
    let all = pending.len() as u64;
    for (at, migration) in (1_u64..).zip(&pending) {
        progress(at - 1, all);
        let applied = apply(connection, migrator, migration, patience, distributed);
        report_if_long(migration, at, all, applied).await?;
        if distributed {
            rest(connection).await?;
        }
        progress(at, all);
    }
    Ok(all)
}

/// Waits for a migration, the `at`th of `of`, and logs how far they are if it takes long.
async fn report_if_long<T>(migration: &Migration, at: u64, of: u64, applied: impl Future<Output = T>) -> T {
    let (mut applied, began, mut pause) = (pin!(applied), Instant::now(), REPORTED_AFTER);
    loop {
        if let Ok(outcome) = timeout(pause, &mut applied).await {
            return outcome;
        }
        let (version, description, seconds) = (migration.version, &*migration.description, began.elapsed().as_secs());
        tracing::info!(version, description, at, of, seconds, "a migration takes a while");
        pause = REPORTED_EVERY;
    }
}

/// Waits until no other process migrates.
///
/// The lock is tried repeatedly instead of awaited in a statement: such a statement would hold a
/// snapshot, and CREATE INDEX CONCURRENTLY in the process with the lock would wait for its end.
async fn lock(connection: &mut PgConnection, max: Duration) -> Result<(), OpenError> {
    let started = Instant::now();
    let mut is_told = false;
    loop {
        let is_ours: bool =
            sqlx::query_scalar("SELECT pg_try_advisory_lock($1)").bind(LOCK).fetch_one(&mut *connection).await?;
        if is_ours {
            return Ok(());
        }
        if started.elapsed() >= max {
            return Err(OpenError::Migrating);
        }
        if !is_told {
            tracing::info!("another process migrates the database; waiting for it to end");
            is_told = true;
        }
        sleep(LOCK_INTERVAL).await;
    }
}

/// Applies a migration. If it does not get its locks, it is rolled back and repeated after a pause,
/// in which the queries behind it have their turn.
async fn apply(
    connection: &mut PgConnection,
    migrator: &Migrator,
    migration: &Migration,
    patience: Patience,
    distributed: bool,
) -> Result<(), OpenError> {
    let (version, description) = (migration.version, &*migration.description);
    tracing::debug!(version, description, "a migration begins");
    let started = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        let outcome = if migration.no_tx {
            apply_outside(connection, migrator, migration).await
        } else {
            set_lock_timeout(connection, patience.lock).await?;
            if distributed {
                apply_singly(connection, migrator, migration).await
            } else {
                connection.apply(&migrator.table_name, migration).await.map(drop)
            }
        };
        match outcome {
            Err(error) if is_contended(&error) && started.elapsed() + pause < patience.total => {
                tracing::warn!(version, %error, "a migration did not get a lock; it is tried again");
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            outcome => {
                outcome?;
                let (took, seconds) = (started.elapsed(), started.elapsed().as_secs());
                if took >= REPORTED_AFTER {
                    tracing::info!(version, seconds, "a migration is done");
                } else {
                    tracing::debug!(version, "a migration is done");
                }
                return Ok(());
            }
        }
    }
}

/// Applies a migration outside a transaction, statement by statement. Its statements block nobody
/// (a test checks that), so they wait without a limit: an interrupted concurrent build leaves an
/// invalid index.
async fn apply_outside(
    connection: &mut PgConnection,
    migrator: &Migrator,
    migration: &Migration,
) -> Result<(), MigrateError> {
    set_lock_timeout(connection, Duration::ZERO).await?;
    run_singly(connection, migrator, migration).await
}

/// Applies a migration in a transaction, statement by statement: Citus passes some statements to
/// the workers with the whole text they came in, and workers refuse several statements at once.
async fn apply_singly(
    connection: &mut PgConnection,
    migrator: &Migrator,
    migration: &Migration,
) -> Result<(), MigrateError> {
    let mut transaction = connection.begin().await?;
    run_singly(&mut transaction, migrator, migration).await?;
    transaction.commit().await?;
    Ok(())
}

async fn run_singly(
    connection: &mut PgConnection,
    migrator: &Migrator,
    migration: &Migration,
) -> Result<(), MigrateError> {
    for statement in statements(migration.sql.as_str()) {
        let done = connection.execute(AssertSqlSafe(statement)).await;
        done.map_err(|error| MigrateError::ExecuteMigration(error, migration.version))?;
    }
    // The migration is entered in the history without being run.
    connection.skip(&migrator.table_name, migration).await
}

/// The statements of a migration: each ends with a semicolon at the end of a line.
pub(super) fn statements(sql: &str) -> impl Iterator<Item = &str> {
    sql.split(";\n").map(str::trim).filter(|statement| !statement.is_empty())
}

/// Sets how long a statement waits for a lock; zero means without limit.
async fn set_lock_timeout(connection: &mut PgConnection, timeout: Duration) -> Result<(), sqlx::Error> {
    let statement = format!("SET lock_timeout = {}", timeout.as_millis());
    connection.execute(AssertSqlSafe(statement)).await.map(drop)
}

fn is_contended(error: &MigrateError) -> bool {
    let (MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) = error else { return false };
    goes_by(error)
}

fn is_locked(error: &OpenError) -> bool {
    match error {
        OpenError::Database(error) => goes_by(error),
        OpenError::Migrate(error) => is_contended(error),
        _ => false,
    }
}

fn goes_by(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    code.is_some_and(|code| CONTENDED.contains(&&*code))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use sqlx::SqlStr;
    use sqlx::migrate::MigrationType;

    use super::*;

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("a log").write(line)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_migration_says_twice_a_minute_the_how_many_th_it_is() {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        let _logging = tracing::subscriber::set_default(subscriber);
        let sql = SqlStr::from_static("SELECT 1");
        let migration = Migration::new(12, "clientes alias".into(), MigrationType::Simple, sql, false);
        let report = |at, seconds| report_if_long(&migration, at, 7, sleep(Duration::from_secs(seconds)));
        report(2, 1).await;
        report(3, 60).await;
        let said = String::from_utf8(log.0.lock().expect("a log").clone()).expect("text");
        let expected = "a migration takes a while version=12 description=\"clientes alias\" at=3 of=7 seconds=";
        let seconds: Vec<_> = said.lines().map(|line| line.split_once(expected).expect(line).1).collect();
        assert_eq!(seconds, ["2", "32"], "{said}");
    }
}
