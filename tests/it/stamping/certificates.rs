//! What stamping leaves with the certificate that it signs with.

use chrono::TimeDelta;
use svc_core::domain::clock::Clock as _;
use svc_core::operations::ListCertificates;
use svc_core::stamping::SandboxStamper;
use svc_tests::{World, certificate};

use super::{Shop, Stub, accept, nails, unreachable};

#[tokio::test]
async fn a_certificate_tells_the_last_day_on_which_it_signed() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let used = async || {
        let found = shop.company.run(&ListCertificates).await.unwrap();
        found.into_iter().map(|found| (found.numero, found.usado)).collect::<Vec<_>>()
    };
    let numero = "30001000000500003416".to_owned();
    assert_eq!(used().await, [(numero.clone(), None)]);
    for _ in 0..2 {
        shop.invoice(nails()).await;
        world.stamp(&SandboxStamper).await;
        assert_eq!(used().await, [(numero.clone(), Some(world.clock.now().date_naive()))]);
        world.clock.advance(TimeDelta::days(1));
    }
    // Loading it again signs nothing.
    let before = used().await;
    shop.company.run(&certificate::load("valid", "valid")).await.unwrap();
    shop.company.run(&certificate::load("renewed", "renewed")).await.unwrap();
    let renewed = ("30001000000500003417".to_owned(), None);
    assert_eq!(used().await, [vec![renewed], before].concat());
}

#[tokio::test]
async fn a_document_is_not_dated_before_its_certificate_is_valid() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, sent) = shop.invoice(nails()).await;
    let lost = Stub::new(unreachable);
    world.stamp(&lost).await;
    let (_, unsent) = shop.invoice(nails()).await;
    world.clock.advance(TimeDelta::hours(2));
    world.run("UPDATE certificados SET desde = '2026-10-12T19:00:00Z'").await;
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await.timbrados, 2);
    let sent_again = stamper.sent().into_iter().filter(|xml| lost.sent().contains(xml)).count();
    assert_eq!(sent_again, 1, "what may be stamped keeps its date: {sent}");
    let fresh = stamper.sent().into_iter().find(|xml| !lost.sent().contains(xml)).expect("the other document");
    assert!(fresh.contains(" Fecha=\"2026-10-12T14:00:00\""), "{unsent}: {fresh}");
}
