//! The period of a global invoice, its reissue and its substitute.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::domain::cfdi::Cfdi;
use svc_core::operations::EditCompany;
use svc_core::stamping::SandboxStamper;
use svc_core::store::CompanyChange;
use svc_tests::{World, books, certificate};

use super::credit_notes::{document, refused, uuid};
use super::global::sold;
use super::{NAIL, PUBLIC, Shop, line};

/// A ticket of 116.00 to the general public.
pub(super) async fn ticket(shop: &Shop) -> i64 {
    sold(shop, PUBLIC, &[line(NAIL, "1", "100")]).await
}

pub(super) async fn global(shop: &Shop, input: Value) -> (i64, Value) {
    let made = shop.company.run_by_name("invoice.global", &input).await.unwrap();
    (made["factura"].as_i64().expect("a record"), made["ventas"].clone())
}

async fn at_place(shop: &Shop, cp: &str) {
    let change = CompanyChange { cp: Some(cp.to_owned()), ..CompanyChange::default() };
    shop.company.run(&EditCompany(change)).await.unwrap();
}

#[tokio::test]
async fn a_global_invoice_takes_its_period_only() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    // Friday 2 October to Monday 12 October 2026 is past; the clock stands at the 12th.
    let monday = ticket(&shop).await;
    world.clock.advance(TimeDelta::days(1));
    let tuesday = ticket(&shop).await;
    world.clock.advance(TimeDelta::days(8));
    let next_week = ticket(&shop).await;
    let period = |key: &str, more: Value| {
        let mut input = json!({"periodicidad": key, "mes": 10, "año": 2026});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    let monday_only = period("01", json!({"desde": "2026-10-12"}));
    let (first, ventas) = global(&shop, monday_only.clone()).await;
    assert_eq!(ventas, json!([monday]));
    refused(&shop, "invoice.global", monday_only, "estado_invalido", "no hay ventas").await;
    // Without days it is the day that runs.
    assert_eq!(global(&shop, period("01", json!({}))).await.1, json!([next_week]));
    let named = period("02", json!({"desde": "2026-10-19", "ventas": [tuesday]}));
    refused(&shop, "invoice.global", named, "estado_invalido", "no es del periodo").await;
    let (_, week) = global(&shop, period("02", json!({"hasta": "2026-10-18"}))).await;
    assert_eq!(week, json!([tuesday]));
    for (input, code, field) in [
        (period("01", json!({"desde": "2026-10-22"})), "dato_invalido", "desde: no ha empezado"),
        (period("01", json!({"desde": "2026-10-12", "hasta": "2026-10-13"})), "dato_invalido", "hasta"),
        (period("04", json!({"desde": "2026-09-30"})), "dato_invalido", "desde"),
        (period("04", json!({"desde": "ayer"})), "dato_invalido", "desde"),
        (json!({"periodicidad": "03", "mes": 9, "año": 2026}), "dato_requerido", "desde"),
    ] {
        refused(&shop, "invoice.global", input, code, field).await;
    }
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, first).await;
    assert!(xml.contains("Periodicidad=\"01\"") && xml.contains("Meses=\"10\""), "{xml}");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn the_days_of_a_global_invoice_are_those_of_the_issuing_place() {
    for (cp, last_day) in [("06700", "2026-10-13"), ("22000", "2026-10-12"), ("83000", "2026-10-12")] {
        let world = World::new().await;
        let shop = Shop::new(&world).await;
        at_place(&shop, cp).await;
        // 06:30 UTC: half past midnight in Mexico City, half past eleven in Tijuana and Hermosillo.
        world.clock.advance(TimeDelta::minutes(12 * 60 + 30));
        let venta = ticket(&shop).await;
        let of = |day: &str| json!({"periodicidad": "01", "mes": 10, "año": 2026, "desde": day});
        let other = if last_day == "2026-10-12" { "2026-10-13" } else { "2026-10-12" };
        let text = if other == "2026-10-13" { "desde: no ha empezado" } else { "no hay ventas" };
        let error = shop.company.run_by_name("invoice.global", &of(other)).await.unwrap_err().to_string();
        assert!(error.contains(text), "{cp}: {error}");
        assert_eq!(global(&shop, of(last_day)).await.1, json!([venta]), "{cp}");
        books::check(&world, &shop.company).await;
    }
}

#[tokio::test]
async fn two_months_are_one_invoice_of_the_incorporation_regime() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let person =
        CompanyChange { rfc: Some("CACX7605101P8".to_owned()), regimen: Some(621), ..CompanyChange::default() };
    shop.company.edit(person).await;
    let csd = "../sat/csd/CACX7605101P8";
    shop.company.run(&certificate::load(csd, csd)).await.unwrap();
    let october = ticket(&shop).await;
    world.clock.advance(TimeDelta::days(30));
    let november = ticket(&shop).await;
    let (_, ventas) = global(&shop, json!({"periodicidad": "05", "mes": 10, "año": 2026})).await;
    assert_eq!(ventas, json!([october]));
    let (_, ventas) = global(&shop, json!({"periodicidad": "05", "mes": 18, "año": 2026})).await;
    assert_eq!(ventas, json!([november]));
    let months: String = world.sql("SELECT string_agg(meses, ' ' ORDER BY factura) FROM facturas_globales").await;
    assert_eq!(months, "17 18");
    world.stamp(&SandboxStamper).await;
    document(&shop, 1).await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_reissued_global_invoice_leaves_out_what_was_cancelled() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (first, second) = (ticket(&shop).await, ticket(&shop).await);
    let (factura, _) = global(&shop, json!({"periodicidad": "04", "mes": 10, "año": 2026})).await;
    let reject = json!({"factura": factura, "codigo": "CFDI40130", "mensaje": "No"});
    shop.company.run_by_name("invoice.rejected", &reject).await.unwrap();
    shop.company.run_by_name("sale.cancel", &json!({"venta": first})).await.unwrap();
    let folio = json!({"factura": factura, "uuid": "5ad427b5-2b1e-4d3c-9f0a-000000000001"});
    refused(&shop, "invoice.stamped", folio, "estado_invalido", "invoice.restamp").await;
    shop.company.run_by_name("invoice.restamp", &json!({"factura": factura})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    let document = Cfdi::read(&document(&shop, factura).await).unwrap();
    assert_eq!((document.conceptos.len(), document.total.get().to_string()), (1, "116.00".to_owned()));
    let cancelled = shop.one(&format!("/ventas?tipo=venta&cancelada=true&clave={first}")).await;
    assert_eq!(cancelled["factura"], Value::Null);
    let sale = shop.one(&format!("/ventas?tipo=venta&clave={second}")).await;
    assert_eq!(sale["factura"], json!(factura));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_global_invoice_with_nothing_left_is_not_reissued() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = ticket(&shop).await;
    let (factura, _) = global(&shop, json!({"periodicidad": "01", "mes": 10, "año": 2026})).await;
    let reject = json!({"factura": factura, "codigo": "CFDI40130", "mensaje": "No"});
    shop.company.run_by_name("invoice.rejected", &reject).await.unwrap();
    shop.company.run_by_name("sale.cancel", &json!({"venta": venta})).await.unwrap();
    refused(&shop, "invoice.restamp", json!({"factura": factura}), "estado_invalido", "document.discard").await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_global_invoice_is_substituted_with_its_sales() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = ticket(&shop).await;
    let (former, _) = global(&shop, json!({"periodicidad": "04", "mes": 10, "año": 2026})).await;
    let substitute = json!({"factura": former});
    refused(&shop, "invoice.substitute", substitute.clone(), "estado_invalido", "no está vigente").await;
    world.stamp(&SandboxStamper).await;
    let made = shop.company.run_by_name("invoice.substitute", &substitute).await.unwrap();
    let factura = made["factura"].as_i64().unwrap();
    refused(&shop, "invoice.substitute", substitute, "estado_invalido", "ya tiene").await;
    let query = format!("/ventas?tipo=venta&clave={venta}");
    assert_eq!(shop.one(&query).await["factura"], json!(former));
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, factura).await;
    assert!(xml.contains("TipoRelacion=\"04\"") && xml.contains(&uuid(&shop, former).await), "{xml}");
    let sale = shop.one(&query).await;
    assert_eq!((&sale["factura"], &sale["uuid"]), (&json!(factura), &json!(uuid(&shop, factura).await)));
    let cancel = json!({"factura": former, "motivo": "01", "uuid_sustitucion": sale["uuid"]});
    shop.company.run_by_name("invoice.cancel", &cancel).await.unwrap();
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(former).await["estatus"], "cancelada");
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await;
    assert_eq!((&shop.one(&query).await["factura"], &cxc["uuid"]), (&json!(factura), &sale["uuid"]));
    books::check(&world, &shop.company).await;
}
