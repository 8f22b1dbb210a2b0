//! What those without a key may do.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Duration, sleep};

use crate::crowd::Crowd;
use crate::figures::Figures;
use crate::stage::{Pace, Stage};

/// How many strangers there are of each kind but the idle ones.
const EACH: usize = 200;

/// How many connections only lie there.
const IDLE: usize = 1_000;

/// From one byte to the next.
const DRIP: Duration = Duration::from_millis(500);

/// Slow heads, slow bodies that belong to nobody or to a company, and connections on which nothing
/// comes.
pub(super) async fn holders(pace: Pace) -> Figures {
    let stage = Stage::new().await;
    let mut play = stage.calm(pace).await;
    let (address, known) = (stage.service.address, stage.other());
    let unknown = known.with_secret(format!("svc_{}", "0".repeat(64)));
    let body = "Content-Type: application/json\r\nIdempotency-Key: lenta\r\nContent-Length: 1000\r\n\r\n";
    let heads = [
        (EACH, known.head("POST", "/clientes", "X-Slow: ")),
        (EACH, unknown.head("POST", "/clientes", body)),
        // As many as a company may have under way.
        (10, known.head("POST", "/clientes", body)),
        (IDLE, String::new()),
    ];
    let mut strangers = JoinSet::new();
    for (many, head) in heads {
        for _ in 0..many {
            strangers.spawn(hold(address, head.clone()));
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

/// Says that, and then a byte now and again; ends when the server does. Without anything to say it
/// only waits.
async fn hold(address: SocketAddr, head: String) {
    let Ok(mut stream) = TcpStream::connect(address).await else { return };
    if stream.write_all(head.as_bytes()).await.is_err() {
        return;
    }
    let (mut from, mut to) = stream.split();
    let drip = async {
        while head.is_empty() || to.write_all(b"1").await.is_ok() {
            sleep(DRIP).await;
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

/// Guesses at the secret of a company's key and at keys that do not exist, sixteen at a time with a
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
    play.notes.push(format!("the strangers: {}", crowd.end().await));
    play.over();
    play.audit(&stage.ground).await
}
