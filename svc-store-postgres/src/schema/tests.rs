//! Invented migrations on a private PostgreSQL.

use std::time::Duration;

use sqlx::migrate::MigrationType;
use sqlx::postgres::PgConnectOptions;
use sqlx::{PgPool, Row as _, SqlStr};
use svc_local_postgres::Cluster;
use tokio::time::timeout;

use super::*;
use crate::{PostgresStore, Settings};

const TABLE: &str = "CREATE TABLE t (a int);\nINSERT INTO t SELECT generate_series(1, 1000)";
const INDEX: &str =
    "-- no-transaction\n-- By a.\nDROP INDEX CONCURRENTLY IF EXISTS t_a;\nCREATE INDEX CONCURRENTLY t_a ON t (a);\n";

/// Migrations with these texts, in this order.
fn migrator(texts: &[&'static str]) -> Migrator {
    let numbered = texts.iter().zip(1..).map(|(text, version)| {
        let no_tx = text.starts_with("-- no-transaction");
        let sql = SqlStr::from_static(text);
        sqlx::migrate::Migration::new(version, "x".into(), MigrationType::Simple, sql, no_tx)
    });
    Migrator::with_migrations(numbered.collect())
}

/// A database with this schema.
struct TestDatabase {
    options: PgConnectOptions,
    pool: PgPool,
    _cluster: Cluster,
}

impl TestDatabase {
    async fn with(texts: &[&'static str]) -> Self {
        let cluster = tokio::task::spawn_blocking(Cluster::ephemeral).await.unwrap().unwrap();
        cluster.create_database("x").await.unwrap();
        let options = cluster.options("x");
        let pool = PgPool::connect_lazy_with(options.clone());
        let database = Self { options, pool, _cluster: cluster };
        assert_eq!(database.migrate(texts).await.unwrap(), texts.len() as u64);
        database
    }

    /// A store with limits that must not apply to migrations.
    fn store(&self) -> PostgresStore {
        let settings = Settings {
            statement_timeout: Duration::from_millis(200),
            lock_timeout: Duration::from_millis(100),
            ..Settings::default()
        };
        PostgresStore::with_options(self.options.clone(), &settings)
    }

    async fn migrate(&self, texts: &[&'static str]) -> Result<u64, OpenError> {
        self.migrate_within(texts, Duration::from_mins(1)).await
    }

    async fn migrate_within(&self, texts: &[&'static str], max: Duration) -> Result<u64, OpenError> {
        let settings = Settings {
            migration_lock_timeout: Duration::from_millis(100),
            migration_patience: max,
            ..Settings::default()
        };
        self.migrate_by(texts, &settings, &mut |_, _| ()).await
    }

    async fn migrate_by(
        &self,
        texts: &[&'static str],
        settings: &Settings,
        progress: MigrationProgress<'_>,
    ) -> Result<u64, OpenError> {
        migrate(&self.options, &migrator(texts), Patience::new(settings), progress).await
    }

    async fn run(&self, sql: &'static str) {
        sqlx::raw_sql(sql).execute(&self.pool).await.unwrap();
    }

    async fn is(&self, condition: &'static str) -> bool {
        sqlx::raw_sql(condition).fetch_one(&self.pool).await.unwrap().get(0)
    }
}

const VALID: &str = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('t_a')";

#[tokio::test]
async fn a_statement_takes_as_long_as_it_needs() {
    let database = TestDatabase::with(&[TABLE]).await;
    assert_eq!(database.migrate(&[TABLE, "SELECT pg_sleep(1)"]).await.unwrap(), 1);
    assert_eq!(database.migrate(&[TABLE, "SELECT pg_sleep(1)"]).await.unwrap(), 0);
}

#[tokio::test]
async fn each_pending_migration_is_reported() {
    let database = TestDatabase::with(&[TABLE]).await;
    for expected in [&[(0, 2), (1, 2), (1, 2), (2, 2)][..], &[]] {
        let mut seen = Vec::new();
        let texts = [TABLE, "SELECT 1", "SELECT 2"];
        database.migrate_by(&texts, &Settings::default(), &mut |done, all| seen.push((done, all))).await.unwrap();
        assert_eq!(seen, expected);
    }
}

#[tokio::test]
async fn a_migration_retries_until_it_gets_its_lock() {
    let database = TestDatabase::with(&[TABLE]).await;
    let mut reader = database.pool.begin().await.unwrap();
    sqlx::raw_sql("SET LOCAL idle_in_transaction_session_timeout = 0; SELECT count(*) FROM t")
        .execute(&mut *reader)
        .await
        .unwrap();
    let texts = [TABLE, "CREATE TABLE u (a int);\nALTER TABLE t ADD COLUMN b int"];
    let error = database.migrate_within(&texts, Duration::from_millis(300)).await.unwrap_err();
    assert!(error.to_string().contains("lock timeout"), "{error}");
    let reading = async {
        for _ in 0..15 {
            // A waiting migration blocks nobody: the pool's statements end after 200 ms.
            database.run("SELECT count(*) FROM t").await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        reader.commit().await.unwrap();
    };
    let (done, ()) = tokio::join!(database.migrate(&texts), reading);
    assert_eq!(done.unwrap(), 1);
    database.run("SELECT b FROM t, u").await;
}

#[tokio::test]
async fn two_that_migrate_wait_for_a_locked_history() {
    let database = TestDatabase::with(&[TABLE]).await;
    let texts = [TABLE, "CREATE TABLE u (a int)"];
    let mut lock = database.pool.begin().await.unwrap();
    let hold =
        "SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE _sqlx_migrations IN ACCESS EXCLUSIVE MODE";
    sqlx::raw_sql(hold).execute(&mut *lock).await.unwrap();
    let error = database.migrate_within(&texts, Duration::from_millis(300)).await.unwrap_err();
    assert!(error.to_string().contains("lock timeout"), "{error}");
    let ending = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        lock.commit().await.unwrap();
    };
    let (one, other, ()) = tokio::join!(database.migrate(&texts), database.migrate(&texts), ending);
    assert_eq!(one.unwrap() + other.unwrap(), 1);
}

#[tokio::test]
async fn a_store_waits_for_a_locked_history() {
    let database = TestDatabase::with(&[]).await;
    let store = database.store();
    store.migrate().await.unwrap();
    let mut lock = database.pool.begin().await.unwrap();
    let hold =
        "SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE _sqlx_migrations IN ACCESS EXCLUSIVE MODE";
    sqlx::raw_sql(hold).execute(&mut *lock).await.unwrap();
    let ending = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        lock.commit().await.unwrap();
    };
    let (one, other, ()) = tokio::join!(store.migrate(), store.migrate(), ending);
    assert_eq!((one.unwrap(), other.unwrap()), (0, 0));
}

#[tokio::test]
async fn an_index_is_built_beside_a_reader_and_a_second_process() {
    let database = TestDatabase::with(&[TABLE]).await;
    let mut reader = database.pool.begin().await.unwrap();
    let hold = "SET LOCAL idle_in_transaction_session_timeout = 0; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
                SELECT count(*) FROM t";
    sqlx::raw_sql(hold).execute(&mut *reader).await.unwrap();
    let texts = [TABLE, INDEX];
    let ending = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        // The build waits for the reader, and nobody waits for the build.
        database.run("INSERT INTO t VALUES (1)").await;
        reader.commit().await.unwrap();
    };
    let (one, other, ()) = tokio::join!(database.migrate(&texts), database.migrate(&texts), ending);
    assert_eq!(one.unwrap() + other.unwrap(), 1);
    assert!(database.is(VALID).await);
}

#[tokio::test]
async fn an_interrupted_index_build_is_repeated() {
    let database = TestDatabase::with(&[TABLE]).await;
    let mut reader = database.pool.begin().await.unwrap();
    let hold = "SET LOCAL idle_in_transaction_session_timeout = 0; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
                SELECT count(*) FROM t";
    sqlx::raw_sql(hold).execute(&mut *reader).await.unwrap();
    let texts = [TABLE, INDEX];
    let interrupting = async {
        while database.is("SELECT to_regclass('t_a') IS NULL").await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc migrate'";
        assert!(database.is(cut).await);
    };
    let (cut, in_time) = tokio::join!(database.migrate(&texts), timeout(Duration::from_secs(20), interrupting));
    in_time.unwrap();
    cut.unwrap_err();
    assert!(!database.is(VALID).await, "an invalid index is left");
    reader.commit().await.unwrap();
    assert_eq!(database.migrate(&texts).await.unwrap(), 1);
    assert!(database.is(VALID).await);
}

#[tokio::test]
async fn a_second_migration_waits_for_the_first_up_to_a_limit() {
    let database = TestDatabase::with(&[TABLE]).await;
    let long = [TABLE, "SELECT pg_sleep(2)"];
    let late = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        database.migrate_within(&long, Duration::from_millis(300)).await
    };
    let (done, gave_up) = tokio::join!(database.migrate(&long), late);
    assert_eq!(done.unwrap(), 1);
    assert!(matches!(gave_up, Err(OpenError::Migrating)));
}

#[tokio::test]
async fn a_failed_migration_leaves_nothing_and_a_changed_one_is_refused() {
    let database = TestDatabase::with(&[TABLE]).await;
    let error = database.migrate(&[TABLE, "CREATE TABLE u (a int); SELECT 1 / 0"]).await.unwrap_err();
    assert!(error.to_string().contains("migration 2"), "{error}");
    assert!(database.is("SELECT to_regclass('u') IS NULL").await);
    let error = database.migrate(&["CREATE TABLE t (a int)", "SELECT 1"]).await.unwrap_err();
    assert!(error.to_string().contains("has been modified"), "{error}");
    assert_eq!(database.migrate(&[TABLE, "SELECT 1", "SELECT 2"]).await.unwrap(), 2);
    // An older program knows fewer migrations and has nothing to do.
    assert_eq!(database.migrate(&[TABLE]).await.unwrap(), 0);
    // A missing migration in the middle is applied too.
    database.run("DELETE FROM _sqlx_migrations WHERE version = 2").await;
    assert_eq!(database.migrate(&[TABLE, "SELECT 1", "SELECT 2"]).await.unwrap(), 1);
    database.run("UPDATE _sqlx_migrations SET success = false WHERE version = 2").await;
    let error = database.migrate(&[TABLE, "SELECT 1"]).await.unwrap_err();
    assert!(error.to_string().contains("partially applied"), "{error}");
}

/// Stands in for the engine: its extension and catalog, and the function that distributes a table.
const ENGINE: &str = "
    INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    VALUES (1, 'citus', 10, 'public'::regnamespace, false, '1');
    CREATE TABLE pg_dist_partition (logicalrelid regclass);
    INSERT INTO pg_dist_partition VALUES ('empresas');
    CREATE FUNCTION create_distributed_table(tabla regclass, columna text, colocate_with text) RETURNS void
    LANGUAGE sql AS 'INSERT INTO pg_dist_partition VALUES (tabla)'";

#[tokio::test]
async fn a_table_whose_migration_was_interrupted_is_distributed_by_the_next_start() {
    const COMPANIES: &str = "CREATE TABLE empresas (empresa bigint)";
    const SALES: &str = "CREATE TABLE ventas (empresa bigint)";
    let database = TestDatabase::with(&[COMPANIES, SALES]).await;
    database.run(ENGINE).await;
    let is_distributed = "SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'ventas'::regclass)";
    assert!(!database.is(is_distributed).await, "its process was killed before that");
    assert_eq!(database.migrate(&[COMPANIES, SALES]).await.unwrap(), 0);
    assert!(database.is(is_distributed).await);
}

#[tokio::test]
async fn every_migration_counts_for_readiness() {
    let database = TestDatabase::with(&[]).await;
    assert_eq!(database.store().migrate().await.unwrap(), MIGRATOR.iter().count() as u64);
    assert_eq!(database.store().migrate().await.unwrap(), 0);
    database.store().probe().check().await.unwrap();
    database.run("INSERT INTO _sqlx_migrations VALUES (9999, 'later', now(), true, '\\x00', 0)").await;
    database.store().probe().check().await.unwrap();
    assert_eq!(database.store().migrate().await.unwrap(), 0);
    for lacking in [
        "UPDATE _sqlx_migrations SET success = false WHERE version = 2",
        "DELETE FROM _sqlx_migrations WHERE version = 2",
    ] {
        database.run(lacking).await;
        assert!(matches!(database.store().probe().check().await, Err(OpenError::Outdated)));
    }
}

#[tokio::test]
async fn a_database_of_the_former_numbering_is_refused() {
    let database = TestDatabase::with(&[]).await;
    for (version, name) in [(1, "companies"), (6, "crm"), (95, "proveedores busqueda")] {
        let row = "INSERT INTO _sqlx_migrations VALUES ($1, $2, now(), true, '\\x00', 0)";
        sqlx::query(row).bind(i64::from(version)).bind(name).execute(&database.pool).await.unwrap();
    }
    let store = database.store();
    let refusals = [
        store.migrate().await.map(drop),
        store.distribute().await.map(drop),
        store.probe().check().await,
        migrate(&database.options, &MIGRATOR, Patience::new(&Settings::default()), &mut |_, _| ()).await.map(drop),
    ];
    for refusal in refusals {
        assert!(matches!(refusal, Err(OpenError::FormerNumbering)), "{refusal:?}");
    }
    assert!(database.is("SELECT to_regclass('empresas') IS NULL").await, "nothing was made");
}
