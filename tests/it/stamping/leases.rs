//! Several workers, vanished workers, and late results.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};
use svc_core::stamping::{SandboxStamper, StampFailure, StampReport, StampRequest, StampedXml, Stamper};
use svc_tests::{World, with};
use tokio::sync::Semaphore;

use super::{Shop, Stub, accept, nails, report, uuid};
use crate::documents::UUIDS;

/// A provider that answers when released, and signals each request.
pub(super) struct Slow {
    requests: Semaphore,
    answers: Semaphore,
    answer: fn(&StampRequest) -> Result<StampedXml, StampFailure>,
}

impl Slow {
    pub(super) fn new(answer: fn(&StampRequest) -> Result<StampedXml, StampFailure>) -> Arc<Self> {
        Arc::new(Self { requests: Semaphore::new(0), answers: Semaphore::new(0), answer })
    }
}

#[async_trait]
impl Stamper for Slow {
    async fn stamp(&self, request: &StampRequest) -> Result<StampedXml, StampFailure> {
        self.requests.add_permits(1);
        self.answers.acquire().await.expect("it is never closed").forget();
        (self.answer)(request)
    }

    fn deadline(&self) -> Duration {
        Duration::from_secs(30)
    }
}

/// Lets a worker send one invoice to `slow`, runs `meanwhile`, then lets `slow` answer; returns the
/// report.
pub(super) async fn while_out(world: &World, slow: &Arc<Slow>, meanwhile: impl Future<Output = ()>) -> StampReport {
    let mut worker = {
        let (world, slow) = (world.clone(), slow.clone());
        tokio::spawn(async move { world.stamp(slow.as_ref()).await })
    };
    tokio::select! {
        request = slow.requests.acquire() => request.expect("it is never closed").forget(),
        done = &mut worker => panic!("no request was made: {done:?}"),
    }
    meanwhile.await;
    slow.answers.add_permits(1);
    worker.await.expect("no panic")
}

#[tokio::test]
async fn a_worker_that_vanished_is_replaced_when_its_lease_ends() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    let late = Slow::new(|request| {
        SandboxStamper::sign(request, UUIDS[0].parse().unwrap(), "2026-10-12T18:00:00Z".parse().unwrap())
    });
    let taken_over = async {
        let other = Stub::new(accept);
        world.clock.advance(TimeDelta::hours(1));
        assert_eq!(world.stamp(&other).await, report(), "this worker's clock does not end the lease");
        let lasts = "SELECT arrendado - now() BETWEEN interval '110 s' AND interval '120 s' FROM timbrados";
        assert!(world.sql::<bool>(lasts).await, "twice the deadline and a minute");
        world.end_leases().await;
        assert_eq!(world.stamp(&other).await, with!(report(), timbrados: 1));
        assert_eq!(other.ids(), [format!("{}-{factura}", shop.company.id.0)]);
    };
    assert_eq!(while_out(&world, &late, taken_over).await, with!(report(), perdidos: 1));
    let stamped = shop.factura(factura).await;
    assert_eq!(stamped["uuid"], uuid(&format!("{}-{factura}", shop.company.id.0)).to_string());
    assert_eq!(world.count("eventos WHERE tipo = 'factura.timbrada'").await, 1);
}

#[tokio::test]
async fn a_late_failure_does_not_disturb_the_next_worker() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    for answer in [super::unreachable, |_: &StampRequest| {
        Err(StampFailure::Rejected { codigo: "CFDI40145".to_owned(), mensaje: "No".to_owned() })
    }] {
        let (late, second) = (Slow::new(answer), Slow::new(super::unreachable));
        let inner = async {
            world.clock.advance(TimeDelta::hours(2));
            world.end_leases().await;
            let held = async { assert_eq!(shop.factura(factura).await["estatus"], "en_espera") };
            let report = while_out(&world, &second, held).await;
            assert_eq!(report, with!(super::report(), pospuestos: 1));
        };
        assert_eq!(while_out(&world, &late, inner).await, with!(report(), perdidos: 1));
        assert_eq!(shop.factura(factura).await["estatus"], "en_espera");
        world.clock.advance(TimeDelta::hours(2));
    }
    assert_eq!(world.sql::<i32>("SELECT intentos FROM timbrados").await, 2, "those of who held the lease");
}

#[tokio::test]
async fn the_application_may_report_a_result_while_a_record_is_leased() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let refusal = |factura: i64| json!({"factura": factura, "codigo": "X", "mensaje": "Así no"});
    for (action, input, estatus) in [
        ("invoice.stamped", (|factura| json!({"factura": factura, "uuid": UUIDS[1]})) as fn(i64) -> Value, "vigente"),
        ("invoice.rejected", refusal, "error"),
    ] {
        let (_, factura) = shop.invoice(nails()).await;
        let reported = async {
            shop.company.run_by_name(action, &input(factura)).await.unwrap();
        };
        let done = Box::pin(while_out(&world, &Slow::new(accept), reported)).await;
        assert_eq!(done, with!(report(), perdidos: 1), "{action}");
        let record = shop.factura(factura).await;
        assert_eq!(record["estatus"], estatus);
        assert_eq!(record["uuid"], if estatus == "vigente" { json!(UUIDS[1]) } else { Value::Null });
    }
    assert_eq!(world.count("timbrados").await, 0);
    assert_eq!(world.count("eventos WHERE tipo = 'factura.timbrada'").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_workers_stamp_each_record_once() {
    let world = World::new().await;
    let shops = [Shop::new(&world).await, Shop::new(&world).await];
    for _ in 0..100 {
        join_all(shops.iter().map(|shop| shop.invoice(nails()))).await;
    }
    let stamper = Arc::new(Stub::new(accept as fn(&StampRequest) -> _));
    let workers = (0..8).map(|_| {
        let (world, stamper) = (world.clone(), stamper.clone());
        tokio::spawn(async move { world.stamp(stamper.as_ref()).await })
    });
    let reports: Vec<StampReport> = join_all(workers).await.into_iter().map(Result::unwrap).collect();
    let sum: u64 = reports.iter().map(|report| report.timbrados).sum();
    assert_eq!(sum, 200, "{reports:?}");
    assert_eq!(reports.iter().filter(|done| **done != with!(report(), timbrados: done.timbrados)).count(), 0);
    let ids = stamper.ids();
    assert_eq!((ids.len(), ids.iter().collect::<HashSet<_>>().len()), (200, 200));
    assert_eq!(world.count("facturas WHERE estatus = 'vigente'").await, 200);
    assert_eq!(world.count("eventos WHERE tipo = 'factura.timbrada'").await, 200);
}

#[tokio::test]
async fn no_connection_is_held_while_a_stamper_works() {
    let world = World::on(with!(svc_store_postgres::Settings::default(), max_connections: 1), |api| api).await;
    let shop = Shop::new(&world).await;
    for _ in 0..3 {
        shop.invoice(nails()).await;
    }
    let slow = Slow::new(accept);
    let busy = async {
        let requests = tokio::time::timeout(Duration::from_mins(1), slow.requests.acquire_many(2)).await;
        requests.expect("the others are sent too").expect("it is never closed").forget();
        assert_eq!(shop.actor.get("/facturas").await.ok(200)["datos"].as_array().map(Vec::len), Some(3));
        slow.answers.add_permits(2);
    };
    assert_eq!(while_out(&world, &slow, busy).await, with!(report(), timbrados: 3));
}
