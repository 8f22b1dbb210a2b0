//! The retries of a record, the size of a pass, and the turns of companies.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use svc_core::Providers;
use svc_core::domain::clock::Clock as _;
use svc_core::stamping::{Budget, StampRequest};
use svc_tests::{World, with};

use super::{Shop, Stub, accept, nails, report, unreachable};

#[tokio::test]
async fn pauses_grow_until_the_provider_is_there_again() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    let none = Stub::new(unreachable);
    for (attempt, minutes) in [(1, 0.5), (2, 1.0), (3, 2.0), (4, 5.0), (5, 15.0), (6, 60.0), (7, 60.0)] {
        assert_eq!(world.stamp(&none).await, with!(report(), pospuestos: 1), "attempt {attempt}");
        let row = "SELECT intentos = $1 AND ultimo_error = 'nobody there' AND token IS NULL AND arrendado IS NULL";
        let row = format!("{row} FROM timbrados").replace("$1", &attempt.to_string());
        assert!(sqlx::query_scalar::<_, bool>(sqlx::AssertSqlSafe(row)).fetch_one(world.pool()).await.unwrap());
        let seconds: f64 = minutes * 60.0;
        #[expect(clippy::cast_possible_truncation, reason = "whole milliseconds")]
        let span = |part: f64| TimeDelta::milliseconds((seconds * part * 1_000.0) as i64);
        world.clock.advance(span(0.89));
        assert_eq!(world.stamp(&none).await, report(), "attempt {attempt} is not due yet");
        world.clock.advance(span(0.22));
    }
    assert_eq!(shop.factura(factura).await["estatus"], "en_espera");
    assert_eq!(world.stamp(&Stub::new(accept)).await, with!(report(), timbrados: 1));
    assert_eq!(none.ids().len(), 7);
}

#[tokio::test]
async fn a_pass_takes_no_more_than_its_budget() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    for _ in 0..12 {
        shop.invoice(nails()).await;
    }
    let stamper = Stub::new(accept);
    let now = world.clock.now();
    let ended = Arc::new(AtomicBool::new(true));
    for (budget, stamped) in [
        (Budget::unlimited().max_records(0), 0),
        (Budget::unlimited().max_records(1), 1),
        (Budget::unlimited().until(now), 0),
        (Budget::unlimited().stopped_by(ended.clone()), 0),
        (Budget::unlimited().max_records(9), 9),
        (Budget::unlimited().until(now + TimeDelta::seconds(1)).max_records(3), 2),
    ] {
        let done = world.stamp_within(&stamper, budget.clone()).await;
        assert_eq!(done, with!(report(), timbrados: stamped), "{budget:?}");
    }
}

#[tokio::test]
async fn a_stopped_pass_finishes_its_open_requests() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    for _ in 0..20 {
        shop.invoice(nails()).await;
    }
    let ended = Arc::new(AtomicBool::new(false));
    let stamper = Stub::new(|request: &_| {
        ended.store(true, Ordering::Relaxed);
        accept(request)
    });
    let budget = Budget::unlimited().stopped_by(ended.clone());
    let done = world.stamp_within(&stamper, budget).await;
    assert_eq!(done, with!(report(), timbrados: 8), "those that were out");
    assert_eq!(world.count("timbrados WHERE token IS NOT NULL").await, 0);
}

#[tokio::test]
async fn companies_take_turns_and_keep_their_own() {
    let world = World::new().await;
    let (one, other) = (Shop::new(&world).await, Shop::new(&world).await);
    for _ in 0..20 {
        one.invoice(nails()).await;
    }
    let (_, factura) = other.invoice(nails()).await;
    let stamper = Stub::new(accept);
    let done = world.stamp_within(&stamper, Budget::unlimited().max_records(9)).await;
    assert_eq!(done, with!(report(), timbrados: 9));
    assert_eq!(other.factura(factura).await["estatus"], "vigente", "it does not wait for all of the first's");
    assert_eq!(world.stamp(&stamper).await, with!(report(), timbrados: 12));
    let mut ids = stamper.ids();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 21);
    for (shop, invoices) in [(&one, 20), (&other, 1)] {
        let own = format!("emitidos WHERE tipo = 'factura.timbrada' AND empresa = {}", shop.company.id.0);
        assert_eq!(world.count(&own).await, invoices, "{own}");
    }
}

#[tokio::test]
async fn a_companys_document_does_not_wait_for_anothers_backlog() {
    let world = World::new().await;
    let (one, other) = (Shop::new(&world).await, Shop::new(&world).await);
    for _ in 0..120 {
        one.invoice(nails()).await;
    }
    let clock = world.clock.clone();
    let stamper = Arc::new(Stub::new(move |request: &StampRequest| {
        clock.advance(TimeDelta::seconds(1));
        accept(request)
    }));
    let later = async {
        while stamper.ids().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        other.invoice(nails()).await;
        while stamper.ids().len() < 121 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    world.api.context().work(Providers::default().stamper(stamper.clone()), later).await;
    let of_other = format!("{}-", other.company.id.0);
    let place = stamper.ids().iter().position(|id| id.starts_with(&of_other)).expect("it was sent");
    assert!(place < 100, "{place} were sent before it");
}
