//! Very many deliveries are due.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use svc_tests::receiver::Receiver;
use tokio::time::sleep;

use crate::healthy::Healthy;
use crate::service::Service;
use crate::{Case, DUE, EACH, WINDOW, fill, lasting, sized, webhooks, world};

/// Companies that they are of.
const OF: i64 = 10;

pub(crate) async fn case(case: &Case) {
    let world = world().await;
    let healthy = Healthy::new(&world).await;
    let receiver = Receiver::counting(Ipv4Addr::UNSPECIFIED, Duration::ZERO).await;
    let template = world.company().await;
    webhooks(&template, EACH, 3, receiver.address.port()).await;
    let companies = fill::copies(&template, OF).await;
    fill::events(world.pool(), &companies, sized(DUE) / OF / EACH, true).await;
    let due = world.count("entregas").await;
    let service = Service::start(&world).await;
    let ((took, statements), times) = healthy
        .during(async {
            let (began, before) = (Instant::now(), world.statements("%").await);
            sent(&receiver, due, WINDOW).await;
            (began.elapsed(), world.statements("%").await - before)
        })
        .await;
    let sent = receiver.answered();
    case.figure("due deliveries", due);
    case.figure(
        "sent",
        format!("{sent} in {:.0} s: {:.0} a second", took.as_secs_f64(), sent as f64 / took.as_secs_f64()),
    );
    case.figure(
        "statements a delivery, the healthy company's included",
        format!("{:.3}", statements as f64 / sent as f64),
    );
    case.figure("memory of the service", service.memory());
    case.figure("notices of a healthy company meanwhile", times);
    service.stop();
}

/// Waits until that many have been answered, but not longer than a case is watched.
pub(crate) async fn sent(receiver: &Receiver, count: i64, window: Duration) {
    let began = Instant::now();
    while receiver.answered() < count.cast_unsigned() && began.elapsed() < lasting(window) {
        sleep(Duration::from_millis(20)).await;
    }
}
