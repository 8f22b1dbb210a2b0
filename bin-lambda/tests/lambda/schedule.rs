//! The function's scheduled work.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::Method;
use serde_json::{Value, json};
use svc_core::domain::clock::SystemClock;
use svc_core::webhooks::SIGNATURE;
use svc_tests::{Actor, Company, World};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::requests::{answered, signed};
use crate::runtime_api::Function;

const RULE: &str = include_str!("../fixtures/schedule_rule.json");
const SCHEDULER: &str = include_str!("../fixtures/schedule_scheduler.json");

/// Webhooks may reach this machine.
const LOCAL: (&str, &str) = ("SVC_WEBHOOK_ALLOW_NETS", "127.0.0.0/8,::1/128");

/// A world with the machine's time, which the function uses too.
async fn world() -> World {
    World::with(|builder| builder.clock(Arc::new(SystemClock)).development_destinations(true)).await
}

async fn posted(function: &Function, ana: &Actor, path: &str, body: &Value) -> Value {
    let (status, answer) = answered(function, &signed(ana, &Method::POST, path, &body.to_string())).await;
    assert!((200..300).contains(&status), "{path}: {answer}");
    answer
}

/// A waiting invoice, created through the function.
async fn invoice(world: &World, function: &Function) -> Actor {
    invoice_of(&world.company().await, function).await
}

async fn invoice_of(company: &Company, function: &Function) -> Actor {
    company.load_certificate().await;
    let ana = company.admin().await;
    let customer = json!({"nombre": "Ana", "rfc": "XIA190128J61", "regimen": 601, "cp": "06700", "uso_cfdi": "G03"});
    posted(function, &ana, "/clientes", &customer).await;
    posted(function, &ana, "/productos", &json!({"sku": "A-1", "descripcion": "Clavo", "unidad": 1})).await;
    let lines = json!([{"producto": 1, "cantidad": 2, "precio_unitario": "10.00"}]);
    let order =
        json!({"tipo": "pedido", "cliente": 1, "renglones": lines, "metodo_pago_sat": "PUE", "forma_pago_sat": "03"});
    posted(function, &ana, "/ventas", &order).await;
    posted(function, &ana, "/ventas/1/facturar", &json!({})).await;
    ana
}

async fn state(function: &Function, ana: &Actor) -> Value {
    answered(function, &signed(ana, &Method::GET, "/facturas?clave=1", "")).await.1["datos"][0]["estatus"].take()
}

#[tokio::test]
async fn a_notice_reaches_its_receiver() {
    let world = world().await;
    let function = Function::on(&world, &[LOCAL]).await;
    let ana = world.company().await.admin().await;
    let receiver = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://localhost:{}/avisos", receiver.local_addr().unwrap().port());
    posted(&function, &ana, "/webhooks", &json!({"url": url, "eventos": ["cliente.creado"]})).await;
    posted(&function, &ana, "/clientes", &json!({"nombre": "Ana"})).await;
    let delivered = tokio::spawn(async move {
        let (mut stream, _) = receiver.accept().await.unwrap();
        let mut notice = vec![0; 16 * 1024];
        let length = stream.read(&mut notice).await.unwrap();
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
        String::from_utf8_lossy(&notice[..length]).into_owned()
    });
    let report = function.invoke(&json!({"svc": "deliver"})).await.unwrap();
    assert_eq!(report["deliver"]["webhooks"]["entregadas"], 1, "{report}");
    assert_eq!(report.as_object().map(serde_json::Map::len), Some(1), "{report}");
    assert!(delivered.await.unwrap().to_lowercase().contains(SIGNATURE.as_str()));
    let again = function.invoke(&json!({"svc": ["deliver"]})).await.unwrap();
    assert_eq!(again["deliver"]["webhooks"]["entregadas"], 0, "{again}");
}

#[tokio::test]
async fn an_invoice_is_stamped_where_a_provider_is_set() {
    let world = world().await;
    let function = Function::on(&world, &[]).await;
    let ana = invoice(&world, &function).await;
    let test = invoice_of(&world.test_company().await, &function).await;
    let report = function.invoke(&json!({"svc": "stamp"})).await.unwrap();
    assert_eq!(report["stamp"]["timbrados"], 1, "{report}");
    assert_eq!(state(&function, &test).await, "vigente");
    assert_eq!(state(&function, &ana).await, "en_espera");
    let function = Function::on(&world, &[("SVC_STAMPER", "sandbox")]).await;
    let report = function.invoke(&json!({"source": "erp", "detail": {"svc": "stamp"}})).await.unwrap();
    assert_eq!((&report["stamp"]["timbrados"], &report["stamp"]["fallidos"]), (&json!(1), &json!(0)), "{report}");
    assert_eq!(state(&function, &ana).await, "vigente");
}

#[tokio::test]
async fn a_timer_without_tasks_runs_all() {
    let world = world().await;
    let function = Function::on(&world, &[("SVC_SMTP_URL", "smtp://127.0.0.1:1")]).await;
    let ana = world.company().await.admin().await;
    posted(&function, &ana, "/clientes", &json!({"nombre": "Ana"})).await;
    sqlx::query("UPDATE idempotencia SET creada = now() - interval '8 days'").execute(world.pool()).await.unwrap();
    let report = function.invoke_within(RULE, Duration::from_secs(30)).await.unwrap();
    assert_eq!(report["clean_up"], json!({"removed": 1}));
    // No webhook wants the event, so it is finished when it is written.
    assert_eq!((&report["stamp"]["timbrados"], &report["deliver"]["webhooks"]["eventos"]), (&json!(0), &json!(0)));
    assert_eq!(report["deliver"]["mail"]["enviados"], 0);
    let report = function.invoke_within(SCHEDULER, Duration::from_secs(30)).await.unwrap();
    assert_eq!((report.as_object().unwrap().len(), &report["clean_up"]), (3, &json!({"removed": 0})));
}

#[tokio::test]
async fn work_ends_two_seconds_before_the_deadline() {
    let world = world().await;
    // It accepts a request and never answers.
    let provider = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/timbrar", provider.local_addr().unwrap());
    let settings = [("SVC_STAMPER", url.as_str()), ("SVC_STAMPER_TOKEN", "secreto"), ("SVC_STAMPER_TIMEOUT", "600")];
    let function = Function::on(&world, &settings).await;
    let ana = invoice(&world, &function).await;
    let begun = Instant::now();
    let event = r#"{"svc":["stamp","clean-up"]}"#;
    let report = function.invoke_within(event, Duration::from_secs(5)).await.unwrap();
    let took = begun.elapsed();
    assert_eq!(report, json!({"stamp": null, "clean_up": {"removed": 0}}));
    assert!(took > Duration::from_millis(2_500) && took < Duration::from_secs(4), "{took:?}");
    // Its lease is still valid, so the request is not sent to the provider again yet.
    let report = function.invoke(&json!({"svc": "stamp"})).await.unwrap();
    assert_eq!(report["stamp"]["pospuestos"], 0, "{report}");
    assert_eq!(state(&function, &ana).await, "en_espera");
    assert!(!function.log().contains("secreto"));
}

#[tokio::test]
async fn a_failed_task_is_named_and_the_others_run() {
    let world = world().await;
    let function =
        Function::on(&world, &[("SVC_STAMPER", "ftp://pac.example"), ("SVC_STAMPER_TOKEN", "secreto")]).await;
    let ana = world.company().await.admin().await;
    posted(&function, &ana, "/clientes", &json!({"nombre": "Ana"})).await;
    let error = function.invoke(&json!({"svc": "all"})).await.unwrap_err();
    let text = error["errorMessage"].as_str().unwrap();
    assert_eq!(error["errorType"], "ScheduledWork");
    assert!(text.starts_with("stamp: SVC_STAMPER: the provider's URL must be https://"), "{text}");
    assert!(!text.contains("deliver") && !function.log().contains("secreto"), "{text}");
    let waiting: i64 = world.sql("SELECT count(*) FROM eventos WHERE NOT repartido").await;
    assert_eq!(waiting, 0, "events were looked at");
}
