//! What goes by a test company's clock, and what does not.

use chrono::{NaiveDate, TimeDelta};
use http::Method;
use serde_json::json;
use svc_core::clean_up;
use svc_core::domain::scope::Scope;
use svc_core::operations::{CreateKey, MoveClock};
use svc_core::webhooks::verify;
use svc_tests::{World, any_key, books, fresh_key};

use super::*;
use crate::delivery::answering;

const HOOK: &str = "https://hooks.example.com/svc";

#[tokio::test]
async fn only_a_test_company_s_clock_moves_and_never_backwards() {
    let world = World::new().await;
    let (real, test, other) = (world.company().await, world.test_company().await, world.test_company().await);
    let start = now(&world);
    for movement in [MoveClock::Nowhere, MoveClock::Forward(TimeDelta::days(1)), MoveClock::To(start)] {
        let refused = moved(&real, movement).await.unwrap_err();
        assert_eq!(refused.code().codigo(), "dato_invalido");
        assert!(refused.mensaje().starts_with("empresa: "), "{}", refused.mensaje());
    }
    let days = TimeDelta::days;
    assert_eq!(moved(&test, MoveClock::Nowhere).await.unwrap(), start);
    assert_eq!(moved(&test, MoveClock::Forward(days(3))).await.unwrap(), start + days(3));
    world.clock.advance(TimeDelta::hours(1));
    let there = start + days(3) + TimeDelta::hours(1);
    assert_eq!(moved(&test, MoveClock::Nowhere).await.unwrap(), there, "it goes on");
    assert_eq!(moved(&test, MoveClock::To(there)).await.unwrap(), there);
    assert_eq!(moved(&test, MoveClock::To(start + days(10))).await.unwrap(), start + days(10));
    for movement in [
        MoveClock::To(start + days(10) - TimeDelta::seconds(1)),
        MoveClock::To(now(&world)),
        MoveClock::Forward(TimeDelta::seconds(-1)),
        MoveClock::Forward(days(36_525)),
        MoveClock::To(start + days(40_000)),
    ] {
        let refused = moved(&test, movement).await.unwrap_err();
        assert_eq!(refused.code().codigo(), "dato_invalido", "{movement:?}");
        assert!(refused.mensaje().starts_with("reloj: "), "{}", refused.mensaje());
    }
    assert_eq!(moved(&test, MoveClock::Nowhere).await.unwrap(), start + days(10), "nothing moved it");
    assert_eq!(moved(&other, MoveClock::Nowhere).await.unwrap(), now(&world));
}

#[tokio::test]
async fn two_who_move_it_at_once_move_it_twice() {
    let world = World::new().await;
    let test = world.test_company().await;
    let start = now(&world);
    let hours = (0..8).map(|_| moved(&test, MoveClock::Forward(TimeDelta::hours(1))));
    for outcome in futures_util::future::join_all(hours).await {
        outcome.unwrap();
    }
    assert_eq!(moved(&test, MoveClock::Nowhere).await.unwrap(), start + TimeDelta::hours(8));
}

#[tokio::test]
async fn documents_are_dated_and_fall_due_by_it() {
    let world = World::new().await;
    let (test, real) = (world.test_company().await, world.company().await);
    furnish(&test).await;
    furnish(&real).await;
    let (ana, beto) = (test.admin().await, real.admin().await);
    invoice(&ana, order(30)).await;
    invoice(&beto, order(30)).await;
    world.stamp_without_provider().await;
    assert_eq!(count(&ana, "/cxc?vencido=true").await, 0);

    forward(&test, TimeDelta::days(40)).await;
    assert_eq!((count(&ana, "/cxc?vencido=true").await, count(&beto, "/cxc?vencido=true").await), (1, 0));
    let ordered = ana.post("/ventas", order(30)).await.ok(201);
    let venta = ordered["venta"].as_i64().unwrap();
    let sale = one(&ana, &format!("/ventas?tipo=pedido&clave={venta}")).await;
    assert_eq!(sale["fecha"], "2026-11-21T18:00:05Z");
    let listed = ana.get("/ventas?tipo=pedido&fecha_desde=2026-10-01").await;
    assert_eq!(listed.ok(200)["datos"].as_array().map(Vec::len), Some(1), "a window without an end ends then");
    assert_eq!(listed.header("date"), Some("Sat, 21 Nov 2026 18:00:05 GMT"), "as `modificado`");
    assert_eq!(beto.get("/ventas").await.header("date"), Some("Mon, 12 Oct 2026 18:00:05 GMT"));
    ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.fails(422, "saldo_vencido");
    let payment = |fecha: &str| json!({"importe": "1160.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": fecha, "referencia": fecha});
    ana.post("/cxc/1/pagos", payment("2026-11-22")).await.fails(400, "dato_invalido");
    beto.post("/cxc/1/pagos", payment("2026-11-21")).await.fails(400, "dato_invalido");
    ana.post("/cxc/1/pagos", payment("2026-11-21")).await.ok(201);

    // The sandbox takes a document of that day.
    ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    world.stamp_without_provider().await;
    let invoices = ana.get("/facturas?tipo=factura").await.ok(200)["datos"].clone();
    assert_eq!(invoices[1]["estatus"], "vigente", "{invoices}");
    assert_eq!(invoices[1]["fecha_timbrado"], "2026-11-21T18:00:05Z");
    let clave = invoices[1]["clave"].as_i64().unwrap();
    let xml = ana.get(&format!("/facturas/{clave}/xml")).await.body;
    let xml = std::str::from_utf8(&xml).unwrap();
    assert!(xml.contains(r#"Fecha="2026-11-21T12:00:05""#), "{xml}");

    // What is imported bears it too.
    test.load(Resource::Productos, &[json!({"sku": "B-2", "descripcion": "Tuerca", "unidad": 1})]).await;
    assert_eq!(one(&ana, "/productos?sku=B-2").await["modificado"], "2026-11-21T18:00:05Z");
    for company in [&test, &real] {
        books::check(&world, company).await;
    }
}

#[tokio::test]
async fn the_sandbox_answers_by_it() {
    let world = World::new().await;
    let (test, other) = (world.test_company().await, world.test_company().await);
    let silent = json!({"nombre": "No responde", "rfc": "EKU9003173C9", "regimen": 601, "cp": "06700",
                        "uso_cfdi": "G03", "limite_credito": "10000.00"});
    let mut sale = order(30);
    sale["cliente"] = json!(3);
    let mut actors = Vec::new();
    for company in [&test, &other] {
        furnish(company).await;
        company.load(Resource::Clientes, std::slice::from_ref(&silent)).await;
        let actor = company.admin().await;
        invoice(&actor, sale.clone()).await;
        actors.push(actor);
    }
    world.stamp_without_provider().await;
    for company in [&test, &other] {
        company.run_by_name("invoice.cancel", &json!({"factura": 1, "motivo": "02"})).await.expect("it is asked");
    }
    world.stamp_without_provider().await;
    forward(&test, TimeDelta::hours(71)).await;
    world.stamp_without_provider().await;
    assert_eq!(one(&actors[0], "/facturas?clave=1").await["estatus"], "vigente", "its receiver has 72 hours");
    forward(&test, TimeDelta::hours(2)).await;
    world.stamp_without_provider().await;
    let cancelled = one(&actors[0], "/facturas?clave=1").await;
    assert_eq!(cancelled["estatus"], "cancelada", "{cancelled}");
    assert!(cancelled["fecha_cancelacion"].as_str().unwrap().starts_with("2026-10-15T"), "{cancelled}");
    assert_eq!(one(&actors[1], "/facturas?clave=1").await["estatus"], "vigente");
    for company in [&test, &other] {
        books::check(&world, company).await;
    }
}

#[tokio::test]
async fn the_month_of_the_quota_turns_over_and_the_minute_does_not() {
    let world = World::with(|builder| builder.rate_per_minute(150)).await;
    let (test, real) = (world.test_company().await, world.company().await);
    let (ana, beto) = (test.admin().await, real.admin().await);
    let left = |reply: &svc_tests::Reply| (reply.number("x-rate-limit-remaining"), reply.number("x-svc-cupo-restante"));
    for used in 1..=3 {
        assert_eq!(left(&ana.get("/clientes").await), (150 - used, 5_000 - used));
        beto.get("/clientes").await.ok(200);
    }
    forward(&test, TimeDelta::days(31)).await;
    let reply = ana.get("/clientes").await;
    assert_eq!((left(&reply), reply.header("x-svc-cupo-reinicio")), ((146, 4_999), Some("2026-12-01")));
    assert_eq!(reply.number("x-rate-limit-reset"), 55);
    assert_eq!(left(&beto.get("/clientes").await), (146, 4_996));
    world.api.context().merge_usage().await.expect("merged");
    let used = test.run_by_name("quota.use", &json!({"operaciones": 4_990})).await.expect("used");
    assert_eq!(used, json!({"cupo_usado": 4_991}));
    let months: Vec<(i64, String, i64)> =
        sqlx::query_as("SELECT empresa, mes::text, usadas FROM cupos ORDER BY empresa, mes")
            .fetch_all(world.pool())
            .await
            .expect("the months");
    let row = |company: &svc_tests::Company, mes: &str, used| (company.id.0, mes.to_owned(), used);
    assert_eq!(months, [row(&test, "2026-10-01", 3), row(&test, "2026-11-01", 4_991), row(&real, "2026-10-01", 4)]);
    // Another server knows the month at its first request, and what is left of it to wait for.
    let second = world.second_api_with(|builder| builder.rate_per_minute(150));
    assert_eq!(ana.at(&second).get("/clientes").await.number("x-svc-cupo-restante"), 8);
    test.run_by_name("quota.use", &json!({"operaciones": 10})).await.expect("used");
    world.api.context().merge_usage().await.expect("merged");
    let third = world.second_api();
    let refused = ana.at(&third).get("/clientes").await;
    refused.fails(429, "cupo_agotado");
    let december = NaiveDate::from_ymd_opt(2026, 12, 1).unwrap().and_hms_opt(6, 0, 0).unwrap().and_utc();
    let wait = december - (now(&world) + TimeDelta::days(31));
    assert_eq!(refused.number("retry-after"), wait.num_seconds());
    // A minute passes, and what is counted in memory stays counted.
    world.clock.advance(TimeDelta::minutes(2));
    world.api.context().merge_usage().await.expect("merged");
    ana.get("/clientes").await.fails(429, "cupo_agotado");
}

#[tokio::test]
async fn webhooks_retry_group_rotate_and_are_disabled_by_it() {
    let world = World::new().await;
    let (test, real) = (world.test_company().await, world.company().await);
    let kinds = json!(["cliente.creado", "cliente.actualizado"]);
    let mut actors = Vec::new();
    for company in [&test, &real] {
        let actor = company.admin().await;
        let hook = actor.post("/webhooks", json!({"url": HOOK, "eventos": kinds})).await.ok(201);
        actor.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
        actors.push((actor, hook["secreto"].as_str().unwrap().to_owned()));
    }
    let [(ana, secret), (beto, _)] = actors.try_into().ok().expect("two");
    let failing = answering::<500>();
    assert_eq!(world.deliver(&failing).await.pospuestas, 2);
    for (attempt, hours) in [(2, 1), (3, 1), (4, 1), (5, 3), (6, 7), (7, 14)] {
        forward(&test, TimeDelta::hours(hours)).await;
        let report = world.deliver(&failing).await;
        assert_eq!(report.pospuestas + report.fallidas, 1, "{attempt}: {report:?}");
        assert_eq!(report.fallidas, u64::from(attempt == 7));
    }
    let delivery = one(&ana, "/webhooks/1/entregas").await;
    assert_eq!((&delivery["estado"], &delivery["intentos"]), (&json!("fallida"), &json!(7)));
    assert_eq!(delivery["creado"], "2026-10-12T18:00:00Z");
    assert_eq!(delivery["ultimo_intento"], "2026-10-13T21:00:30Z", "27 hours and six times five seconds");
    let untouched = one(&beto, "/webhooks/1/entregas").await;
    assert_eq!((&untouched["estado"], &untouched["intentos"]), (&json!("pendiente"), &json!(1)));

    // Signatures bear the time that receivers see.
    let signed = failing.posts();
    let post = signed.last().expect("a notice");
    assert!(verify(&post.headers, &post.body, &[&secret], now(&world)).is_ok());

    // A group leaves a minute after its last change by the company's clock.
    for actor in [&ana, &beto] {
        actor.put("/clientes/1", json!({"telefono": "5512345678"})).await.ok(200);
    }
    forward(&test, TimeDelta::seconds(60)).await;
    let taking = answering::<200>();
    assert_eq!(world.deliver(&taking).await.agrupados, 1);

    // The former secret signs for a day.
    let rotated = ana.post("/webhooks/1/secreto", json!({})).await.ok(200)["secreto"].as_str().unwrap().to_owned();
    let signs = async |nombre: &str| {
        taking.posts();
        ana.post("/clientes", json!({"nombre": nombre})).await.ok(201);
        world.deliver(&taking).await;
        let posts = taking.posts();
        let post = posts.iter().find(|post| post.headers["x-svc-evento"] == "cliente.creado").expect("a notice");
        [&secret, &rotated].map(|secret| verify(&post.headers, &post.body, &[secret], now(&world)).is_ok())
    };
    assert_eq!(signs("Beto").await, [true, true]);
    forward(&test, TimeDelta::hours(24)).await;
    assert_eq!(signs("Carla").await, [false, true]);

    // Fifteen deliveries that fail for over a day disable it.
    for n in 0..15 {
        ana.post("/clientes", json!({"nombre": format!("Cliente {n}")})).await.ok(201);
    }
    for _ in 0..40 {
        world.deliver(&failing).await;
        world.end_leases().await;
        forward(&test, TimeDelta::hours(14)).await;
    }
    let hook = one(&ana, "/webhooks?clave=1").await;
    assert_eq!(hook["motivo_desactivacion"], "fallos_consecutivos", "{hook}");
    assert_eq!(one(&beto, "/webhooks?clave=1").await["activo"], true);
}

#[tokio::test]
async fn keys_answers_and_logs_are_kept_as_long_as_ever() {
    let world = World::new().await;
    world.clock.set_to_present(TimeDelta::zero());
    let test = world.test_company().await;
    let expires = Some(now(&world) + TimeDelta::days(30));
    let ana = test.key(CreateKey { expires, ..any_key() }).await;
    ana.post("/webhooks", json!({"url": HOOK, "eventos": ["cliente.creado"]})).await.ok(201);
    let key = fresh_key();
    let first = ana.write(Method::POST, "/clientes", &key, json!({"nombre": "Ana"})).await;
    first.ok(201);
    world.deliver(&answering::<200>()).await;
    forward(&test, TimeDelta::days(366)).await;
    let again = ana.write(Method::POST, "/clientes", &key, json!({"nombre": "Ana"})).await;
    again.ok(200);
    assert_eq!((again.header("idempotent-replayed"), &again.body), (Some("true"), &first.body));
    assert_eq!(clean_up(world.api.context()).await.expect("a clean-up"), 0);
    assert_eq!((count(&ana, "/eventos").await, count(&ana, "/webhooks/1/entregas").await), (1, 1));
    let since = json!({"desde": "2020-01-01T00:00:00Z"});
    assert_eq!(ana.post("/webhooks/1/recuperar", since).await.ok(202)["entregas"], 1);
    // A key that is made now expires by the service's clock too.
    let expires = Some(now(&world) + TimeDelta::minutes(1));
    let short = test.key(CreateKey { expires, ..any_key() }).await;
    short.get("/clientes").await.ok(200);
    world.clock.advance(TimeDelta::minutes(1));
    short.get("/clientes").await.fails(401, "llave_invalida");
    ana.get("/clientes").await.ok(200);
}

#[tokio::test]
async fn servers_know_within_five_seconds() {
    let world = World::new().await;
    let test = world.test_company().await;
    let ana = test.actor(&[Scope::ClientesRead]).await;
    let date = async || ana.get("/clientes").await.header("date").map(str::to_owned);
    assert_eq!(date().await.as_deref(), Some("Mon, 12 Oct 2026 18:00:00 GMT"));
    moved(&test, MoveClock::Forward(TimeDelta::days(1))).await.unwrap();
    world.clock.advance(TimeDelta::seconds(5));
    assert_eq!(date().await.as_deref(), Some("Tue, 13 Oct 2026 18:00:05 GMT"));
    // A process that moves it itself knows at once.
    let context = world.api.context();
    context.run(test.id, &MoveClock::Forward(TimeDelta::days(1))).await.unwrap();
    assert_eq!(date().await.as_deref(), Some("Wed, 14 Oct 2026 18:00:05 GMT"));
}
