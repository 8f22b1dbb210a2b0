//! The guarantees that callers of a store rely on, over PostgreSQL, and what only PostgreSQL has.

use std::time::Duration;

use svc_store_postgres::{OpenError, Settings};
use svc_tests::store_suite::{guarantees, usage};
use svc_tests::{World, checks, with};

#[tokio::test]
async fn the_company_begins_every_key() {
    checks::tables(&World::new().await).await;
}

#[tokio::test]
async fn a_transaction_is_written_whole_or_not_at_all() {
    guarantees::a_transaction_is_written_whole_or_not_at_all(World::new().await.any_store()).await;
}

#[tokio::test]
async fn companies_do_not_see_each_other() {
    guarantees::companies_do_not_see_each_other(World::new().await.any_store()).await;
}

#[tokio::test]
async fn an_rfc_is_unique_in_its_company() {
    guarantees::an_rfc_is_unique_in_its_company(World::new().await.any_store()).await;
}

#[tokio::test]
async fn a_locked_record_is_locked_once() {
    let settings = with!(Settings::default(), lock_timeout: Duration::from_millis(300));
    let world = World::on(settings, |builder| builder).await;
    guarantees::a_locked_record_is_locked_once(world.any_store()).await;
}

#[tokio::test]
async fn a_reader_sees_what_its_company_committed() {
    guarantees::a_reader_sees_what_its_company_committed(World::new().await.any_store()).await;
}

#[tokio::test]
async fn a_lease_has_one_holder() {
    guarantees::a_lease_has_one_holder(World::new().await.any_store()).await;
}

#[tokio::test]
async fn an_idempotency_key_is_claimed_once() {
    guarantees::an_idempotency_key_is_claimed_once(World::new().await.any_store()).await;
}

#[tokio::test]
async fn merges_do_not_collide() {
    usage::merges_do_not_collide(World::new().await.any_store()).await;
}

#[tokio::test]
async fn only_the_latest_minute_and_existing_companies_count() {
    usage::only_the_latest_minute_and_existing_companies_count(World::new().await.any_store()).await;
}

#[tokio::test]
async fn an_entry_that_does_not_balance_is_not_written() {
    let world = World::new().await;
    let company = world.company().await;
    for (cargos, refused) in [("1.00", true), ("2.00", false)] {
        let statement = "INSERT INTO polizas (empresa, clave, fecha, concepto, creada, cargos, abonos)
                         VALUES ($1, 1, '2026-10-12', 'x', '2026-10-12', $2::text::numeric, 2)";
        let written = sqlx::query(statement).bind(company.id.0).bind(cargos).execute(world.pool()).await;
        let said = written.as_ref().err().map(ToString::to_string).unwrap_or_default();
        assert_eq!((written.is_err(), said.contains("\"polizas_cuadra_check\"")), (refused, refused), "{written:?}");
    }
}

#[tokio::test]
async fn without_the_engine_nothing_is_distributed() {
    let world = World::new().await;
    let statement = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')";
    let outcome = world.store.distribute().await;
    if world.sql::<bool>(statement).await {
        assert_eq!(outcome.expect("all is distributed already"), 0);
    } else {
        assert!(matches!(outcome, Err(OpenError::NoEngine)), "{outcome:?}");
    }
}

/// PostgreSQL answers the COMMIT of an aborted transaction by rolling back, without an error.
#[tokio::test]
async fn a_transaction_whose_error_was_ignored_is_not_committed() {
    let world = World::new().await;
    let company = world.company().await;
    let table = "CREATE TABLE propias (empresa bigint, clave bigint CHECK (clave > 0), PRIMARY KEY (empresa, clave))";
    sqlx::query(table).execute(world.pool()).await.unwrap();
    for (claves, committed) in [(&[1, 2][..], true), (&[3, 3], false), (&[4, -4], false)] {
        let mut tx = world.any_store().begin(company.id).await.unwrap();
        for clave in claves {
            let mut own = svc_store_postgres::own_tables(tx.as_mut()).unwrap();
            let insert = sqlx::query("INSERT INTO propias VALUES ($1, $2)").bind(own.company()).bind(*clave);
            let _ = insert.execute(own.executor()).await;
        }
        let outcome = tx.commit().await;
        assert_eq!(outcome.is_ok(), committed, "{claves:?}: {outcome:?}");
    }
    assert_eq!(world.count("propias").await, 2);
}
