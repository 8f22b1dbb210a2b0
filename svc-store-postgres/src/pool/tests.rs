//! Statements on a private PostgreSQL.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use sqlx::{AssertSqlSafe, Executor as _, PgPool};
use svc_local_postgres::Cluster;
use tokio::time::{Instant, timeout};

use super::*;
use crate::run::Run as _;

/// The only connection to a database of its own.
async fn pool(settings: Settings) -> (Cluster, Pool) {
    let cluster = tokio::task::spawn_blocking(Cluster::ephemeral).await.unwrap().unwrap();
    cluster.create_database("x").await.unwrap();
    let pool = Pool::new(cluster.options("x"), &Settings { max_connections: 1, ..settings }, Access::Write);
    (cluster, pool)
}

async fn prepared(pool: &Pool) -> i64 {
    let count = sqlx::query_scalar("SELECT count(*) FROM pg_prepared_statements WHERE NOT statement ~ 'pg_prepared'");
    count.fetch_one(pool.acquire(None).await.unwrap().statements()).await.unwrap()
}

#[tokio::test]
async fn only_a_few_varying_statements_stay_prepared() {
    let (_cluster, pool) = pool(Settings::default()).await;
    let run = async |sql: String, stays: bool| {
        let query = sqlx::query(AssertSqlSafe(sql)).bind(1).persistent(stays);
        pool.acquire(None).await.unwrap().statements().execute(query).await.unwrap();
    };
    for words in 1..=150 {
        run(format!("SELECT $1{}", " + 1".repeat(words)), false).await;
    }
    assert_eq!(prepared(&pool).await, 100);
    for more in 1..=30 {
        run(format!("SELECT $1{}", " + 2".repeat(more)), true).await;
    }
    assert_eq!(prepared(&pool).await, 130, "those of one text stay");
    run("SELECT $1 + 1".to_owned(), false).await;
    assert_eq!(prepared(&pool).await, 130, "one that stays is not prepared again");
}

#[tokio::test]
async fn a_statement_ends_at_its_own_limit_and_its_connection_is_replaced() {
    let (_cluster, pool) = pool(Settings::default()).await;
    let mut connection = pool.acquire(None).await.unwrap();
    connection.limit(Duration::from_millis(200));
    let began = Instant::now();
    let late = connection.statements().execute(sqlx::query("SELECT pg_sleep(20)")).await.unwrap_err();
    assert!(is_late(&late) && began.elapsed() < Duration::from_secs(5), "{late}");
    drop(connection);
    // The place comes back once the server has noticed.
    let connection = timeout(Duration::from_secs(10), pool.acquire(None)).await.unwrap();
    let sleeping = "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(20)' AND state = 'active'";
    let count: i64 = sqlx::query_scalar(sleeping).fetch_one(connection.unwrap().statements()).await.unwrap();
    assert_eq!(count, 0);
}

static FIRST: Statement = Statement { name: "first", text: "INSERT INTO t (request, part) VALUES ($1, 1)" };

/// A future that is given up at a poll.
struct GivenUp<F>(Pin<Box<F>>, u32);

impl<F: Future> Future for GivenUp<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if self.1 == 0 {
            return Poll::Ready(None);
        }
        self.1 -= 1;
        self.0.as_mut().poll(cx).map(Some)
    }
}

/// A request that writes three rows, each with the number of the transaction that it is written in.
async fn request(pool: Pool, number: i32, ending: &str) -> Result<(), sqlx::Error> {
    let mut connection = pool.acquire(Some(1)).await?;
    connection.begin();
    if number % 2 == 0 {
        connection.statements().run_with_begin(&[(&FIRST, &[number.to_string()])]).await?;
    } else {
        let first = format!("INSERT INTO t (request, part) VALUES ({number}, 1) RETURNING part");
        let _: i32 = connection.value(sqlx::query(AssertSqlSafe(first))).await.expect("a row");
    }
    for part in 2..=3 {
        let next = format!("INSERT INTO t (request, part) VALUES ({number}, {part}) RETURNING part");
        let _: i32 = connection.value(sqlx::query(AssertSqlSafe(next))).await.expect("a row");
    }
    match ending {
        "commit" => connection.commit().await,
        "rollback" => connection.rollback().await,
        _ => Ok(()),
    }
}

/// Both ends of a request's transaction are sent exactly once, whenever its client leaves: no row
/// is written outside it or in another's, and the server sees no `ROLLBACK` too many.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_runs_outside_its_transaction() {
    let cluster = tokio::task::spawn_blocking(Cluster::ephemeral).await.unwrap().unwrap();
    cluster.create_database("x").await.unwrap();
    let others = PgPool::connect_lazy_with(cluster.options("x"));
    sqlx::raw_sql(
        "CREATE TABLE t (request int, part int, transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
                         PRIMARY KEY (request, part))",
    )
    .execute(&others)
    .await
    .unwrap();
    for max_connections in [1, 4] {
        let settings = Settings { max_connections, ..Settings::default() };
        let pool = Pool::new(cluster.options("x"), &settings, Access::Write);
        let mut done = 0;
        for round in 0..600_u32 {
            let number = i32::try_from(1_000 * max_connections + round).unwrap();
            let ending = ["commit", "commit", "rollback", "none"][round as usize % 4];
            let polls = 1 + round / 4 % 15;
            let outcome = GivenUp(Box::pin(request(pool.clone(), number, ending)), polls).await;
            done += u32::from(outcome.transpose().unwrap().is_some());
        }
        // How many depends on what else the machine does.
        assert!((30..=570).contains(&done), "{done} of 600 came to their end");
        pool.close().await;
    }
    let wrong: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (
             SELECT FROM t GROUP BY request HAVING count(*) <> 3 OR count(DISTINCT transaction) <> 1
         ) w",
    )
    .fetch_one(&others)
    .await
    .unwrap();
    assert_eq!(wrong, 0, "transactions that are in pieces");
    let shared: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (SELECT FROM t GROUP BY transaction HAVING count(DISTINCT request) > 1) w",
    )
    .fetch_one(&others)
    .await
    .unwrap();
    assert_eq!(shared, 0, "transactions of two requests");
    let log = std::fs::read_to_string(cluster.dir().join("postgres.log")).unwrap();
    let warnings: Vec<_> = log.lines().filter(|line| line.contains("WARNING")).collect();
    assert!(warnings.is_empty(), "{warnings:#?}");
}
