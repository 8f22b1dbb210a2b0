//! PgBouncer in transaction mode, with more concurrent clients than connections.

mod writes;

use std::time::Duration;

use futures_util::future::join_all;
use http::Method;
use serde_json::json;
use svc_core::operations::MoveClock;
use svc_store_postgres::{OpenError, Pooler, PostgresStore, Settings};
use svc_tests::{Company, Resource, World};
use svc_tests::{pooler::SERVER_CONNECTIONS, with};

/// A world behind the pooler.
async fn pooled(settings: Settings) -> Option<World> {
    World::pooled(settings, |builder| builder).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn more_clients_than_connections_can_read_lists() {
    let Some(world) = pooled(Settings::default()).await else { return };
    let companies = [world.company().await, world.company().await];
    for (at, company) in companies.iter().enumerate() {
        let customers: Vec<_> = (0..250).map(|n| json!({"nombre": format!("Cliente {at}-{n}")})).collect();
        company.load(Resource::Clientes, &customers).await;
    }
    let actors = [companies[0].admin().await, companies[1].admin().await];
    let read = |at: usize| {
        let ana = &actors[at % 2];
        async move {
            let list = ana.walk("/clientes?limite=30").await;
            assert_eq!(list.len(), 250);
            assert!(list.iter().all(|one| {
                one["nombre"].as_str().is_some_and(|name| name.starts_with(&format!("Cliente {}-", at % 2)))
            }));
            ana.get("/webhooks/9/entregas").await.fails(404, "no_encontrado");
            ana.get("/productos?buscar=clavo").await.ok(200);
        }
    };
    join_all((0..40).map(read)).await;
    left_as_found(&world).await;
}

#[tokio::test]
async fn a_lock_is_waited_for_as_long_as_the_settings_say() {
    let settings = with!(Settings::default(), lock_timeout: Duration::from_millis(400));
    let Some(world) = pooled(settings).await else { return };
    let ana = world.company().await.admin().await;
    let mut other = world.pool().begin().await.expect("a transaction");
    let claim = "SELECT pg_advisory_xact_lock(
        ('x' || left(encode(sha256(convert_to(empresa || ' ' || sufijo || ' k', 'UTF8')), 'hex'), 16))::bit(64)::bigint)
        FROM llaves";
    sqlx::query(claim).execute(&mut *other).await.expect("a claim");
    let started = std::time::Instant::now();
    let write = ana.write(Method::POST, "/clientes", "k", json!({"nombre": "Ana"})).await;
    write.fails(409, "idempotencia_en_curso");
    let waited = started.elapsed();
    assert!((Duration::from_millis(300)..Duration::from_secs(4)).contains(&waited), "{waited:?}");
    other.rollback().await.expect("an end");
    ana.write(Method::POST, "/clientes", "k", json!({"nombre": "Ana"})).await.ok(201);
    left_as_found(&world).await;
}

#[tokio::test]
async fn a_company_is_imported() {
    let Some(world) = pooled(Settings::default()).await else { return };
    let company = world.company().await;
    let children = [json!({"clave": 2, "nombre": "Hija", "padre": 1}), json!({"clave": 1, "nombre": "Madre"})];
    company.load(Resource::Categorias, &children).await;
    // A faulty batch is rolled back to its savepoint, and the fault is found.
    let rfc = |n: i64| if n == 33 || n == 40 { "XIA190128J61" } else { "" };
    let customers: Vec<_> = (0..50).map(|n| json!({"nombre": "Ana", "rfc": rfc(n)})).collect();
    let fault = company.import(Resource::Clientes, &customers).await.expect_err("an RFC twice");
    assert!(fault.contains("41"), "{fault}");
    assert_eq!(world.count("clientes").await, 0);
    left_as_found(&world).await;
}

#[tokio::test]
async fn the_schema_is_brought_up_to_date_past_the_pooler() {
    let Some(world) = pooled(Settings::default()).await else { return };
    let through = world.used_store();
    assert_eq!(through.migrate().await.expect("it is up to date"), 0);
    sqlx::query("DELETE FROM _sqlx_migrations WHERE version = 8").execute(world.pool()).await.expect("done");
    assert!(matches!(through.migrate().await, Err(OpenError::Pooled)));
    sqlx::query("DROP TABLE _sqlx_migrations").execute(world.pool()).await.expect("done");
    assert!(matches!(through.migrate().await, Err(OpenError::Pooled)));
}

#[tokio::test]
async fn without_the_setting_the_pooler_refuses_us() {
    let Some(world) = pooled(Settings::default()).await else { return };
    let options = world.used_store().options().clone();
    let settings = with!(Settings::default(), pooler: Pooler::None, acquire_timeout: Duration::from_secs(5));
    let plain = PostgresStore::with_options(options.clone().options([("lock_timeout", "5000")]), &settings);
    let refused =
        sqlx::query("SELECT 1").execute(&svc_tests::pool_of(&plain)).await.expect_err("an unknown startup parameter");
    assert!(refused.to_string().contains("unsupported startup parameter"), "{refused}");
}

/// Checks that no connection of the pooler keeps session state, and that the pooler opened no more
/// than it may.
async fn left_as_found(world: &World) {
    // The pooler refuses the parameters that sqlx would set.
    let options = world.used_store().options().clone().extra_float_digits(None);
    let plain = sqlx::PgPool::connect_lazy_with(options);
    let mut held = Vec::new();
    for _ in 0..SERVER_CONNECTIONS {
        // Held open, so that each is another connection.
        held.push(plain.begin_with("BEGIN").await.expect("a connection of the pooler's"));
    }
    for tx in &mut held {
        for (setting, as_found) in
            [("lock_timeout", "0"), ("statement_timeout", "0"), ("idle_in_transaction_session_timeout", "0")]
        {
            let statement = sqlx::AssertSqlSafe(format!("SELECT current_setting('{setting}')"));
            let now: String = sqlx::Row::get(&sqlx::raw_sql(statement).fetch_one(&mut **tx).await.expect("a row"), 0);
            assert_eq!(now, as_found, "{setting}");
        }
        let kept = sqlx::raw_sql("SELECT count(*)::text FROM pg_prepared_statements").fetch_one(&mut **tx).await;
        assert_eq!(sqlx::Row::get::<String, _>(&kept.expect("a row"), 0), "0");
    }
}

#[tokio::test]
async fn a_company_is_copied_and_its_clock_moved() {
    let Some(world) = pooled(Settings::default()).await else { return };
    let company = world.test_company().await;
    let customers: Vec<_> = (0..500).map(|n| json!({"nombre": format!("Cliente {n}")})).collect();
    company.load(Resource::Clientes, &customers).await;
    let new = world.api.context().new_fork("Copia".to_owned()).expect("a name");
    let copy = world.used_store().fork(company.id, &new).await.expect("a copy");
    let copy = Company { id: copy, ..company.clone() };
    let days = chrono::TimeDelta::days(2);
    let before = copy.run(&MoveClock::Nowhere).await.expect("its time").ahora.get();
    let after = copy.run(&MoveClock::Forward(days)).await.expect("its time").ahora.get();
    assert_eq!(after - before, days);
    assert_eq!(copy.admin().await.walk("/clientes?limite=30").await.len(), 500);
    left_as_found(&world).await;
}
