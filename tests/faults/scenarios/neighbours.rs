//! What one company may do to others.

use std::fmt::Write as _;
use std::net::Ipv4Addr;

use axum::body::Bytes;
use http::Method;
use serde_json::json;
use svc_tests::receiver::Receiver;
use tokio::time::{Duration, Instant, sleep, timeout};

use crate::client::{Actor, Outcome};
use crate::crowd::Crowd;
use crate::figures::{Figures, said};
use crate::notices::{TIPO, register, validate};
use crate::stage::{Pace, Stage};

/// As many concurrent requests as a company may have.
const IN_FLIGHT: usize = 10;

async fn create(actor: Actor, key: String) -> Outcome {
    actor.write(Method::POST, "/clientes", &key, json!({"nombre": "Eva"}).to_string().into()).await.0
}

/// Ten writers wait for their company's counter, which is locked for as long as the fault lasts.
pub(super) async fn locks(pace: Pace) -> Figures {
    let stage = Stage::new().await;
    let mut play = stage.calm(pace).await;
    let mut holder = stage.ground.database.connect().await.expect("a connection");
    sqlx::raw_sql("BEGIN").execute(&mut holder).await.expect("a transaction");
    let lock = sqlx::query("SELECT FROM contadores WHERE empresa = $1 FOR UPDATE").bind(stage.ground.other.id);
    lock.execute(&mut holder).await.expect("the lock");
    play.fault();
    let actor = stage.other();
    let crowd = Crowd::of(IN_FLIGHT, move |key| create(actor.clone(), key));
    play.last().await;
    play.notes.push(format!("the company itself: {}", said(&crowd.end().await)));
    sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.expect("the lock is released");
    play.over();
    play.audit(&stage.ground).await
}

/// Ten concurrent requests all the time, five of them by clients that hang up sooner or later.
pub(super) async fn greed(pace: Pace) -> Figures {
    let stage = Stage::new().await;
    let mut play = stage.calm(pace).await;
    let (writer, reader) = (stage.other(), stage.other());
    let writers = Crowd::of(IN_FLIGHT / 2, move |key| create(writer.clone(), key));
    let readers = Crowd::of(IN_FLIGHT / 2, move |key| {
        let (actor, patience) = (reader.clone(), key.len() as u64 * 7 % 20);
        async move {
            let read = timeout(Duration::from_millis(patience), actor.get("/clientes?limite=30")).await;
            read.map_or(Outcome::Cut, |(outcome, _)| outcome)
        }
    });
    play.last().await;
    play.notes.push(format!("the company itself: {}; {}", said(&writers.end().await), said(&readers.end().await)));
    play.over();
    play.audit(&stage.ground).await
}

/// Bodies of 1 MiB that are an array of small numbers, four at a time with a short pause between.
/// The question is whether they delay others, not how many the machine can handle.
pub(super) async fn bodies(pace: Pace) -> Figures {
    let stage = Stage::new().await;
    let mut play = stage.calm(pace).await;
    let mut numbers = "[1".to_owned();
    while numbers.len() < 1_048_000 {
        numbers.write_str(",1").expect("memory");
    }
    let (actor, body) = (stage.other(), Bytes::from(numbers + "]"));
    let crowd = Crowd::of(4, move |key| {
        let (actor, body) = (actor.clone(), body.clone());
        async move {
            sleep(Duration::from_millis(20)).await;
            actor.write(Method::POST, "/clientes", &key, body).await.0
        }
    });
    play.last().await;
    play.notes.push(format!("the company itself: {}", said(&crowd.end().await)));
    play.over();
    play.audit(&stage.ground).await
}

/// A webhook with very many due deliveries is deleted while others' notices go out.
pub(super) async fn backlog(pace: Pace) -> Figures {
    let stage = Stage::new().await;
    let (ground, receiver) = (&stage.ground, Receiver::start(Ipv4Addr::LOCALHOST).await);
    for company in ground.healthy.iter().chain([&ground.other]) {
        register(&receiver, &ground.database, company).await;
    }
    let mut database = ground.database.connect().await.expect("a connection");
    let (other, many) = (ground.other.id, i64::from(pace.backlog));
    // As after days of an absent receiver: none is due during the play.
    for statement in [
        "INSERT INTO eventos (empresa, id, clave, tipo, recurso, recurso_clave, cuerpo, creado, repartido)
         SELECT $1, gen_random_uuid(), n, $2, 'clientes', n, '{}', now(), true FROM generate_series(1, $3) n",
        "INSERT INTO entregas (empresa, clave, webhook, evento, tipo, creado, proximo_intento)
         SELECT empresa, 1000000 + recurso_clave, 1, id, tipo, creado, creado + interval '1 hour'
         FROM eventos WHERE empresa = $1 AND tipo = $2 AND recurso_clave <= $3",
    ] {
        let rows = sqlx::query(statement).bind(other).bind(TIPO).bind(many).execute(&mut database).await.expect("rows");
        assert_eq!(rows.rows_affected(), u64::from(pace.backlog));
    }
    sqlx::raw_sql("ANALYZE entregas").execute(&mut database).await.expect("statistics");
    let mut play = stage.calm(pace).await;
    let began = Instant::now();
    let (outcome, _) = stage.other().write(Method::DELETE, "/webhooks/1", "borrar", Bytes::new()).await;
    play.notes.push(format!(
        "DELETE of {} deliveries: {outcome:?} after {:.1} s",
        pace.backlog,
        began.elapsed().as_secs_f64()
    ));
    if !outcome.is_good() {
        play.short.push("the deletion itself".to_owned());
    }
    play.last().await;
    play.over();
    let mut figures = play.audit(ground).await;
    validate(&receiver.arrived, &ground.database, &mut figures).await;
    figures
}
