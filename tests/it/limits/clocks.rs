//! Servers whose clocks are wrong. Clocks are set by the database's, which no test moves.

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use svc_core::Api;
use svc_core::domain::clock::{CLOCK_TOLERANCE, Clock as _, SystemClock};
use svc_core::domain::quota::Period;
use svc_tests::{Actor, TestClock, World};

use super::{left, stored, world};

/// Another server, with a clock of its own.
fn server(world: &World) -> (Api, Arc<TestClock>) {
    let clock = Arc::new(TestClock::default());
    let api = world.second_api_with(|builder| builder.rate_per_minute(150).in_flight(10).clock(clock.clone()));
    (api, clock)
}

async fn merge(api: &Api) {
    api.context().merge_usage().await.expect("merged");
}

/// Makes requests until one is refused; returns how many passed.
async fn use_up(ana: &Actor) -> i64 {
    for passed in 0..=150 {
        if ana.get("/clientes?limite=1").await.status == 429 {
            return passed;
        }
    }
    panic!("no limit")
}

/// Waits for as long as the refusal says, and again: the database's minute may end between
/// two steps of a test.
async fn is_let_in_again(ana: &Actor, clock: &TestClock) {
    for _ in 0..2 {
        let refused = ana.get("/clientes?limite=1").await;
        if refused.status == 200 {
            return;
        }
        let seconds = refused.number("retry-after");
        assert!((1..=60).contains(&seconds), "{seconds} s");
        clock.advance(TimeDelta::seconds(seconds));
    }
    ana.get("/clientes?limite=1").await.ok(200);
}

/// The minute that the database counts the only key in, and the count.
async fn stored_minute(world: &World) -> (DateTime<Utc>, i64) {
    sqlx::query_as("SELECT minuto, usadas FROM llaves_minuto").fetch_one(world.pool()).await.expect("a minute")
}

/// The months that the database counts.
async fn months(world: &World) -> Vec<(NaiveDate, i64)> {
    sqlx::query_as("SELECT mes, usadas FROM cupos ORDER BY mes").fetch_all(world.pool()).await.expect("the months")
}

#[tokio::test]
async fn a_clock_that_was_ahead_for_seconds_locks_no_key_out() {
    let world = world().await;
    let ana = world.company().await.admin().await;
    for merged in [true, false] {
        world.clock.set_to_present(TimeDelta::hours(2));
        assert_eq!(use_up(&ana).await, 150);
        if merged {
            merge(&world.api).await;
        }
        world.clock.set_to_present(TimeDelta::zero());
        ana.get("/clientes?limite=1").await.fails(429, "limite_excedido");
        merge(&world.api).await;
        is_let_in_again(&ana, &world.clock).await;
    }
    world.clock.set_to_present(TimeDelta::hours(-2));
    is_let_in_again(&ana, &world.clock).await;
}

#[tokio::test]
async fn a_server_whose_clock_is_ahead_locks_no_key_out_of_another() {
    let world = world().await;
    let ana = world.company().await.admin().await;
    let (other, clock) = server(&world);
    for ahead in [TimeDelta::hours(2), TimeDelta::days(40)] {
        world.clock.set_to_present(TimeDelta::zero());
        clock.set_to_present(ahead);
        let before = stored(&world).await;
        let there = ana.at(&other);
        assert_eq!(use_up(&there).await, 150);
        merge(&other).await;
        let (minuto, _) = stored_minute(&world).await;
        assert!(minuto <= SystemClock.now() + CLOCK_TOLERANCE, "{minuto}");
        is_let_in_again(&ana, &world.clock).await;
        merge(&world.api).await;
        assert!(stored(&world).await > before + 150, "the month counts both");
        let month: NaiveDate =
            world.sql("SELECT date_trunc('month', now() AT TIME ZONE 'America/Mexico_City')::date").await;
        assert!(months(&world).await.iter().all(|(mes, _)| *mes <= month), "none lies ahead");
    }
}

#[tokio::test]
async fn a_server_behind_counts_for_itself_and_hinders_nobody() {
    let world = world().await;
    let ana = world.company().await.admin().await;
    let (other, clock) = server(&world);
    world.clock.set_to_present(TimeDelta::zero());
    clock.set_to_present(TimeDelta::hours(-2));
    assert_eq!(left(&ana.get("/clientes?limite=1").await).0, 149);
    merge(&world.api).await;
    let there = ana.at(&other);
    assert_eq!(use_up(&there).await, 150);
    merge(&other).await;
    let (minuto, usadas) = stored_minute(&world).await;
    assert!(SystemClock.now() - minuto < TimeDelta::minutes(3), "{minuto}");
    assert_eq!(usadas, 1, "an earlier minute is over");
    assert_eq!(left(&ana.get("/clientes?limite=1").await).0, 148);
    assert_eq!(stored(&world).await, 151);
    is_let_in_again(&there, &clock).await;
}

#[tokio::test]
async fn less_than_a_minute_is_no_difference() {
    let world = world().await;
    let ana = world.company().await.admin().await;
    let ahead = TimeDelta::seconds(45);
    world.clock.set_to_present(ahead);
    let minuto = Period::of(world.clock.now()).minuto;
    assert_eq!(left(&ana.get("/clientes?limite=1").await).0, 149);
    merge(&world.api).await;
    assert_eq!(stored_minute(&world).await, (minuto, 1));
}

#[tokio::test]
async fn the_offset_of_a_wrong_clock_is_measured() {
    let world = world().await;
    let context = world.api.context();
    for (hours, side) in [(2, "ahead of"), (-2, "behind")] {
        world.clock.set_to_present(TimeDelta::hours(hours));
        let offset = context.clock_offset().await.expect("the database's clock");
        let rounded = offset.ahead().num_seconds();
        assert!(offset.is_wrong() && (rounded - hours * 3_600).abs() <= 5, "{rounded} s");
        let told = offset.to_string();
        assert!(
            told.starts_with("this server's clock is 7") && told.ends_with(&format!(" s {side} the database's")),
            "{told}"
        );
    }
    world.clock.set_to_present(TimeDelta::seconds(45));
    assert!(!context.clock_offset().await.expect("the database's clock").is_wrong());
}

#[tokio::test]
async fn a_month_ahead_is_the_present_one() {
    let world = world().await;
    let company = world.company().await;
    let ana = company.admin().await;
    let present = Period::of(SystemClock.now());
    world.clock.set_to_present(TimeDelta::days(32));
    for _ in 0..10 {
        ana.get("/clientes?limite=1").await.ok(200);
    }
    merge(&world.api).await;
    let used = company.run_by_name("quota.use", &serde_json::json!({"operaciones": 5})).await.expect("used");
    assert_eq!(used["cupo_usado"], 15);
    world.clock.set_to_present(TimeDelta::zero());
    let reply = ana.get("/clientes?limite=1").await;
    assert_eq!(left(&reply).1, 5_000 - 16, "the key was read again with its month");
    merge(&world.api).await;
    assert_eq!(months(&world).await, [(present.mes, 16)]);
}

#[tokio::test]
async fn a_minute_that_was_stored_ahead_is_brought_back() {
    let world = world().await;
    let (company, other) = (world.company().await, world.company().await);
    let (ana, eva) = (company.admin().await, other.admin().await);
    world.clock.set_to_present(TimeDelta::zero());
    for several in [false, true] {
        world.run("DELETE FROM llaves_minuto").await;
        sqlx::query(
            "INSERT INTO llaves_minuto (empresa, llave, minuto, usadas)
             SELECT empresa, sufijo, date_trunc('minute', now()) + interval '2 hours', 150 FROM llaves WHERE empresa = $1",
        )
        .bind(company.id.0)
        .execute(world.pool())
        .await
        .expect("a minute ahead");
        world.clock.set_to_present(TimeDelta::minutes(i64::from(several)));
        ana.get("/clientes?limite=1").await.ok(200);
        if several {
            eva.get("/clientes?limite=1").await.ok(200);
        }
        merge(&world.api).await;
        let (minuto, usadas): (DateTime<Utc>, i64) =
            sqlx::query_as("SELECT minuto, usadas FROM llaves_minuto WHERE empresa = $1")
                .bind(company.id.0)
                .fetch_one(world.pool())
                .await
                .expect("a minute");
        assert!(minuto <= SystemClock.now(), "{minuto}");
        assert_eq!(usadas, 151);
    }
}
