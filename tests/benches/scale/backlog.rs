//! A backlog of due deliveries.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use svc_tests::receiver::Receiver;
use tokio::time::sleep;

use crate::healthy::Healthy;
use crate::{Case, EACH, WINDOW, fill, lasting, memory, start, webhooks, world};

/// This many companies, each with [`EACH`] webhooks of one host and this many events; the host
/// answers after `delay`.
pub(crate) async fn case(case: &Case, companies: i64, events: i64, delay: Duration) {
    let world = world().await;
    let healthy = Healthy::new(&world).await;
    let receiver = Receiver::counting(Ipv4Addr::UNSPECIFIED, delay).await;
    let template = world.company().await;
    webhooks(&template, EACH, 3, receiver.address.port()).await;
    let companies = fill::copies(&template, companies).await;
    fill::events(world.pool(), &companies, events, true).await;
    fill::schedule(world.pool(), &companies).await;
    let due = world.count("entregas").await;
    let service = start(&world).await;
    let ((took, statements), times) = healthy
        .during(async {
            let (began, before) = (Instant::now(), world.statements("%").await);
            sent(&receiver, due, WINDOW).await;
            (began.elapsed(), world.statements("%").await - before)
        })
        .await;
    let (sent, seconds) = (receiver.answered(), took.as_secs_f64());
    case.figure("webhooks, due deliveries", format!("{}, {due}", companies.len() as i64 * EACH));
    case.figure("sent", format!("{sent} in {seconds:.0} s: {:.1} a second", sent as f64 / seconds));
    case.figure(
        "statements a delivery, the healthy company's included",
        format!("{:.3}", statements as f64 / sent as f64),
    );
    case.figure("memory of the service", memory(&service));
    case.figure("notices of a healthy company meanwhile", times);
    service.stop();
}

/// Waits until this many have been answered, at most as long as a case runs.
pub(crate) async fn sent(receiver: &Receiver, count: i64, window: Duration) {
    let began = Instant::now();
    while receiver.answered() < count.cast_unsigned() && began.elapsed() < lasting(window) {
        sleep(Duration::from_millis(20)).await;
    }
}
