//! What a server needs and leaves at its start: the database, its connections, its address.

use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use sqlx::postgres::{PgConnectOptions, PgPool};
use svc_local_postgres::Cluster;
use svc_tests::database_url;
use tokio::runtime::Runtime;

use crate::harness::Svc;

/// A value that a statement reads.
fn read<T>(options: PgConnectOptions, statement: &'static str) -> T
where
    T: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres> + Send + Unpin,
{
    Runtime::new().unwrap().block_on(async {
        let pool = PgPool::connect_with(options).await.unwrap();
        let value = sqlx::query_scalar(statement).fetch_one(&pool).await.unwrap();
        pool.close().await;
        value
    })
}

#[test]
fn serve_says_first_where_its_private_database_is() {
    let svc = Svc::new();
    let server = svc.serve(&[], Value::Null);
    let first = server.log.lines().swap_remove(0);
    let dir = svc.dir.path().join("data").canonicalize().unwrap();
    assert!(first.contains("private") && first.contains(dir.to_str().unwrap()), "{first}");
    server.stop(Signal::SIGTERM);
}

#[test]
fn a_server_outlives_the_command_whose_private_database_it_uses() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let key = svc.ok(&["key", "create", "--company", "1"]);
    let first = svc.serve(&["--no-workers"], Value::Null);
    let server = svc.serve(&["--no-workers"], key);
    server.get("/clientes");
    first.stop(Signal::SIGTERM);
    let (request, deadline) = (server.head("GET", "/clientes", ""), Instant::now() + Duration::from_secs(20));
    while server.try_send(&request).is_none_or(|(status, _)| status != 200) {
        assert!(Instant::now() < deadline, "{}", server.log.lines().join("\n"));
        sleep(Duration::from_millis(100));
    }
    server.stop(Signal::SIGTERM);
    assert!(svc.server_is_gone());
}

#[test]
fn commands_write_links_with_the_address_that_is_served() {
    let svc = Svc::new();
    svc.ok(&["company", "create", "--name", "Uno"]);
    let create = ["do", "--company", "1", "customer.create", r#"{"nombre":"Ana"}"#];
    let server = svc.serve(&["--base-url", "https://erp.example.com/api/v1", "--no-workers"], Value::Null);
    let cluster = Cluster::open(&svc.dir.path().join("data")).unwrap();
    let last = || -> String {
        read(
            cluster.options("svc"),
            "SELECT convert_from(cuerpo, 'UTF8') FROM eventos ORDER BY recurso_clave DESC LIMIT 1",
        )
    };
    svc.ok(&create);
    assert!(last().contains("\"https://erp.example.com/api/v1/clientes"), "{}", last());
    svc.ok(&[&create[..], &["--base-url", "https://other.example.com/api/v1"]].concat());
    assert!(last().contains("\"https://other.example.com/api/v1/clientes"), "{}", last());
    server.stop(Signal::SIGTERM);
}

#[test]
fn a_database_that_starts_late_is_waited_for() {
    let svc = Svc::new();
    let place = svc.dir.path().join("own");
    let cluster = Cluster::open(&place).unwrap();
    Runtime::new().unwrap().block_on(cluster.create_database("svc")).unwrap();
    let url = database_url(&cluster.options("svc"));
    cluster.stop().unwrap();
    let at_once = svc.command(&["migrate", "--database-wait", "0"]).env("DATABASE_URL", &url).output().unwrap();
    let stderr = String::from_utf8_lossy(&at_once.stderr);
    assert!(at_once.status.code() == Some(1) && stderr.lines().count() == 1, "{stderr}");
    let cluster = scope(|scope| {
        let late = scope.spawn(|| {
            sleep(Duration::from_secs(3));
            Cluster::open(&place).unwrap()
        });
        let mut command = svc.command(&["serve", "--listen", "127.0.0.1:0"]);
        let server = Svc::start(command.env("DATABASE_URL", &url), json!({"key_id": "1_a", "api_key": "b"}));
        assert!(server.log.lines().iter().any(|line| line.contains("waiting for the database")));
        server.stop(Signal::SIGTERM);
        late.join().unwrap()
    });
    cluster.stop().unwrap();
}

#[test]
fn a_process_holds_no_more_connections_than_it_may() {
    const MAX: i64 = 10;
    let svc = Svc::new();
    let cluster = Cluster::open(&svc.dir.path().join("own")).unwrap();
    Runtime::new().unwrap().block_on(cluster.create_database("svc")).unwrap();
    let mut key = Value::Null;
    for company in 1..=8 {
        let run = |args: &[&str]| -> Value {
            let output = svc.command(args).env("DATABASE_URL", database_url(&cluster.options("svc"))).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            serde_json::from_slice(&output.stdout).unwrap()
        };
        if company == 1 {
            run(&["migrate"]);
        }
        run(&["company", "create", "--name", "Uno"]);
        key = run(&["key", "create", "--company", &company.to_string()]);
    }
    let mut command =
        svc.command(&["serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--max-connections", "10"]);
    let server = Svc::start(command.env("DATABASE_URL", database_url(&cluster.options("svc"))), key);
    let admin = server.admin();
    let max_seen = scope(|scope| {
        for thread in 0..16 {
            let (server, admin) = (&server, &admin);
            scope.spawn(move || {
                for number in 0..60 {
                    server.get("/clientes?limite=30");
                    server.post("/clientes", &format!("{thread}-{number}"), r#"{"nombre":"Ana"}"#);
                    crate::admin::get(admin, "/ready");
                }
            });
        }
        let count = || -> i64 {
            read(cluster.options("postgres"), "SELECT count(*) FROM pg_stat_activity WHERE datname = 'svc'")
        };
        (0..20)
            .map(|_| {
                sleep(Duration::from_millis(50));
                count()
            })
            .max()
    });
    assert!(max_seen.is_some_and(|max_seen| (4..=MAX).contains(&max_seen)), "{max_seen:?}");
    server.stop(Signal::SIGTERM);
    cluster.stop().unwrap();
}
