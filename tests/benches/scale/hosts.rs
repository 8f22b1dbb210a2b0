//! Very many webhooks lead to one host.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use svc_tests::receiver::Receiver;

use crate::backlog::sent;
use crate::healthy::Healthy;
use crate::service::Service;
use crate::{Case, EACH, WEBHOOKS_OF_HOST, WINDOW, fill, sized, webhooks, world};

/// The host answers after `delay`.
pub(crate) async fn case(case: &Case, events: i64, delay: Duration) {
    let world = world().await;
    let healthy = Healthy::new(&world).await;
    let receiver = Receiver::counting(Ipv4Addr::UNSPECIFIED, delay).await;
    let template = world.company().await;
    webhooks(&template, EACH, 3, receiver.address.port()).await;
    let companies = fill::copies(&template, (sized(WEBHOOKS_OF_HOST) / EACH).max(1)).await;
    fill::events(world.pool(), &companies, events, true).await;
    let due = world.count("entregas").await;
    let service = Service::start(&world).await;
    let (took, times) = healthy
        .during(async {
            let began = Instant::now();
            sent(&receiver, due, WINDOW).await;
            began.elapsed()
        })
        .await;
    let (sent, seconds) = (receiver.answered(), took.as_secs_f64());
    case.figure("webhooks, due deliveries", format!("{}, {due}", companies.len() as i64 * EACH));
    case.figure("sent", format!("{sent} in {seconds:.0} s: {:.1} a second", sent as f64 / seconds));
    case.figure("memory of the service", service.memory());
    case.figure("notices of a healthy company meanwhile", times);
    service.stop();
}
