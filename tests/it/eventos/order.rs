//! No event appears behind one that was already shown, in whatever order transactions commit.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::domain::clock::{Clock as _, SystemRandom, random_bytes};
use svc_core::domain::time::Timestamp;
use svc_core::store::{CompanyChange, NewEvent, Tx};
use svc_tests::lists::claves;
use svc_tests::{Company, World};
use uuid::Uuid;

use super::{next, told};

/// An event of the company's customer `clave`, dated so long before now.
pub(crate) fn event(company: &Company, clave: i64, ago: TimeDelta) -> NewEvent {
    let (id, creado) = (random_id(), Timestamp::new(company.world.clock.now() - ago));
    let body = json!({
        "id": format!("evt_{}", id.simple()), "tipo": "cliente.creado", "creado": creado, "empresa": company.id.0,
        "datos": {"cliente": clave}, "recurso": {"tipo": "clientes", "clave": clave, "url": "https://example.com"},
    });
    let (tipo, recurso, cuerpo) = ("cliente.creado", "clientes", body.to_string().into_bytes());
    NewEvent { id, tipo, permiso: None, recurso, clave, cuerpo, creado, repartido: false }
}

fn random_id() -> Uuid {
    Uuid::from_bytes(random_bytes(&SystemRandom))
}

pub(crate) async fn begun(company: &Company) -> Box<dyn Tx> {
    company.world.any_store().begin(company.id).await.expect("a transaction")
}

#[tokio::test]
async fn transactions_that_commit_out_of_order_are_read_in_the_order_of_their_commits() {
    let company = World::new().await.company().await;
    let ana = company.admin().await;
    let mut cursor = String::new();
    // The first is 20 seconds older, and commits last.
    let mut slow = begun(&company).await;
    slow.append_events(vec![event(&company, 901, TimeDelta::seconds(20))]).await.expect("an event");
    ana.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    let mut middle = begun(&company).await;
    middle
        .append_events(vec![event(&company, 902, TimeDelta::seconds(10)), event(&company, 903, TimeDelta::zero())])
        .await
        .expect("two events");
    ana.post("/clientes", json!({"nombre": "Eva"})).await.ok(201);
    assert_eq!(told(&next(&ana, &mut cursor).await), ["cliente.creado 1", "cliente.creado 2"]);
    middle.commit().await.expect("a commit");
    assert_eq!(told(&next(&ana, &mut cursor).await), ["cliente.creado 902", "cliente.creado 903"]);
    slow.commit().await.expect("a commit");
    assert_eq!(told(&next(&ana, &mut cursor).await), ["cliente.creado 901"]);
    assert_eq!(ana.walk("/eventos").await.len(), 5);
    let since = Timestamp::new(company.world.clock.now());
    assert_eq!(ana.walk(&format!("/eventos?creado_desde={since}")).await.len(), 3, "those of now");
    assert_eq!(ana.walk("/eventos?creado_desde=2026-10-12T17:59:50Z").await.len(), 4);
    // What is undone leaves nothing that a reader waits for.
    let mut undone = begun(&company).await;
    undone.append_events(vec![event(&company, 904, TimeDelta::zero())]).await.expect("an event");
    undone.rollback().await.expect("a rollback");
    ana.post("/clientes", json!({"nombre": "Luis"})).await.ok(201);
    assert_eq!(told(&next(&ana, &mut cursor).await), ["cliente.creado 3"]);
}

/// A transaction that has written its event and not committed holds the next writers up, and no
/// reader.
#[tokio::test]
async fn an_event_that_is_written_and_not_committed_comes_before_later_ones() {
    let company = World::new().await.company().await;
    let ana = company.admin().await;
    ana.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    let mut cursor = String::new();
    next(&ana, &mut cursor).await;
    let mut open = company.world.pool().begin().await.expect("a transaction");
    let id = random_id();
    let statement = "WITH serie AS (
                         UPDATE contadores SET valor = valor + 1 WHERE empresa = $1 AND serie = 'eventos' RETURNING valor
                     )
                     INSERT INTO eventos (empresa, id, clave, tipo, recurso, recurso_clave, cuerpo, creado, repartido)
                     SELECT empresa, $2, valor, tipo, recurso, 77, cuerpo, creado, true FROM eventos, serie
                     WHERE empresa = $1";
    sqlx::query(statement).bind(company.id.0).bind(id).execute(&mut *open).await.expect("an event");
    let (writer, reader) = (ana.clone(), ana.clone());
    let later = tokio::spawn(async move { writer.post("/clientes", json!({"nombre": "Eva"})).await });
    while company.world.lock_waits().await == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(next(&reader, &mut cursor).await.is_empty(), "nobody sees either yet");
    open.commit().await.expect("a commit");
    later.await.expect("no panic").ok(201);
    let seen = next(&reader, &mut cursor).await;
    assert_eq!(
        seen.iter().map(|event| event["id"] == format!("evt_{}", id.simple())).collect::<Vec<_>>(),
        [true, false]
    );
}

/// Writers of several kinds, and transactions that take their time, beside readers: each reader
/// sees every event once, in one order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_beside_writers_miss_nothing_and_see_one_order() {
    const WRITERS: i64 = 6;
    const EACH: i64 = 25;
    let world = World::with(|builder| builder.rate_per_minute(100_000).in_flight(1_000)).await;
    let company = world.company_with(CompanyChange { licencias: Some(6), ..CompanyChange::default() }).await;
    let ana = company.admin().await;
    ana.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    let done = Arc::new(AtomicBool::new(false));
    let read = |reader: svc_tests::Actor| {
        let done = Arc::clone(&done);
        tokio::spawn(async move {
            let (mut cursor, mut seen) = (String::new(), Vec::<Value>::new());
            loop {
                let over = done.load(Ordering::SeqCst);
                let events = next(&reader, &mut cursor).await;
                if over && events.is_empty() {
                    return seen;
                }
                seen.extend(events);
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
    };
    let readers = [company.admin().await, company.admin().await, company.admin().await].map(read);
    let write = |writer: i64| {
        let (company, ana) = (company.clone(), ana.clone());
        tokio::spawn(async move {
            for number in 0..EACH {
                let clave = 1_000 * (writer + 1) + number;
                if writer % 2 == 0 {
                    let body = json!({"sku": clave.to_string(), "descripcion": "Clavo", "unidad": 1});
                    ana.post("/productos", body).await.ok(201);
                } else {
                    let mut tx = begun(&company).await;
                    let ago = TimeDelta::seconds(number % 20);
                    let events = (0..=number % 3).map(|_| event(&company, clave, ago)).collect();
                    tx.append_events(events).await.expect("events");
                    tokio::time::sleep(Duration::from_millis((clave as u64 * 7) % 30)).await;
                    tx.commit().await.expect("a commit");
                }
            }
        })
    };
    for writer in (0..WRITERS).map(write).collect::<Vec<_>>() {
        writer.await.expect("no panic");
    }
    done.store(true, Ordering::SeqCst);
    let whole = ana.walk("/eventos").await;
    assert_eq!(whole.len() as i64, world.count("eventos").await);
    for reader in readers {
        let seen = reader.await.expect("no panic");
        let distinct: HashSet<i64> = claves(&seen).into_iter().collect();
        assert_eq!(distinct.len(), seen.len(), "an event came twice");
        assert_eq!(claves(&seen), claves(&whole));
    }
}
