//! Idempotency-Keys (contract §4): one effect per key, whatever happens in between.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use http::Method;
use serde_json::json;
use sqlx::{Postgres, Transaction};
use svc_store_postgres::Settings;
use svc_tests::{Actor, Company, Reply, World, with};

const REPLAYED: &str = "idempotent-replayed";

#[tokio::test]
async fn a_repeated_write_gets_the_same_bytes_and_writes_nothing() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for (method, path, status) in
        [(Method::POST, "/leads", 201), (Method::POST, "/clientes", 201), (Method::PUT, "/clientes/1", 200)]
    {
        let body = json!({"nombre": "Ñandú", "correo": "ana@example.com"});
        let first = ana.write(method.clone(), path, path, body.clone()).await;
        first.ok(status);
        assert_eq!(first.header(REPLAYED), None, "{path}");
        let before = effects(&world).await;
        let again = ana.write(method, path, path, body).await;
        again.ok(200);
        assert_eq!((again.header(REPLAYED), &again.body), (Some("true"), &first.body), "{path}");
        assert_ne!(again.header("x-svc-peticion"), first.header("x-svc-peticion"), "a request of its own");
        assert_eq!(effects(&world).await, before, "{path}");
    }
}

#[tokio::test]
async fn a_replay_does_not_undo_what_came_after() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    ana.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    for (key, nombre) in [("k1", "Eva"), ("k2", "Eva María")] {
        ana.write(Method::PUT, "/clientes/1", key, json!({"nombre": nombre})).await.ok(200);
    }
    is_replay(&ana.write(Method::PUT, "/clientes/1", "k1", json!({"nombre": "Eva"})).await);
    assert_eq!(ana.walk("/clientes").await[0]["nombre"], "Eva María");
}

#[tokio::test]
async fn a_key_is_for_one_write_only() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let body = json!({"nombre": "Ana", "correo": "ana@example.com"});
    ana.write(Method::POST, "/clientes", "k", body.clone()).await.ok(201);
    for (method, path, body) in [
        (Method::POST, "/clientes", json!({"nombre": "Eva", "correo": "ana@example.com"})),
        (Method::POST, "/clientes", json!({"nombre": "Ana"})),
        (Method::POST, "/leads", body.clone()),
        (Method::PUT, "/clientes/1", body.clone()),
        (Method::PUT, "/clientes/999", body.clone()),
    ] {
        ana.write(method, path, "k", body).await.fails(409, "idempotencia_conflicto");
    }
    is_replay(&ana.write(Method::POST, "/clientes", "k", body.clone()).await);
    is_replay(&ana.write(Method::POST, "/api/v1/clientes", "k", body.clone()).await);
    ana.write(Method::POST, "/clientes", "K", body).await.ok(201);
}

#[tokio::test]
async fn how_json_is_spelled_does_not_matter() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    send(&ana, "k", r#"{"nombre":"Ñandú/1","pais":172}"#).await.ok(201);
    for same in [
        " {\n\t\"nombre\" : \"Ñandú/1\" ,\r\n \"pais\" : 172 } ",
        r#"{"pais":172,"nombre":"Ñandú/1"}"#,
        r#"{"nombre":"\u00d1and\u00FA\/1","pais":172}"#,
        r#"{"n\u006fmbre":"Ñandú/1","pais":172}"#,
        r#"{"nombre":"Ñandú/1","pais":172.0}"#,
        r#"{"nombre":"Ñandú/1","pais":1.72e2}"#,
        r#"{"nombre":"Ñandú/1","pais":17200E-2}"#,
    ] {
        is_replay(&send(&ana, "k", same).await);
    }
    for other in [
        r#"{"nombre":"Ñandú/1","pais":"172"}"#,
        r#"{"nombre":"Ñandú/1","pais":-172}"#,
        r#"{"nombre":"Ñandú/1","pais":1720}"#,
        r#"{"nombre":"Nandu/1","pais":172}"#,
        r#"{"nombre":"ñandú/1","pais":172}"#,
    ] {
        send(&ana, "k", other).await.fails(409, "idempotencia_conflicto");
    }
}

#[tokio::test]
async fn each_api_key_and_each_company_has_its_own_keys() {
    let world = World::new().await;
    let company = world.company().await;
    let (ana, eva, bob) = (company.admin().await, company.admin().await, world.company().await.admin().await);
    for (actor, nombre) in [(&ana, "Ana"), (&eva, "Eva"), (&bob, "Bob")] {
        actor.write(Method::POST, "/clientes", "k", json!({"nombre": nombre})).await.ok(201);
    }
    for (actor, nombre) in [(&ana, "Ana"), (&eva, "Eva"), (&bob, "Bob")] {
        is_replay(&actor.write(Method::POST, "/clientes", "k", json!({"nombre": nombre})).await);
    }
    assert_eq!((ana.walk("/clientes").await.len(), bob.walk("/clientes").await.len()), (2, 1));
}

#[tokio::test]
async fn every_server_knows_the_key() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let first = ana.write(Method::POST, "/clientes", "k", json!({"nombre": "Ana"})).await;
    first.ok(201);
    let again = ana.at(&world.second_api()).write(Method::POST, "/clientes", "k", json!({"nombre": "Ana"})).await;
    is_replay(&again);
    assert_eq!(again.body, first.body);
}

#[tokio::test]
async fn a_lead_without_key_is_created_every_time() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for prospecto in [1, 2] {
        let request = ana.request(Method::POST, "/leads").header("Content-Type", "application/json");
        let reply = ana.send(request, json!({"nombre": "Ana", "telefono": "55"}).to_string()).await;
        assert_eq!((&reply.ok(201)["prospecto"], reply.header(REPLAYED)), (&json!(prospecto), None));
    }
    assert_eq!(world.count("idempotencia").await, 0);
}

#[tokio::test]
async fn a_refused_write_frees_its_key() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    ana.post("/clientes", json!({"nombre": "Ana", "rfc": "EKU9003173C9", "regimen": 601})).await.ok(201);
    let repeated = json!({"nombre": "Eva", "rfc": "EKU9003173C9", "regimen": 601});
    ana.write(Method::POST, "/clientes", "k", json!({"nombre": ""})).await.fails(400, "dato_requerido");
    ana.write(Method::POST, "/clientes", "k", json!({"nombre": "Eva", "rfc": "X"})).await.fails(422, "rfc_invalido");
    ana.write(Method::POST, "/clientes", "k", repeated).await.fails(409, "rfc_duplicado");
    ana.write(Method::PUT, "/clientes/999", "k", json!({})).await.fails(404, "no_encontrado");
    assert_eq!(ana.write(Method::POST, "/clientes", "k", json!({"nombre": "Eva"})).await.ok(201)["cliente"], 2);
}

#[tokio::test]
async fn a_used_key_is_checked_after_the_json_and_before_the_fields() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    send(&ana, "k", r#"{"nombre":"Ana"}"#).await.ok(201);
    for invalid in [r"{}", r#"{"nombre":""}"#, r#"{"nombre":"Ana","otro":1}"#, r#"{"nombre":"Ana","rfc":"X"}"#] {
        send(&ana, "k", invalid).await.fails(409, "idempotencia_conflicto");
    }
    for unparsable in ["", "{", "[]", r#"{"nombre":"Ana","nombre":"Ana"}"#] {
        send(&ana, "k", unparsable).await.fails(400, "json_invalido");
    }
}

#[tokio::test]
async fn an_answer_is_kept_for_seven_days() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let write = || ana.write(Method::POST, "/clientes", "k", json!({"nombre": "Ana"}));
    write().await.ok(201);
    world.run("UPDATE idempotencia SET creada = now() - interval '7 days' + interval '1 minute'").await;
    is_replay(&write().await);
    // A replay does not extend it.
    world.run("UPDATE idempotencia SET creada = creada - interval '1 minute'").await;
    let renewed = write().await;
    assert_eq!((&renewed.ok(201)["cliente"], renewed.header(REPLAYED)), (&json!(2), None));
    is_replay(&write().await);
    world.run("UPDATE idempotencia SET creada = creada - interval '8 days'").await;
    let other = ana.write(Method::POST, "/clientes", "k", json!({"nombre": "Eva"})).await;
    assert_eq!(other.ok(201)["cliente"], 3, "an expired key may stand for something else");
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_concurrent_repetitions_are_one_write() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let eva = ana.at(&world.second_api());
    for round in 1..=6 {
        // In every other round the key was used before and has expired.
        let key = format!("k{}", round / 2);
        let body = json!({"nombre": format!("Ana {round}")});
        let writes = (0..50).map(|n| {
            let (actor, key, body) = (if n % 2 == 0 { ana.clone() } else { eva.clone() }, key.clone(), body.clone());
            tokio::spawn(async move { actor.write(Method::POST, "/clientes", &key, body).await })
        });
        let replies: Vec<Reply> = join_all(writes).await.into_iter().map(|reply| reply.expect("no panic")).collect();
        let (created, replayed): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
        assert_eq!(created.len(), 1, "round {round}");
        assert_eq!(created[0].ok(201)["cliente"], round);
        for reply in replayed {
            is_replay(reply);
            assert_eq!(reply.body, created[0].body);
        }
        assert_eq!(effects(&world).await, (round, round));
        world.run("UPDATE idempotencia SET creada = creada - interval '8 days'").await;
    }
}

#[tokio::test]
async fn while_the_first_hangs_the_second_gets_retry_after() {
    let settings = with!(Settings::default(), lock_timeout: Duration::from_millis(200));
    let world = World::on(settings, |builder| builder).await;
    let company = world.company().await;
    let ana = company.admin().await;
    let first = under_way(&company, &ana, &[0; 32], b"{}").await;
    let second = create(&ana).await;
    second.fails(409, "idempotencia_en_curso");
    assert_eq!(second.header("retry-after"), Some("1"));
    let other = ana.write(Method::POST, "/clientes", "other", json!({"nombre": "Eva"})).await;
    assert_eq!(other.ok(201)["cliente"], 1, "other keys do not wait");
    first.rollback().await.expect("the first fails");
    assert_eq!(create(&ana).await.ok(201)["cliente"], 2);
}

#[tokio::test]
async fn when_the_first_fails_in_time_the_second_does_it() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    let first = under_way(&company, &ana, &[0; 32], b"{}").await;
    let second = waiting(&world, &ana).await;
    first.rollback().await.expect("the first fails");
    let second = second.await.expect("no panic");
    assert_eq!((&second.ok(201)["cliente"], second.header(REPLAYED)), (&json!(1), None));
}

#[tokio::test]
async fn when_the_first_ends_in_time_the_second_replays_it() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    let done = create(&ana).await;
    done.ok(201);
    let (huella, respuesta): (Vec<u8>, Vec<u8>) =
        sqlx::query_as("DELETE FROM idempotencia RETURNING huella, respuesta")
            .fetch_one(world.pool())
            .await
            .expect("the stored answer");
    assert_eq!(respuesta, done.body);
    // A writer that holds no claim, only the row of its answer, ends the same way.
    for (claims, huella, replays) in [(true, huella.as_slice(), true), (true, &[0; 32], false), (false, &huella, true)]
    {
        let first = if claims {
            under_way(&company, &ana, huella, &respuesta).await
        } else {
            answered(&company, &ana, huella, &respuesta).await
        };
        let second = waiting(&world, &ana).await;
        first.commit().await.expect("the first ends");
        let second = second.await.expect("no panic");
        if replays {
            is_replay(&second);
            assert_eq!(second.body, done.body);
        } else {
            second.fails(409, "idempotencia_conflicto");
        }
        assert_eq!(effects(&world).await, (1, 1));
        sqlx::query("DELETE FROM idempotencia").execute(world.pool()).await.expect("the key is free");
    }
}

#[tokio::test]
async fn effect_event_and_stored_answer_are_one_transaction() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let rename = |from: &'static str| sqlx::query(from).execute(world.pool());
    rename("ALTER TABLE eventos RENAME TO otros").await.expect("no table of events");
    create(&ana).await.fails(500, "error_interno");
    let left =
        "SELECT (SELECT count(*) FROM clientes) + (SELECT count(*) FROM idempotencia) + (SELECT count(*) FROM otros)";
    assert_eq!(world.sql::<i64>(left).await, 0, "nothing is left behind");
    rename("ALTER TABLE otros RENAME TO eventos").await.expect("the table of events");
    assert_eq!(create(&ana).await.ok(201)["cliente"], 1, "the key is free and no clave is lost");
    rename("ALTER TABLE idempotencia DROP COLUMN respuesta").await.expect("no room for the answer");
    ana.write(Method::POST, "/clientes", "k2", json!({"nombre": "Eva"})).await.fails(500, "error_interno");
    assert_eq!(effects(&world).await, (1, 1), "no effect without its stored answer");
}

/// The numbers of customers and events.
async fn effects(world: &World) -> (i64, i64) {
    (world.sql("SELECT count(*) FROM clientes").await, world.sql("SELECT count(*) FROM emitidos").await)
}

#[track_caller]
fn is_replay(reply: &Reply) {
    assert_eq!((reply.status, reply.header(REPLAYED)), (200, Some("true")), "{}", reply.json());
}

async fn send(actor: &Actor, key: &str, body: &'static str) -> Reply {
    let request = actor.request(Method::POST, "/clientes").header("Content-Type", "application/json");
    actor.send(request.header("Idempotency-Key", key), Bytes::from_static(body.as_bytes())).await
}

async fn create(actor: &Actor) -> Reply {
    actor.write(Method::POST, "/clientes", "k", json!({"nombre": "Ana"})).await
}

/// The claim of the key `k`, of a company and the suffix of an API key.
const CLAIM: &str = "SELECT pg_advisory_xact_lock(
    ('x' || left(encode(sha256(convert_to($1::bigint || ' ' || $2 || ' k', 'UTF8')), 'hex'), 16))::bit(64)::bigint)";

/// An unfinished write of another process with the key `k`.
async fn under_way(
    company: &Company,
    actor: &Actor,
    huella: &[u8],
    respuesta: &[u8],
) -> Transaction<'static, Postgres> {
    let mut tx = answered(company, actor, huella, respuesta).await;
    sqlx::query(CLAIM).bind(company.id.0).bind(suffix(actor)).execute(&mut *tx).await.expect("a claim");
    tx
}

/// The stored answer of an unfinished write without a claim.
async fn answered(company: &Company, actor: &Actor, huella: &[u8], respuesta: &[u8]) -> Transaction<'static, Postgres> {
    let mut tx = company.world.pool().begin().await.expect("a transaction");
    sqlx::query("INSERT INTO idempotencia (empresa, llave, nombre, huella, respuesta, creada) VALUES ($1, $2, 'k', $3, $4, now())")
        .bind(company.id.0)
        .bind(suffix(actor))
        .bind(huella)
        .bind(respuesta)
        .execute(&mut *tx)
        .await
        .expect("an answer");
    tx
}

fn suffix(actor: &Actor) -> &str {
    actor.key_id.split_once('_').expect("two parts").1
}

/// Starts another write with the key `k` and waits until it waits for the first.
async fn waiting(world: &World, actor: &Actor) -> tokio::task::JoinHandle<Reply> {
    let actor = actor.clone();
    let write = tokio::spawn(async move { create(&actor).await });
    while world.lock_waits().await == 0 {
        assert!(!write.is_finished(), "it did not wait");
    }
    write
}
