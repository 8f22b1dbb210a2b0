//! What clients without a key may do.

use std::future::pending;
use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant, sleep, timeout};

use crate::client::Actor;
use crate::crowd::Crowd;
use crate::figures::{Figures, not_answered_well, said};
use crate::service::free_address;
use crate::stage::{Ground, Pace, Stage};

/// The number of strangers of each kind but the idle ones.
const EACH: usize = 200;

/// The number of idle connections.
const IDLE: usize = 1_000;

/// The time between two bytes.
const DRIP: Duration = Duration::from_millis(500);

/// Slow heads, slow bodies of nobody and of a company, and silent connections.
pub(super) async fn holders(pace: Pace) -> Figures {
    let stage = Stage::new().await;
    let mut play = stage.calm(pace).await;
    let (address, known) = (stage.service.address, stage.other());
    let unknown = known.with_secret(format!("svc_{}", "0".repeat(64)));
    let body = "Content-Type: application/json\r\nIdempotency-Key: lenta\r\nContent-Length: 1000\r\n\r\n";
    let heads = [
        (EACH, known.head("POST", "/clientes", "X-Slow: ")),
        (EACH, unknown.head("POST", "/clientes", body)),
        // As many as a company may have concurrently.
        (10, known.head("POST", "/clientes", body)),
        (IDLE, String::new()),
    ];
    let mut strangers = JoinSet::new();
    for (many, head) in heads {
        for _ in 0..many {
            let dripping = !head.is_empty();
            strangers.spawn(hold(address, head.clone(), dripping.then_some(DRIP)));
        }
    }
    play.last().await;
    let mut gone = 0;
    while strangers.try_join_next().is_some() {
        gone += 1;
    }
    play.notes.push(format!("{gone} of {} connections were ended by the server meanwhile", gone + strangers.len()));
    strangers.shutdown().await;
    play.over();
    play.audit(&stage.ground).await
}

/// Sends this, and then a byte now and again, if at all; ends with the server.
async fn hold(address: SocketAddr, head: String, drip: Option<Duration>) {
    let Ok(mut stream) = TcpStream::connect(address).await else { return };
    if stream.write_all(head.as_bytes()).await.is_err() {
        return;
    }
    let (mut from, mut to) = stream.split();
    let drip = async {
        match drip {
            Some(pause) => {
                while to.write_all(b"1").await.is_ok() {
                    sleep(pause).await;
                }
            }
            None => pending().await,
        }
    };
    let answer = async {
        let mut all = Vec::new();
        let _ = from.read_to_end(&mut all).await;
    };
    tokio::select! {
        () = drip => {}
        () = answer => {}
    }
}

/// How soon a stranger whose connection was ended comes again.
const AGAIN: Duration = Duration::from_secs(2);

/// How many clients may be connected, and how many strangers try.
const PLACES: (&str, usize) = ("300", 900);

/// Strangers request /health, keep the connection and reconnect when it ends, three times as many
/// as there are places. Meanwhile newcomers with a key send one request each on a connection of
/// their own.
pub(super) async fn idlers(pace: Pace) -> Figures {
    let stage = Stage::with(Ground::new().await, &["--max-clients", PLACES.0]).await;
    let mut play = stage.calm(pace).await;
    let (address, other) = (stage.service.address, stage.other());
    let mut strangers = JoinSet::new();
    for _ in 0..PLACES.1 {
        strangers.spawn(async move {
            loop {
                hold(address, "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), None).await;
                sleep(AGAIN).await;
            }
        });
    }
    let newcomers = Crowd::of(4, move |_| {
        let newcomer = Actor::new(address, other.key_id.clone(), other.api_key.clone());
        async move {
            sleep(Duration::from_millis(20)).await;
            newcomer.get("/clientes?limite=1").await.0
        }
    });
    play.last().await;
    let newcomers = newcomers.end().await;
    play.notes.push(format!("newcomers: {}", said(&newcomers)));
    play.short.extend(not_answered_well(&newcomers).map(|what| format!("newcomers: {what}")));
    strangers.shutdown().await;
    play.over();
    play.audit(&stage.ground).await
}

/// The time limit of a probe, as in the Kubernetes manifest, and the pause between probes.
const PROBE: (Duration, Duration) = (Duration::from_secs(3), Duration::from_millis(100));

/// Strangers hold more connections to the operators' address than it answers, and reconnect when
/// they end, while it is probed.
pub(super) async fn operators(pace: Pace) -> Figures {
    let admin = free_address();
    let stage = Stage::with(Ground::new().await, &["--admin-listen", &admin.to_string()]).await;
    let mut play = stage.calm(pace).await;
    let mut strangers = JoinSet::new();
    for _ in 0..EACH {
        strangers.spawn(async move {
            loop {
                hold(admin, String::new(), None).await;
                sleep(AGAIN).await;
            }
        });
    }
    let (mut slowest, mut failed, mut probes) = (Duration::ZERO, Vec::new(), 0);
    let probing = async {
        loop {
            for path in ["/live", "/ready"] {
                let began = Instant::now();
                let answer = timeout(PROBE.0, probe(admin, path)).await;
                slowest = slowest.max(began.elapsed());
                probes += 1;
                match answer {
                    Ok(Ok(answer)) if answer.starts_with("HTTP/1.1 200") => {}
                    other => failed.push(format!("{path}: {other:?}")),
                }
                sleep(PROBE.1).await;
            }
        }
    };
    tokio::select! {
        () = play.last() => {}
        () = probing => {}
    }
    let number = failed.len();
    play.notes.push(format!("{number} of {probes} probes failed, the slowest took {} ms", slowest.as_millis()));
    play.short.extend(failed);
    strangers.shutdown().await;
    play.over();
    play.audit(&stage.ground).await
}

/// The whole answer to an operator's request.
async fn probe(admin: SocketAddr, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(admin).await?;
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

/// Guesses the secret of a company's key, and keys that do not exist, sixteen at a time with a
/// short pause between.
pub(super) async fn guesses(pace: Pace) -> Figures {
    let stage = Stage::new().await;
    let mut play = stage.calm(pace).await;
    let known = stage.other();
    let crowd = Crowd::of(16, move |guess| {
        let mut actor = known.with_secret(format!("svc_{guess:0>64}"));
        if guess.ends_with(['1', '3', '5', '7', '9']) {
            actor.key_id = format!("1_{:0>12}", guess.replace('-', ""));
        }
        async move {
            sleep(Duration::from_millis(20)).await;
            actor.get("/clientes").await.0
        }
    });
    play.last().await;
    play.notes.push(format!("the strangers: {}", said(&crowd.end().await)));
    play.over();
    play.audit(&stage.ground).await
}
