//! Limits of a company (spec "Limits", contract §5).

mod headers;
mod in_flight;
mod keys;
mod minute;
mod month;
mod notice;
mod servers;
mod statements;

use chrono::{DateTime, TimeDelta, Utc};
use svc_core::domain::clock::Clock as _;
use svc_core::domain::quota::Period;
use svc_core::store::{CompanyChange, MonthUse, Usage, UsageStore as _};
use svc_tests::{Company, Reply, World};

/// A world with the default limits.
async fn world() -> World {
    // Enough connections for one company to hold one per request, beside others.
    let settings = svc_tests::with!(svc_store_postgres::Settings::default(), max_connections: 60);
    World::on(settings, |builder| builder.rate_per_minute(150).in_flight(10)).await
}

/// Moves the clock to that instant.
fn at(world: &World, instant: &str) {
    let instant: DateTime<Utc> = instant.parse().expect("an instant");
    world.clock.advance(instant - world.clock.now());
}

/// Advances the clock until every cached key is read anew.
fn five_seconds_later(world: &World) {
    world.clock.advance(TimeDelta::seconds(5));
}

/// Usage of the company's quota by another server or the AI connector.
async fn used_elsewhere(company: &Company, usadas: u64) {
    let mes = Period::of(company.world.clock.now()).mes;
    let usage = Usage { minutes: Vec::new(), months: vec![MonthUse { company: company.id, mes, usadas }] };
    company.world.store.add_usage(&usage).await.expect("the store adds");
    five_seconds_later(&company.world);
}

/// The usage of the month that the store knows.
async fn stored(world: &World) -> i64 {
    world.sql("SELECT coalesce(sum(usadas), 0)::bigint FROM cupos").await
}

fn licences(licencias: i32) -> CompanyChange {
    CompanyChange { licencias: Some(licencias), ..CompanyChange::default() }
}

/// The rest of the minute and of the month.
fn left(reply: &Reply) -> (i64, i64) {
    (reply.number("x-rate-limit-remaining"), reply.number("x-svc-cupo-restante"))
}
