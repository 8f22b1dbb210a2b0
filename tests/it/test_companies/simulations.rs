//! `X-Svc-Simular` (contract §8).

use std::time::Duration;

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};
use svc_core::Code;
use svc_tests::{Actor, Reply, World};
use tokio::time::Instant;

const SIMULATION: &str = "x-svc-simular";

async fn simulated(actor: &Actor, method: Method, path: &str, value: &str, body: impl Into<Bytes>) -> Reply {
    let request = actor.request(method, path).header(SIMULATION, value).header("idempotency-key", "k1");
    actor.send(request.header("content-type", "application/json"), body).await
}

#[tokio::test]
async fn each_error_has_its_real_status_headers_and_body() {
    let world = World::with(|builder| builder.rate_per_minute(150)).await;
    let test = world.test_company().await;
    let ana = test.admin().await;
    ana.get("/clientes").await.ok(200);
    for (value, status, retry, minute, month) in [
        ("limite_excedido", 429, Some("60"), 0, 4_999),
        ("cupo_agotado", 429, Some("1684800"), 149, 0),
        ("ocupado", 503, Some("1"), 149, 4_999),
        ("error_interno", 500, None, 149, 4_999),
    ] {
        for (method, path) in [
            (Method::GET, "/clientes"),
            (Method::POST, "/clientes"),
            (Method::GET, "/facturas/1/xml"),
            (Method::PUT, "/clientes/1"),
            (Method::DELETE, "/webhooks/1"),
        ] {
            let reply = simulated(&ana, method, path, value, r#"{"nombre":"Ana"}"#).await;
            reply.fails(status, value);
            let left = (reply.number("x-rate-limit-remaining"), reply.number("x-svc-cupo-restante"));
            assert_eq!((reply.header("retry-after"), left), (retry, (minute, month)), "{value} {path}");
            let code = Code::ALL.iter().find(|code| code.codigo() == value).expect("a code");
            assert_eq!(reply.mensaje(), code.mensaje());
        }
    }
    // Nothing was done, claimed or counted.
    assert_eq!((world.count("clientes").await, world.count("idempotencia").await), (0, 0));
    let reply = ana.write(Method::POST, "/clientes", "k1", json!({"nombre": "Ana"})).await;
    reply.ok(201);
    assert_eq!((reply.number("x-rate-limit-remaining"), reply.number("x-svc-cupo-restante")), (148, 4_998));
    world.api.context().merge_usage().await.expect("merged");
    assert_eq!(world.sql::<i64>("SELECT usadas FROM cupos").await, 2);
}

#[tokio::test]
async fn it_is_looked_at_after_the_credentials_and_before_all_else() {
    let world = World::new().await;
    let test = world.test_company().await;
    let ana = test.actor(&[]).await;
    for wrong in ["", "429", "Tarda", "tarda ocupado", "limite_excedido,ocupado"] {
        let reply = simulated(&ana, Method::GET, "/clientes", wrong, "").await;
        reply.fails(400, "dato_invalido");
        assert!(reply.mensaje().starts_with("X-Svc-Simular: "), "{}", reply.mensaje());
    }
    let twice = ana.request(Method::GET, "/clientes").header(SIMULATION, "ocupado").header(SIMULATION, "ocupado");
    ana.send(twice, "").await.fails(400, "dato_invalido");
    // Before the scope, which this key lacks; after route, method, browser and credentials.
    simulated(&ana, Method::GET, "/clientes", "ocupado", "").await.fails(503, "ocupado");
    simulated(&ana, Method::GET, "/nada", "ocupado", "").await.fails(404, "ruta_no_existe");
    for method in [Method::HEAD, Method::OPTIONS, Method::DELETE] {
        assert_eq!(simulated(&ana, method, "/clientes", "ocupado", "").await.status, 405);
    }
    let browser = ana.request(Method::GET, "/clientes").header(SIMULATION, "ocupado").header("origin", "x");
    ana.send(browser, "").await.fails(400, "navegador_no_permitido");
    let mut thief = ana.clone();
    "svc_0".clone_into(&mut thief.api_key);
    simulated(&thief, Method::GET, "/clientes", "ocupado", "").await.fails(401, "llave_invalida");
    simulated(&thief, Method::GET, "/clientes", "nada", "").await.fails(401, "llave_invalida");
    assert_eq!(simulated(&thief, Method::GET, "/health", "ocupado", "").await.status, 200);
    // Other companies' requests are answered as if it were not there.
    let real = world.company().await.admin().await;
    for value in ["ocupado", "tarda", "", "nada"] {
        let began = Instant::now();
        simulated(&real, Method::GET, "/clientes", value, "").await.ok(200);
        assert!(began.elapsed() < Duration::from_secs(5), "{value}");
    }
}

#[tokio::test]
async fn a_late_answer_is_the_same_nine_seconds_later_and_holds_no_connection() {
    let settings = svc_tests::with!(svc_store_postgres::Settings::default(), max_connections: 2);
    let world = World::on(settings, |builder| builder.in_flight(4)).await;
    let ana = world.test_company().await.admin().await;
    let began = Instant::now();
    let late = |path: &'static str, body: &'static str| {
        let method = if body.is_empty() { Method::GET } else { Method::POST };
        simulated(&ana, method, path, "tarda", body)
    };
    let others = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        // The write is done, and its answer can be had by asking again.
        let again = ana.write(Method::POST, "/clientes", "k1", json!({"nombre": "Ana"})).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (200, Some("true")));
        assert!(began.elapsed() < Duration::from_secs(8), "no connection is held");
    };
    let (list, made, refused, ()) = tokio::join!(
        late("/clientes", ""),
        late("/clientes", r#"{"nombre":"Ana"}"#),
        late("/clientes?nada=1", ""),
        others
    );
    assert!(began.elapsed() >= Duration::from_secs(9));
    list.ok(200);
    let body: Value = made.ok(201);
    assert_eq!(body["cliente"], 1);
    refused.fails(400, "filtro_no_permitido");
}

#[tokio::test]
async fn the_office_is_simulated_too() {
    let world = World::new().await;
    let office = world.test_company().await.office().await;
    let simulate = |request: http::request::Builder| request.header(SIMULATION, "cupo_agotado");
    let writes = office.json("customer.create").header("idempotency-key", "k1");
    office.send(simulate(writes), r#"{"nombre":"Ana"}"#).await.fails(429, "cupo_agotado");
    office.send(simulate(office.json("customer.get")), r#"{"clave":1}"#).await.fails(429, "cupo_agotado");
    office.send(simulate(office.lines("marcas")), r#"{"nombre":"Una"}"#).await.fails(429, "cupo_agotado");
    office.send(simulate(office.request(Method::GET, "/export/marcas")), "").await.fails(429, "cupo_agotado");
    assert_eq!(world.count("marcas").await + world.count("clientes").await + world.count("idempotencia").await, 0);
    let reply = office.get("/export/marcas").await;
    assert_eq!((reply.status, reply.number("x-svc-cupo-restante")), (200, 4_999));
}
