//! Cases that once delayed everyone's notices.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use svc_tests::receiver::Receiver;
use tokio::time::sleep;

use crate::backlog::sent;
use crate::healthy::Healthy;
use crate::{
    Case, EACH, EVENTS_OF_SLOW, EVENTS_TO_FAN_OUT, SLOW, WINDOW, fill, lasting, sized, start, webhooks, world,
};

/// Companies with slow receivers, each at its own host.
const SLOW_COMPANIES: i64 = 3;

/// Webhooks of the company whose events are fanned out.
const WEBHOOKS: i64 = 8;

/// Thirty webhooks of three companies, with slow receivers.
pub(crate) async fn receivers(case: &Case) {
    let world = world().await;
    let healthy = Healthy::new(&world).await;
    let receiver = Receiver::counting(Ipv4Addr::UNSPECIFIED, SLOW).await;
    let mut companies = Vec::new();
    for number in 0..SLOW_COMPANIES {
        let company = world.company().await;
        webhooks(&company, EACH, 3 + number, receiver.address.port()).await;
        companies.push(company.id.0);
    }
    fill::events(world.pool(), &companies, EVENTS_OF_SLOW, true).await;
    fill::schedule(world.pool(), &companies).await;
    let due = world.count("entregas").await;
    let service = start(&world).await;
    let ((), times) = healthy.during(sent(&receiver, due, WINDOW)).await;
    case.figure("slow webhooks, due deliveries", format!("{}, {due}", SLOW_COMPANIES * EACH));
    case.figure("sent", receiver.answered());
    case.figure("notices of a healthy company meanwhile", times);
    service.stop();
}

/// Many events of one company become deliveries.
pub(crate) async fn fan_out(case: &Case) {
    let world = world().await;
    let healthy = Healthy::new(&world).await;
    let receiver = Receiver::counting(Ipv4Addr::UNSPECIFIED, Duration::ZERO).await;
    let company = world.company().await;
    webhooks(&company, WEBHOOKS, 3, receiver.address.port()).await;
    let events = sized(EVENTS_TO_FAN_OUT);
    fill::events(world.pool(), &[company.id.0], events, false).await;
    let service = start(&world).await;
    let (took, times) = healthy
        .during(async {
            let began = Instant::now();
            while waits(&company).await && began.elapsed() < lasting(WINDOW) {
                sleep(Duration::from_millis(100)).await;
            }
            began.elapsed()
        })
        .await;
    let made = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM entregas WHERE empresa = $1").bind(company.id.0);
    let made = made.fetch_one(world.pool()).await.expect("the deliveries are counted");
    case.figure("events, webhooks", format!("{events}, {WEBHOOKS}"));
    case.figure("deliveries made", format!("{made} in {:.1} s", took.as_secs_f64()));
    case.figure("deliveries sent meanwhile", receiver.answered());
    case.figure("notices of a healthy company meanwhile", times);
    service.stop();
}

/// Whether a company has events without deliveries.
async fn waits(company: &svc_tests::Company) -> bool {
    let waits = "SELECT EXISTS (SELECT FROM eventos WHERE empresa = $1 AND NOT repartido)";
    sqlx::query_scalar(waits).bind(company.id.0).fetch_one(company.world.pool()).await.expect("an answer")
}
