//! Statements on a private PostgreSQL.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Executor as _};
use svc_local_postgres::Cluster;
use tokio::time::{Instant, timeout};

use super::*;

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
async fn of_statements_that_vary_only_a_few_stay_prepared() {
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
