//! Imports over HTTP.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use serde_json::json;
use svc_core::domain::clock::Clock as _;
use svc_tests::World;
use svc_tests::imports::customers;
use svc_tests::office::NDJSON;
use tower::Service as _;

#[tokio::test]
async fn an_import_answers_what_svc_import_prints() {
    let world = World::new().await;
    let company = world.company().await;
    let office = company.office().await;
    let done = office.import("clientes", &customers(2_500)).await.ok(200);
    let desde = world.clock.now().format("%Y-%m-%dT%H:%M:%SZ").to_string();
    assert_eq!(done, json!({"ok": true, "importados": 2_500, "desde": desde}));
    assert_eq!(world.count("clientes").await, 2_500);
    let type_with_charset = office.request(http::Method::POST, "/import/marcas").header("Idempotency-Key", "k");
    let type_with_charset = type_with_charset.header("Content-Type", "application/x-ndjson; charset=utf-8");
    assert_eq!(office.send(type_with_charset, "").await.ok(200)["importados"], 0);
}

#[tokio::test]
async fn a_bad_line_is_named_and_nothing_is_imported() {
    let world = World::new().await;
    let company = world.company().await;
    let office = company.office().await;
    let mut records = customers(2_500);
    records[2_001] = json!({"nombre": "Ana", "rfc": "no es uno"});
    let refused = office.import("clientes", &records).await;
    refused.fails(422, "linea_invalida");
    assert!(refused.mensaje().starts_with("línea 2002: rfc: "), "{}", refused.mensaje());
    for (lines, start) in [
        ("{\"nombre\":\"Ana\"}\n{", "línea 2: "),
        ("[]", "línea 1: el archivo es NDJSON"),
        ("{\"otro\":1}", "línea 1: otro: "),
    ] {
        let refused = office.send(office.lines("clientes"), lines).await;
        refused.fails(422, "linea_invalida");
        assert!(refused.mensaje().starts_with(start), "{}", refused.mensaje());
    }
    let long = format!("{{\"nombre\":\"Ana\"}}\n{{\"nombre\":\"{}\"}}", "x".repeat(1_048_577));
    let refused = office.send(office.lines("clientes"), long).await;
    refused.fails(422, "linea_invalida");
    assert!(refused.mensaje().starts_with("línea 2: mide más de"), "{}", refused.mensaje());
    assert_eq!(world.count("clientes").await, 0);
}

#[tokio::test]
async fn an_import_is_replayed_conflicts_and_is_rehearsed() {
    let world = World::new().await;
    let company = world.company().await;
    let office = company.office().await;
    let request = |path: &str| {
        let request = office.request(http::Method::POST, path).header("Content-Type", NDJSON);
        request.header("Idempotency-Key", "uno")
    };
    let lines = "{\"nombre\":\"Ana\"}\n";
    let rehearsal = office.request(http::Method::POST, "/import/clientes").header("Content-Type", NDJSON);
    let rehearsed = office.send(rehearsal.header("X-Svc-Ensayo", "true"), lines).await;
    assert_eq!((rehearsed.ok(200)["importados"].clone(), world.count("clientes").await), (json!(1), 0));
    assert_eq!(rehearsed.header("x-svc-ensayo-eventos"), Some(""));
    // A refused import frees its key.
    office.send(request("/import/clientes"), "{\"nombre\":1}").await.fails(422, "linea_invalida");
    let first = office.send(request("/import/clientes"), lines).await;
    assert_eq!(first.ok(200)["importados"], 1);
    let again = office.send(request("/import/clientes"), lines).await;
    assert_eq!((again.body.clone(), again.header("idempotent-replayed")), (first.body, Some("true")));
    for (path, lines) in [
        ("/import/clientes", "{\"nombre\":\"Eva\"}\n"),
        ("/import/clientes", ""),
        ("/import/clientes?existentes=omitir", lines),
        ("/import/proveedores", lines),
    ] {
        office.send(request(path), lines).await.fails(409, "idempotencia_conflicto");
    }
    assert_eq!(world.count("clientes").await, 1);
}

#[tokio::test]
async fn no_transaction_waits_for_the_body_of_a_repetition() {
    let world = World::new().await;
    let company = world.company().await;
    let office = company.office().await;
    let request = || {
        let request = office.request(http::Method::POST, "/import/clientes").header("Content-Type", NDJSON);
        request.header("Idempotency-Key", "uno")
    };
    let line = Bytes::from_static(b"{\"nombre\":\"Ana\"}\n");
    let first = office.send(request(), line.clone()).await.ok(200).clone();
    let (more, pieces) = tokio::sync::oneshot::channel::<Bytes>();
    let body = StreamBody::new(stream::once(pieces).map(|piece| piece.map(Frame::data)));
    let repeated = tokio::spawn(office.service().call(request().body(body).unwrap()));
    tokio::time::sleep(Duration::from_millis(500)).await;
    let open = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
    assert_eq!(world.sql::<i64>(open).await, 0);
    more.send(line).unwrap();
    let answer = repeated.await.unwrap().unwrap_or_else(|never: Infallible| match never {});
    assert_eq!((answer.status().as_u16(), answer.headers()["idempotent-replayed"].to_str().ok()), (200, Some("true")));
    let body: serde_json::Value =
        serde_json::from_slice(&answer.into_body().collect().await.unwrap().to_bytes()).unwrap();
    assert_eq!(body, first);
}

/// Sends an import whose body comes in these pieces; what comes of it is the status and the body.
async fn streamed<S>(office: &svc_tests::office::OfficeActor, pieces: S) -> (u16, serde_json::Value)
where
    S: stream::Stream<Item = Result<Bytes, std::io::Error>> + Send + 'static,
{
    let body = StreamBody::new(pieces.map(|piece| piece.map(Frame::data)));
    let answer = office.service().call(office.lines("clientes").body(body).unwrap()).await;
    let answer = answer.unwrap_or_else(|never: Infallible| match never {});
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap())
}

#[tokio::test]
async fn a_body_that_does_not_end_imports_nothing() {
    let world = World::with(|builder| builder.body_timeout(Duration::from_millis(300))).await;
    let company = world.company().await;
    let office = company.office().await;
    let line = || Ok(Bytes::from_static(b"{\"nombre\":\"Ana\"}\n"));
    let (status, body) = streamed(&office, stream::iter([line(), Err(std::io::Error::other("gone"))])).await;
    assert_eq!((status, &body["error"]["codigo"]), (400, &json!("json_invalido")), "{body}");
    let (status, body) = streamed(&office, stream::iter([line()]).chain(stream::pending())).await;
    assert_eq!((status, &body["error"]["codigo"]), (400, &json!("json_invalido")), "{body}");
    // A refusal waits for nothing that is still to come.
    let bad = stream::iter([Ok(Bytes::from_static(b"[\n"))]).chain(stream::pending());
    let (status, body) = streamed(&office, bad).await;
    assert_eq!((status, &body["error"]["codigo"]), (422, &json!("linea_invalida")), "{body}");
    // A client that is gone: the transaction is dropped with the request.
    let hanging = stream::iter([line()]).chain(stream::pending());
    let gone = tokio::time::timeout(Duration::from_millis(100), streamed(&office, hanging)).await;
    assert!(gone.is_err());
    assert_eq!(world.count("clientes").await, 0);
    assert_eq!(office.import("clientes", &customers(1)).await.ok(200)["importados"], 1);
}

#[tokio::test]
async fn a_body_that_comes_slowly_is_imported_beyond_the_usual_time_limit() {
    let world = World::with(|builder| builder.deadline(Duration::from_millis(500))).await;
    let company = world.company().await;
    let office = company.office().await;
    let pieces = stream::unfold(0, async |sent| {
        tokio::time::sleep(Duration::from_millis(100)).await;
        (sent < 20).then(|| (Ok(Bytes::from_static(b"{\"nombre\":\"Ana\"}\n")), sent + 1))
    });
    let (status, body) = streamed(&office, pieces).await;
    assert_eq!((status, &body["importados"]), (200, &json!(20)), "{body}");
}

#[tokio::test]
async fn a_body_of_more_than_64_mib_is_refused_while_it_comes() {
    let world = World::new().await;
    let company = world.company().await;
    let office = company.office().await;
    let blank = Bytes::from(vec![b'\n'; 1_048_576]);
    let (status, body) = streamed(&office, stream::repeat_with(move || Ok(blank.clone()))).await;
    assert_eq!((status, &body["error"]["codigo"]), (413, &json!("cuerpo_excedido")), "{body}");
}
