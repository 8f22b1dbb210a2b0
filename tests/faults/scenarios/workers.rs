//! Faults of background work, in a program that embeds the library.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use axum::body::Bytes;
use chrono::TimeDelta;
use svc_core::Providers;
use svc_core::domain::clock::{Clock, SystemClock};
use svc_core::stamping::{HttpStamper, SatStatus, Stamper};
use svc_core::webhooks::{EVENT_ID, Outcome, Post, Sender};
use svc_tests::receiver::{Arrived, Receiver};
use tokio::net::TcpListener;

use crate::embedded::{self, Ahead, Embedded};
use crate::figures::Figures;
use crate::notices::{TIPO, register, validate};
use crate::scenarios::greed::{document, keep};
use crate::stage::{Ground, Pace, Play};

/// The text of the sender's panic.
const BROKEN: &str = "this sender breaks over one company's notices";

/// Counts its requests, takes its time, and panics over one company's notices.
#[derive(Default)]
struct Counting {
    arrived: Arrived,
    /// The path of the URL that it panics over.
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

/// The sender panics over one company's notices; all others arrive.
pub(super) async fn panics(pace: Pace) -> Figures {
    let ground = Ground::new().await;
    let receiver = Receiver::start(Ipv4Addr::LOCALHOST).await;
    for company in ground.healthy.iter().chain([&ground.other]) {
        register(&receiver, &ground.database, company).await;
    }
    // Only that company's webhook leads there.
    let (path, other) = ("/rota", ground.other.id);
    ground.database.run(&format!("UPDATE webhooks SET url = url || '{path}' WHERE empresa = {other}")).await;
    let sender = Arc::new(Counting { breaks: Some(path.to_owned()), ..Counting::default() });
    let server = Embedded::start(&ground, Providers::default().sender(sender.clone() as Arc<dyn Sender>)).await;
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // The panic is expected, and many times.
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

/// The number of elements in an answer that is no document.
const ELEMENTS: usize = 900_000;

/// The number of documents that get such an answer.
const DOCUMENTS: i64 = 20;

/// A provider on this machine that answers each document with this text; returns its address.
async fn provider(answer: Bytes) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let app = axum::Router::new().fallback(move || async move { answer });
    tokio::spawn(async move { axum::serve(listener, app).await.expect("it serves") });
    format!("http://{address}")
}

/// A provider answers with very many elements while others' notices go out.
pub(super) async fn answers(pace: Pace) -> Figures {
    let ground = Ground::new().await;
    let receiver = Receiver::start(Ipv4Addr::LOCALHOST).await;
    for company in &ground.healthy {
        register(&receiver, &ground.database, company).await;
    }
    let elements = (0..ELEMENTS).map(|number| format!("<x{}/>", number % 1_000));
    let answer = document(1).replace("</cfdi:Comprobante>", &(elements.collect::<String>() + "</cfdi:Comprobante>"));
    let status = SatStatus::new(Some("http://127.0.0.1:9"), Duration::from_secs(1)).expect("a URL");
    let stamper = HttpStamper::new(&provider(answer.into()).await, "token", status, Duration::from_secs(30));
    let (sender, stamper) = (Arc::new(Counting::default()), Arc::new(stamper.expect("a provider")));
    let outside = Providers::default().sender(sender.clone() as Arc<dyn Sender>);
    let server = Embedded::start(&ground, outside.stamper(stamper as Arc<dyn Stamper>)).await;
    let mut play = Play::begin(&ground, server.address, pace).await;
    let other = ground.other.id;
    for factura in 1..=DOCUMENTS {
        keep(&ground.database, other, factura, false, &document(1)).await;
    }
    let due =
        "INSERT INTO timbrados (empresa, factura, proximo, creado) SELECT empresa, clave, now(), now() FROM facturas";
    ground.database.run(&format!("{due} WHERE empresa = {other}")).await;
    let began = Instant::now();
    ground.database.wait("SELECT min(intentos) > 0 FROM timbrados").await;
    play.notes.push(format!("{DOCUMENTS} answers were read in {:.1} s", began.elapsed().as_secs_f64()));
    play.last().await;
    play.over();
    let mut figures = play.audit(&ground).await;
    validate(&sender.arrived, &ground.database, &mut figures).await;
    figures
}

/// Two processes deliver the same notices, and the clock of one is wrong.
pub(super) async fn skew(pace: Pace) -> Figures {
    let ground = Ground::new().await;
    let receiver = Receiver::start(Ipv4Addr::LOCALHOST).await;
    for company in &ground.healthy {
        register(&receiver, &ground.database, company).await;
    }
    let takes = Duration::from_millis(100);
    let sender = Arc::new(Counting { takes, ..Counting::default() });
    let ahead = Arc::new(Counting { takes, arrived: sender.arrived.clone(), ..Counting::default() });
    let server = Embedded::start(&ground, Providers::default().sender(sender.clone() as Arc<dyn Sender>)).await;
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
