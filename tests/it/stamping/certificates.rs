//! What stamping leaves with the certificate that it signs with.

use chrono::TimeDelta;
use svc_core::domain::clock::Clock as _;
use svc_core::operations::ListCertificates;
use svc_core::stamping::SandboxStamper;
use svc_tests::{World, certificate};

use super::{Shop, nails};

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
