//! Faults of the database, of the connection to it, and of one company do not spread.

use std::process::Command;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;
use sqlx::{AssertSqlSafe, Postgres, Transaction};
use svc_store_postgres::{OpenError, Settings};
use svc_tests::{Actor, Company, Resource, World, with};
use tokio::time::sleep;

/// The time within which others are answered, even on a busy machine: far below any time limit of a
/// statement.
const SOON: Duration = Duration::from_secs(2);

/// A stopped database session, as after a silently broken network; it continues when this is
/// dropped.
struct Stopped(i32);

impl Stopped {
    /// The session that last ran this statement.
    async fn of(world: &World, statement: &str) -> Self {
        let find = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'svc'
                      AND query LIKE '%' || $1 || '%' AND pid <> pg_backend_pid() ORDER BY state_change DESC LIMIT 1";
        let pid: i32 = sqlx::query_scalar(find).bind(statement).fetch_one(world.pool()).await.expect("a session");
        signal("-STOP", pid);
        Self(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        signal("-CONT", self.0);
    }
}

fn signal(signal: &str, pid: i32) {
    let done = Command::new("kill").args([signal, &pid.to_string()]).status().expect("kill");
    assert!(done.success(), "kill {signal} {pid}");
}

async fn world() -> World {
    World::with(|builder| builder.deadline(Duration::from_secs(3))).await
}

/// A new company with one customer.
async fn company(world: &World) -> Company {
    let company = world.company().await;
    company.load(Resource::Clientes, &[json!({"nombre": "Ana"})]).await;
    company
}

async fn actor(world: &World) -> Actor {
    company(world).await.admin().await
}

/// Blocks the writes of a company until the transaction ends.
async fn hold_up(world: &World, company: &Company) -> Transaction<'static, Postgres> {
    let mut lock = world.pool().begin().await.expect("a transaction");
    sqlx::query("SELECT FROM contadores WHERE empresa = $1 FOR UPDATE")
        .bind(company.id.0)
        .execute(&mut *lock)
        .await
        .expect("the lock");
    lock
}

/// Checks that a read is answered soon.
async fn is_read_soon(actor: &Actor) {
    let began = Instant::now();
    actor.get("/clientes").await.ok(200);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

async fn create(actor: Actor) -> u16 {
    actor.post("/clientes", json!({"nombre": "Eva"})).await.status
}

#[tokio::test]
async fn a_hung_session_costs_one_request() {
    let world = world().await;
    let ana = actor(&world).await;
    is_read_soon(&ana).await;
    let _stopped = Stopped::of(&world, "FROM clientes").await;
    let began = Instant::now();
    let hung = ana.get("/clientes").await;
    hung.fails(503, "no_disponible");
    assert_eq!(hung.header("retry-after"), Some("1"));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    for _ in 0..5 {
        is_read_soon(&ana).await;
    }
}

#[tokio::test]
async fn a_search_that_takes_too_long_says_so_and_nothing_else_does() {
    let settings = with!(Settings::default(), search_timeout: Duration::from_millis(300));
    let world = World::on(settings, |builder| builder).await;
    let ana = actor(&world).await;
    let left = |reply: &svc_tests::Reply| reply.header("x-svc-cupo-restante").map(str::to_owned);
    let before = left(&ana.get("/clientes").await);
    let mut lock = world.pool().begin().await.expect("a transaction");
    sqlx::raw_sql("LOCK TABLE productos").execute(&mut *lock).await.expect("the lock");
    let began = Instant::now();
    let late = ana.get("/productos?buscar=tornillo").await;
    late.fails(503, "no_disponible");
    assert!(late.mensaje().starts_with("la búsqueda tardó demasiado"), "{}", late.mensaje());
    assert_eq!((late.header("retry-after"), left(&late)), (Some("1"), before), "no operation of the month");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    // Without words it waits for the lock until that is released.
    let list = tokio::spawn({
        let ana = ana.clone();
        async move { ana.get("/productos").await.status }
    });
    sleep(Duration::from_millis(600)).await;
    lock.rollback().await.expect("the lock is released");
    assert_eq!(list.await.expect("no panic"), 200);
    ana.get("/productos?buscar=tornillo").await.ok(200);
}

#[tokio::test]
async fn a_hung_key_lookup_is_repeated() {
    let world = world().await;
    let ana = actor(&world).await;
    is_read_soon(&ana).await;
    let _stopped = Stopped::of(&world, "llaves").await;
    // The key must be read again.
    world.clock.advance(chrono::TimeDelta::seconds(5));
    is_read_soon(&ana).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_clients_take_nothing_from_others() {
    let world = world().await;
    let (first, eva) = (company(&world).await, actor(&world).await);
    let (ana, lock) = (first.admin().await, hold_up(&world, &first).await);
    for _ in 0..3 {
        let writers: Vec<_> = (0..10).map(|_| tokio::spawn(create(ana.clone()))).collect();
        sleep(Duration::from_millis(300)).await;
        writers.iter().for_each(tokio::task::JoinHandle::abort);
        is_read_soon(&eva).await;
        assert_eq!(create(eva.clone()).await, 201);
    }
    let max = world.store.connections().max;
    assert!(world.store.connections().used <= max / 2, "{:?}", world.store.connections());
    // The server cancels the abandoned statements although the lock is still held, and the
    // connections return.
    let began = Instant::now();
    while world.lock_waits().await > 0 || world.store.connections().used > 0 {
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", world.store.connections());
        sleep(Duration::from_millis(20)).await;
    }
    lock.rollback().await.expect("the lock was held all the time");
}

/// The open sessions of the store.
async fn sessions(world: &World) -> Vec<i32> {
    world
        .sql(
            "SELECT coalesce(array_agg(pid), '{}') FROM pg_stat_activity
             WHERE application_name = 'svc' AND datname = current_database()",
        )
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_survives_abandoned_requests() {
    let world = world().await;
    let (ana, eva) = (actor(&world).await, actor(&world).await);
    join_all((0..4).map(|_| create(ana.clone()))).await;
    let before = sessions(&world).await;
    for given_up in 0..300_u64 {
        let request =
            async { if given_up % 2 == 0 { create(ana.clone()).await } else { ana.get("/clientes").await.status } };
        let _ = tokio::time::timeout(Duration::from_micros(given_up % 30 * 100), request).await;
    }
    for _ in 0..5 {
        is_read_soon(&eva).await;
        assert_eq!(create(eva.clone()).await, 201);
    }
    let after = sessions(&world).await;
    let kept = before.iter().filter(|pid| after.contains(pid)).count();
    assert!(kept * 2 >= before.len(), "of {before:?} there are {after:?}");
    // Nothing is half done: every customer has its event and clave, and no lock is held.
    assert_eq!(world.lock_waits().await, 0);
    let customers = world.count("clientes").await;
    assert_eq!(customers - 2, world.count("eventos WHERE tipo = 'cliente.creado'").await, "two were imported");
    assert_eq!(customers, world.sql::<i64>("SELECT sum(valor)::bigint FROM contadores WHERE serie = 'clientes'").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_company_holds_half_of_the_connections_at_the_most() {
    let settings = with!(Settings::default(), max_connections: 8, lock_timeout: Duration::from_secs(20));
    let world = World::on(settings, |builder| builder.deadline(Duration::from_mins(1))).await;
    let (first, eva) = (company(&world).await, actor(&world).await);
    let (ana, lock) = (first.admin().await, hold_up(&world, &first).await);
    let writers: Vec<_> = (0..20).map(|_| tokio::spawn(create(ana.clone()))).collect();
    while world.lock_waits().await < 4 {
        sleep(Duration::from_millis(5)).await;
    }
    for _ in 0..5 {
        is_read_soon(&eva).await;
        assert_eq!(create(eva.clone()).await, 201);
    }
    assert_eq!(world.store.connections().used, 4);
    lock.rollback().await.expect("the lock is released");
    assert!(join_all(writers).await.into_iter().all(|status| status.expect("no panic") == 201));
}

#[tokio::test]
async fn a_read_only_database_is_503_and_recovers_by_itself() {
    let world = world().await;
    let ana = actor(&world).await;
    assert_eq!(create(ana.clone()).await, 201);
    let mut probe = world.store.probe();
    probe.check().await.expect("ready");
    let name: String = world.sql("SELECT current_database()::text").await;
    let set = |what: &str| AssertSqlSafe(format!("ALTER DATABASE {name} {what}"));
    sqlx::query(set("SET default_transaction_read_only = on")).execute(world.pool()).await.expect("read-only");
    let sessions = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                    WHERE datname = current_database() AND application_name = 'svc'";
    world.sql::<i64>(sessions).await;
    for _ in 0..5 {
        assert_eq!(create(ana.clone()).await, 503);
    }
    assert!(probe.check().await.is_err());
    // The test's own connections are older than the setting.
    sqlx::query(set("RESET default_transaction_read_only")).execute(world.pool()).await.expect("writable");
    assert_eq!(create(ana.clone()).await, 201, "the first request afterwards");
    probe.check().await.expect("ready again");
}

#[tokio::test]
async fn a_session_that_became_read_only_is_not_used_again() {
    let world = world().await;
    let ana = actor(&world).await;
    assert_eq!(create(ana.clone()).await, 201);
    // The error of a primary that was demoted while sessions were open.
    world
        .run(
            "CREATE FUNCTION demoted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 RAISE EXCEPTION 'cannot execute INSERT in a read-only transaction' USING ERRCODE = '25006'; END $$",
        )
        .await;
    world.run("CREATE TRIGGER demoted BEFORE INSERT ON clientes EXECUTE FUNCTION demoted()").await;
    assert!(!sessions(&world).await.is_empty());
    let refused = ana.post("/clientes", json!({"nombre": "Eva"})).await;
    refused.fails(503, "no_disponible");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(world.store.connections().idle, 0, "no session of that server is kept");
    world.run("DROP TRIGGER demoted ON clientes").await;
    assert_eq!(create(ana.clone()).await, 201);
}

#[tokio::test]
async fn database_failures_are_503() {
    let world = world().await;
    let ana = actor(&world).await;
    for code in ["53100", "53200", "53300", "57014", "57P01", "57P02", "57P03", "25P03", "58030", "08006"] {
        let function = format!(
            "CREATE OR REPLACE FUNCTION troubled() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 RAISE EXCEPTION 'made up' USING ERRCODE = '{code}'; END $$"
        );
        sqlx::raw_sql(AssertSqlSafe(function)).execute(world.pool()).await.expect("a function");
        world.run("CREATE OR REPLACE TRIGGER troubled BEFORE INSERT ON clientes EXECUTE FUNCTION troubled()").await;
        assert_eq!(create(ana.clone()).await, 503, "{code}");
    }
    world.run("DROP TRIGGER troubled ON clientes").await;
    assert_eq!(create(ana.clone()).await, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pool_without_free_connections_is_not_ready() {
    let settings = with!(Settings::default(), max_connections: 2, lock_timeout: Duration::from_mins(1));
    let world = World::on(settings, |builder| builder.deadline(Duration::from_mins(1))).await;
    let (ana, eva) = (actor(&world).await, actor(&world).await);
    let mut probe = world.store.probe();
    let mut lock = world.pool().begin().await.expect("a transaction");
    sqlx::query("LOCK TABLE clientes IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.expect("the lock");
    let reads: Vec<_> =
        [ana.clone(), eva].map(|actor| tokio::spawn(async move { actor.get("/clientes").await })).into();
    while world.store.connections().used < 2 {
        sleep(Duration::from_millis(5)).await;
    }
    probe.check().await.expect("busy is no fault");
    sleep(Duration::from_millis(3_200)).await;
    assert!(matches!(probe.check().await, Err(OpenError::Stuck)));
    lock.rollback().await.expect("the lock is released");
    for read in reads {
        read.await.expect("no panic").ok(200);
    }
    probe.check().await.expect("ready again");
}
