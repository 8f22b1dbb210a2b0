//! Stored documents: the sealed XML from before it is first sent until its outcome is known, the
//! stamped XML for good.

use std::sync::atomic::{AtomicU32, Ordering};

use chrono::TimeDelta;
use serde_json::json;
use svc_core::domain::cfdi::Cfdi;
use svc_core::domain::clock::Clock as _;
use svc_core::stamping::{SandboxStamper, StampFailure, StampRequest, StampedXml};
use svc_tests::{World, with};

use super::leases::{Slow, while_out};
use super::{Shop, Stub, accept, nails, report, unreachable};
use crate::documents::UUIDS;

/// How many documents the database holds.
#[derive(Debug, Default, PartialEq)]
struct Kept {
    sealed: i64,
    stamped: i64,
}

async fn kept(world: &World) -> Kept {
    let sealed = world.count("facturas_xml WHERE NOT timbrado").await;
    Kept { sealed, stamped: world.count("facturas_xml WHERE timbrado").await }
}

#[tokio::test]
async fn the_same_bytes_are_sent_until_an_answer_comes() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    assert_eq!(kept(&world).await, Kept::default(), "nothing is sealed before it is needed");
    // The provider stamps it at once, but its answers are lost.
    let stamped = Stub::new(|request: &StampRequest| {
        accept(request)?;
        Err(StampFailure::Unreachable("lost".to_owned()))
    });
    world.stamp(&stamped).await;
    assert_eq!(kept(&world).await, Kept { sealed: 1, ..Kept::default() });
    // The records behind the document change, and it grows older than the authority accepts.
    shop.actor.put("/clientes/1", json!({"nombre": "Ana María", "cp": "01000"})).await.ok(200);
    for _ in 0..3 {
        world.clock.advance(TimeDelta::hours(30));
        world.stamp(&stamped).await;
    }
    world.clock.advance(TimeDelta::hours(30));
    let last = Stub::new(accept);
    assert_eq!(world.stamp(&last).await, with!(report(), timbrados: 1));
    let mut sent = stamped.sent();
    sent.extend(last.sent());
    assert_eq!(sent.len(), 5);
    assert!(sent.iter().all(|xml| *xml == sent[0]), "{sent:?}");
    assert_eq!(Cfdi::read(&sent[0]).unwrap().receptor.nombre, "ANA");
    assert_eq!(kept(&world).await, Kept { stamped: 1, ..Kept::default() });
    assert_eq!(shop.factura(factura).await["estatus"], "vigente");
}

#[tokio::test]
async fn workers_that_vanish_at_any_step_leave_one_document() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    // The first worker sends it and vanishes; the next loses its lease while it waits.
    let first = Slow::new(unreachable);
    let mut sent = Vec::new();
    let inner = async {
        for _ in 0..3 {
            world.clock.advance(TimeDelta::hours(2));
            world.end_leases().await;
            let stub = Stub::new(|_: &StampRequest| -> Result<StampedXml, StampFailure> { panic!("it dies") });
            assert_eq!(world.stamp(&stub).await, with!(report(), fallidos: 1));
            sent.extend(stub.sent());
        }
        world.clock.advance(TimeDelta::hours(2));
        world.end_leases().await;
        let stub = Stub::new(accept);
        assert_eq!(world.stamp(&stub).await, with!(report(), timbrados: 1));
        sent.extend(stub.sent());
    };
    assert_eq!(while_out(&world, &first, inner).await, with!(report(), perdidos: 1));
    assert_eq!(sent.len(), 4);
    assert!(sent.iter().all(|xml| *xml == sent[0]));
    assert_eq!(kept(&world).await, Kept { stamped: 1, ..Kept::default() });
}

#[tokio::test]
async fn a_refused_document_is_dropped_and_a_stamped_one_stays() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, refused) = shop.invoice(nails()).await;
    let refuse =
        Stub::new(|_| Err(StampFailure::Rejected { codigo: "CFDI40145".to_owned(), mensaje: "No".to_owned() }));
    assert_eq!(world.stamp(&refuse).await, with!(report(), rechazados: 1));
    assert_eq!(kept(&world).await, Kept::default());
    // The application reports a document that is not known here.
    let (_, elsewhere) = shop.invoice(nails()).await;
    world.stamp(&Stub::new(unreachable)).await;
    assert_eq!(kept(&world).await, Kept { sealed: 1, ..Kept::default() });
    shop.company.run_by_name("invoice.stamped", &json!({"factura": elsewhere, "uuid": UUIDS[1]})).await.unwrap();
    assert_eq!(kept(&world).await, Kept::default());
    let (_, stamped) = shop.invoice(nails()).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(kept(&world).await, Kept { stamped: 1, ..Kept::default() });
    shop.company.run_by_name("invoice.cancel", &json!({"factura": stamped, "motivo": "02"})).await.unwrap();
    assert_eq!(kept(&world).await, Kept { stamped: 1, ..Kept::default() });
    assert_eq!(shop.factura(refused).await["error_codigo"], "CFDI40145");
}

#[tokio::test]
async fn an_answer_with_another_document_is_no_stamp() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    shop.invoice(nails()).await;
    let first = Stub::new(unreachable);
    world.stamp(&first).await;
    let asked = first.sent();
    let others = Stub::new(|request: &StampRequest| {
        let other = asked.iter().find(|xml| **xml != request.xml).expect("two documents");
        let other = StampRequest::new(request.id.clone(), other.clone());
        request.stamped(SandboxStamper::sign(&other, UUIDS[0].parse().unwrap(), world.clock.now())?.xml)
    });
    world.clock.advance(TimeDelta::hours(1));
    assert_eq!(world.stamp(&others).await, with!(report(), pospuestos: 2));
    assert_eq!(kept(&world).await, Kept { sealed: 2, ..Kept::default() });
    assert_eq!(world.count("timbrados WHERE ultimo_error LIKE '%another document%'").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_answers_and_many_workers_make_one_document_each() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    for _ in 0..60 {
        shop.invoice(nails()).await;
    }
    // Two of three answers are lost.
    let count = AtomicU32::new(0);
    let stamper = Stub::new(|request: &StampRequest| {
        let stamped = accept(request)?;
        let lost = !count.fetch_add(1, Ordering::Relaxed).is_multiple_of(3);
        if lost { Err(StampFailure::Unreachable("lost".to_owned())) } else { Ok(stamped) }
    });
    for _ in 0..40 {
        futures_util::future::join_all((0..4).map(|_| world.stamp(&stamper))).await;
        world.clock.advance(TimeDelta::hours(2));
    }
    assert_eq!(world.count("facturas WHERE estatus = 'vigente'").await, 60);
    assert_eq!(kept(&world).await, Kept { stamped: 60, ..Kept::default() });
    let mut sent: Vec<(String, String)> = stamper.ids().into_iter().zip(stamper.sent()).collect();
    assert!(sent.len() > 120, "{}", sent.len());
    sent.sort_unstable();
    sent.dedup();
    assert_eq!(sent.len(), 60, "one document an invoice, however often it was sent");
}
