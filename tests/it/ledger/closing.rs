//! `ledger.close`, `ledger.reopen`

use std::time::Duration;

use serde_json::{Value, json};
use svc_tests::{Company, World, books};

use super::{entry, fee, movement, october};
use crate::backoffice::did;
use crate::backoffice::shop::{captured, invoiced, nails, refuses, shop, with};

async fn close(company: &Company, mes: &str) -> Value {
    did(company.run_by_name("ledger.close", &json!({"mes": mes})).await)
}

/// A payment of the only receivable, on this day.
fn payment(fecha: &str) -> Value {
    json!({"importe": "10.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": fecha, "referencia": "A-1"})
}

#[tokio::test]
async fn nothing_is_dated_in_a_closed_month() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let credit =
        with(&nails("pedido"), json!({"metodo_pago_sat": "PPD", "forma_pago_sat": "99", "condicion_pago": "credito"}));
    invoiced(&ana, &credit).await;
    let paid = ana.write(http::Method::POST, "/cxc/1/pagos", "before", payment("2026-10-12")).await;
    paid.ok(201);
    assert_eq!(close(&company, "2026-09").await, json!({"cerrado": "2026-09"}));
    ana.post("/cxc/1/pagos", with(&payment("2026-10-12"), json!({"referencia": "A-2"}))).await.ok(201);
    world.clock.advance(chrono::TimeDelta::days(30));
    assert_eq!(close(&company, "2026-10").await, json!({"cerrado": "2026-10"}));
    // Closing a month before leaves the later ones closed.
    assert_eq!(close(&company, "2026-08").await, json!({"cerrado": "2026-10"}));
    let before = books::fingerprint(&world).await;
    let late = with(&payment("2026-10-31"), json!({"referencia": "A-3"}));
    ana.post("/cxc/1/pagos", late.clone()).await.fails(422, "periodo_cerrado");
    assert_eq!(books::fingerprint(&world).await, before, "nothing was written");
    let replayed = ana.write(http::Method::POST, "/cxc/1/pagos", "before", payment("2026-10-12")).await;
    assert_eq!((replayed.status, replayed.header("Idempotent-Replayed")), (200, Some("true")));
    refuses(
        &company,
        "ledger.entry",
        &[(fee("2026-10-31"), "periodo_cerrado", "la contabilidad está cerrada hasta el 2026-10-31")],
    )
    .await;
    let bill = json!({"proveedor": 0, "fecha": "2026-10-30", "total": "116.00", "iva": "16.00"});
    refuses(&company, "payable.capture", &[(bill, "periodo_cerrado", "")]).await;
    let deposit =
        json!({"cuenta_bancaria": 2, "fecha": "2026-10-30", "importe": "5", "referencia": "D", "tipo_cambio": "18"});
    let unvalued = with(&deposit, json!({"tipo_cambio": null}));
    refuses(&company, "deposit.capture", &[(deposit, "periodo_cerrado", ""), (unvalued, "periodo_cerrado", "")]).await;
    ana.post("/cxc/1/pagos", with(&late, json!({"fecha": "2026-11-01"}))).await.ok(201);
    assert_eq!(
        did(company.run_by_name("ledger.reopen", &json!({"mes": "2026-10"})).await),
        json!({"cerrado": "2026-09"})
    );
    ana.post("/cxc/1/pagos", with(&late, json!({"referencia": "A-4"}))).await.ok(201);
    refuses(
        &company,
        "ledger.reopen",
        &[
            (json!({"mes": "2026-10"}), "estado_invalido", "mes: "),
            (json!({"mes": "10-2026"}), "dato_invalido", "mes: "),
        ],
    )
    .await;
    refuses(&company, "ledger.close", &[(json!({"mes": "2026-12"}), "dato_invalido", "mes: aún no empieza")]).await;
    let other = shop(&world).await;
    did(other.run_by_name("ledger.entry", &fee("2026-10-31")).await);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_document_of_a_closed_month_is_cancelled_in_an_open_one() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (_, factura) = invoiced(&ana, &nails("pedido")).await;
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    captured(&company, &nails("venta")).await;
    world.clock.advance(chrono::TimeDelta::days(30));
    close(&company, "2026-10").await;
    did(company.run_by_name("sale.cancel", &json!({"venta": 2})).await);
    did(company.run_by_name("invoice.cancel", &json!({"factura": factura, "motivo": "02"})).await);
    let november = json!({"desde": "2026-11-01", "hasta": "2026-11-30"});
    let read = did(company.run_by_name("ledger.entries", &november).await);
    let days: Vec<&Value> = read["datos"].as_array().unwrap().iter().map(|entry| &entry["fecha"]).collect();
    assert_eq!(days, ["2026-11-11", "2026-11-11"]);
    assert!(read["datos"].as_array().unwrap().iter().all(|entry| entry["revierte"].is_i64()), "{read}");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn in_a_closed_present_month_only_the_authoritys_answers_are_written_in_the_next() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let (_, factura) = invoiced(&ana, &nails("pedido")).await;
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    close(&company, "2026-10").await;
    refuses(&company, "sale.capture", &[(nails("venta"), "periodo_cerrado", "")]).await;
    let venta = ana.post("/ventas", nails("pedido")).await.ok(201)["venta"].clone();
    ana.post(&format!("/ventas/{venta}/facturar"), json!({})).await.fails(422, "periodo_cerrado");
    did(company.run_by_name("invoice.cancel", &json!({"factura": factura, "motivo": "02"})).await);
    let all = json!({"desde": "2026-10-01", "hasta": "2026-11-30"});
    let read = did(company.run_by_name("ledger.entries", &all).await);
    assert_eq!(read["datos"][1]["fecha"], "2026-11-01", "{read}");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn closing_waits_for_a_write_in_flight_and_a_write_for_closing() {
    let world = World::new().await;
    let company = shop(&world).await;
    captured(&company, &nails("venta")).await;
    let company_id = company.id.0;
    let lock = "SELECT FROM contadores WHERE empresa = $1 AND serie = 'polizas' FOR UPDATE";
    let mut held = world.pool().begin().await.expect("a transaction");
    sqlx::query(lock).bind(company_id).execute(&mut *held).await.expect("locked");
    let (mes, manual) = (json!({"mes": "2026-10"}), fee("2026-10-12"));
    let closing = company.run_by_name("ledger.close", &mes);
    let waits = tokio::time::timeout(Duration::from_millis(300), closing).await;
    assert!(waits.is_err(), "closing waits for who is writing an entry");
    let writing = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        sqlx::query("UPDATE contadores SET cerrado = '2026-10-31' WHERE empresa = $1 AND serie = 'polizas'")
            .bind(company_id)
            .execute(&mut *held)
            .await
            .expect("closed");
        held.commit().await.expect("committed");
    };
    let (written, ()) = tokio::join!(company.run_by_name("ledger.entry", &manual), writing);
    let error = written.expect_err("the month was closed while it waited");
    assert_eq!(error.code().codigo(), "periodo_cerrado");
    assert_eq!(october(&company, None).await["datos"].as_array().map(Vec::len), Some(1));
    let reopened = did(company.run_by_name("ledger.reopen", &json!({"mes": "2026-10"})).await);
    assert_eq!(reopened["cerrado"], "2026-09");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn concurrent_writes_never_land_in_a_month_after_it_is_closed() {
    let world = World::new().await;
    let company = shop(&world).await;
    let lines = [movement("701.10", "1"), movement("102.01", "-1")];
    let write = || async { company.run_by_name("ledger.entry", &entry("2026-10-12", &lines)).await.is_ok() };
    let mes = json!({"mes": "2026-10"});
    let writes = async { tokio::join!(write(), write(), write(), write(), write()) };
    let (closed, written) = tokio::join!(company.run_by_name("ledger.close", &mes), writes);
    did(closed);
    let written = <[bool; 5]>::from(written).iter().filter(|written| **written).count();
    assert_eq!(october(&company, None).await["datos"].as_array().map(Vec::len), Some(written));
    assert!(!write().await);
    books::check(&world, &company).await;
}
