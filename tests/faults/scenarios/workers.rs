//! Faults of background work, in a program that embeds the library.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use svc_core::domain::clock::{Clock, SystemClock};
use svc_core::webhooks::{EVENT_ID, Outcome, Post, Sender};
use svc_tests::receiver::{Arrived, Receiver};

use crate::embedded::{self, Embedded};
use crate::figures::Figures;
use crate::notices::{TIPO, register, validate};
use crate::stage::{Ground, Pace, Play};

/// What a sender that breaks says.
const BROKEN: &str = "this sender breaks over one company's notices";

/// Counts what it is given, takes its time, and breaks over one company's notices.
#[derive(Default)]
struct Counting {
    arrived: Arrived,
    /// The path of a URL that it breaks over.
    breaks: Option<String>,
    broke: AtomicUsize,
    takes: Duration,
    sent: AtomicUsize,
}

#[async_trait]
impl Sender for Counting {
    async fn send(&self, post: Post) -> Outcome {
        if self.breaks.as_ref().is_some_and(|path| post.url.contains(path.as_str())) {
            self.broke.fetch_add(1, Ordering::Relaxed);
            panic!("{BROKEN}");
        }
        self.sent.fetch_add(1, Ordering::Relaxed);
        let id = post.headers[EVENT_ID].to_str().expect("text").to_owned();
        self.arrived.lock().expect("nobody panicked").entry(id).or_default().push(SystemClock.now());
        tokio::time::sleep(self.takes).await;
        Outcome::Answered { status: 204, retry_after: None }
    }

    async fn pause(&self, pause: Duration) {
        tokio::time::sleep(pause).await;
    }
}

/// The sender panics over one company's notices; all others' go out.
pub(super) async fn panics(pace: Pace) -> Figures {
    let ground = Ground::new().await;
    let receiver = Receiver::start(Ipv4Addr::LOCALHOST).await;
    for company in ground.healthy.iter().chain([&ground.other]) {
        register(&receiver, &ground.database, company).await;
    }
    // Of all webhooks that one alone leads there.
    let (path, other) = ("/rota", ground.other.id);
    ground.database.run(&format!("UPDATE webhooks SET url = url || '{path}' WHERE empresa = {other}")).await;
    let sender = Arc::new(Counting { breaks: Some(path.to_owned()), ..Counting::default() });
    let server = Embedded::start(&ground, sender.clone()).await;
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // It is expected, and many times.
        if panic.payload_as_str() != Some(BROKEN) {
            before(panic);
        }
    }));
    let mut play = Play::begin(&ground, server.address, pace).await;
    let broken = svc_tests::pool_of_options(ground.database.options());
    svc_tests::notices::events(&broken, other, TIPO, 100, SystemClock.now()).await;
    broken.close().await;
    play.last().await;
    play.over();
    let mut figures = play.audit(&ground).await;
    validate(&sender.arrived, &ground.database, &mut figures).await;
    figures.notes.push(format!("{} panics", sender.broke.load(Ordering::Relaxed)));
    figures
}

/// The machine's clock, and something more.
struct Ahead(TimeDelta);

impl Clock for Ahead {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() + self.0
    }
}

/// Two processes deliver the same notices, and the clock of one of them is wrong.
pub(super) async fn skew(pace: Pace) -> Figures {
    let ground = Ground::new().await;
    let receiver = Receiver::start(Ipv4Addr::LOCALHOST).await;
    for company in &ground.healthy {
        register(&receiver, &ground.database, company).await;
    }
    let takes = Duration::from_millis(100);
    let sender = Arc::new(Counting { takes, ..Counting::default() });
    let ahead = Arc::new(Counting { takes, arrived: sender.arrived.clone(), ..Counting::default() });
    let server = Embedded::start(&ground, sender.clone()).await;
    let mut play = Play::begin(&ground, server.address, pace).await;
    let wrong = embedded::worker(&ground, Arc::new(Ahead(TimeDelta::minutes(10))), ahead.clone());
    play.last().await;
    wrong.abort();
    play.over();
    let mut figures = play.audit(&ground).await;
    validate(&sender.arrived, &ground.database, &mut figures).await;
    let sent = [&sender, &ahead].map(|sender| sender.sent.load(Ordering::Relaxed));
    figures.notes.push(format!("sent by the one {}, by the one that is ahead {}", sent[0], sent[1]));
    figures
}
