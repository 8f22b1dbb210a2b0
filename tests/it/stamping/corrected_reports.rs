//! What reports say of the days before and after a substitute replaced the lines of an invoice.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::{World, books};

use super::credit_notes::{noted, stamped, uuid};
use super::{ANA, FOOD, NAIL, Shop, UNTAXED, line, order};
use crate::backoffice::reports::{charged, report};

/// Stamps a substitute with other lines, and cancels the invoice that it replaces.
async fn corrected(shop: &Shop, factura: i64, renglones: Value) -> i64 {
    let world = shop.world();
    let input = json!({"factura": factura, "cambios": {"renglones": renglones}});
    let new = shop.company.run_by_name("invoice.substitute", &input).await.unwrap()["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let input = json!({"factura": factura, "motivo": "01", "uuid_sustitucion": uuid(shop, new).await});
    shop.company.run_by_name("invoice.cancel", &input).await.unwrap();
    world.stamp(&SandboxStamper).await;
    new
}

/// Name, quantity and net sales of each product sold in a month.
async fn sold(shop: &Shop, mes: &str) -> Vec<String> {
    let (desde, hasta) = (format!("{mes}-01"), format!("{mes}-28"));
    let answer = report(&shop.company, "sales", json!({"desde": desde, "hasta": hasta, "por": "producto"})).await;
    let group = |group: &Value| {
        format!("{} {} {}", group["sku"].as_str().unwrap(), group["cantidad"], group["neto"].as_str().unwrap())
    };
    answer["renglones"].as_array().unwrap().iter().map(group).collect()
}

/// Pays a part of the first receivable; returns the payment.
async fn paid(shop: &Shop, importe: &str, fecha: &str) -> i64 {
    let body =
        json!({"importe": importe, "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": fecha, "referencia": "A"});
    shop.actor.post("/cxc/1/pagos", body).await.ok(201)["pago"].as_i64().expect("a payment")
}

#[tokio::test]
async fn a_past_month_keeps_the_lines_that_were_charged_in_it() {
    let world = World::new().await;
    world.clock.advance(TimeDelta::days(-60));
    let shop = Shop::new(&world).await;
    let (_, first) = stamped(&world, &shop, order(&[line(NAIL, "1", "1000")])).await;
    let august = ["0.160000 1000.00 160.00 0.00 0.00 160.00"];
    assert_eq!(charged(&shop.company, "2026-08").await, august);
    world.clock.advance(TimeDelta::days(25));
    let second = corrected(&shop, first, json!([line(FOOD, "2", "500"), line(NAIL, "1", "500")])).await;
    let september = ["0.160000 -500.00 -80.00 0.00 0.00 -80.00", "0.000000 1000.00 0.00 0.00 0.00 0.00"];
    assert_eq!(charged(&shop.company, "2026-08").await, august);
    assert_eq!(charged(&shop.company, "2026-09").await, september);
    assert_eq!(sold(&shop, "2026-08").await, ["A-1 1 1000.00"]);
    assert_eq!(sold(&shop, "2026-09").await, ["B-2 2 1000.00", "A-1 0 -500.00"]);
    // Corrected again, and paid, in later months.
    world.clock.advance(TimeDelta::days(30));
    corrected(&shop, second, json!([line(NAIL, "3", "100")])).await;
    let october = ["0.160000 -200.00 -32.00 0.00 0.00 -32.00", "0.000000 -1000.00 0.00 0.00 0.00 0.00"];
    assert_eq!(charged(&shop.company, "2026-10").await, october);
    world.clock.advance(TimeDelta::days(30));
    paid(&shop, "348", "2026-11-06").await;
    assert_eq!(charged(&shop.company, "2026-11").await, ["0.160000 0.00 0.00 300.00 48.00 -48.00"]);
    for (month, said) in [("2026-08", &august[..]), ("2026-09", &september), ("2026-10", &october)] {
        assert_eq!(charged(&shop.company, month).await, said, "{month} stays");
    }
    assert_eq!(sold(&shop, "2026-09").await, ["B-2 2 1000.00", "A-1 0 -500.00"]);
    assert_eq!(sold(&shop, "2026-10").await, ["A-1 2 -200.00", "B-2 -2 -1000.00"]);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn notes_and_payments_cancelled_before_a_correction_keep_their_rates() {
    let world = World::new().await;
    world.clock.advance(TimeDelta::days(-60));
    let shop = Shop::new(&world).await;
    let (_, factura) = stamped(&world, &shop, order(&[line(UNTAXED, "1", "2000"), line(NAIL, "1", "500")])).await;
    let pago = paid(&shop, "1290", "2026-08-13").await;
    let note = json!({"factura": factura, "tipo_relacion": "01", "aplicar": true,
                      "renglones": [{"renglon": 2, "importe": "250"}]});
    let note = noted(&shop, note).await["factura"].clone();
    world.stamp(&SandboxStamper).await;
    let august = charged(&shop.company, "2026-08").await;
    world.clock.advance(TimeDelta::days(25));
    shop.company.run_by_name("invoice.cancel", &json!({"factura": note, "motivo": "02"})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    shop.company.run_by_name("payment.cancel", &json!({"pago": pago, "motivo": "02"})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    let september = charged(&shop.company, "2026-09").await;
    let products = (sold(&shop, "2026-08").await, sold(&shop, "2026-09").await);
    assert_eq!(charged(&shop.company, "2026-08").await, august);
    world.clock.advance(TimeDelta::days(30));
    corrected(&shop, factura, json!([line(NAIL, "2", "100"), line(FOOD, "1", "7")])).await;
    assert_eq!(charged(&shop.company, "2026-08").await, august);
    assert_eq!(charged(&shop.company, "2026-09").await, september);
    assert_eq!((sold(&shop, "2026-08").await, sold(&shop, "2026-09").await), products);
    let october = [
        "0.160000 -300.00 -48.00 0.00 0.00 -48.00",
        "0.000000 7.00 0.00 0.00 0.00 0.00",
        "- -2000.00 0.00 0.00 0.00 0.00",
    ];
    assert_eq!(charged(&shop.company, "2026-10").await, october);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn what_was_owed_in_another_currency_stays_on_past_days() {
    let world = World::new().await;
    world.clock.advance(TimeDelta::days(-60));
    let shop = Shop::new(&world).await;
    let mut dollars = order(&[line(FOOD, "1", "100")]);
    dollars["moneda"] = json!("USD");
    dollars["tipo_cambio"] = json!("18");
    let (_, factura) = stamped(&world, &shop, dollars).await;
    let aged = async |al: &str| {
        let answer = report(&shop.company, "aging", json!({"de": "cxc", "al": al})).await;
        let group = &answer["renglones"][0];
        format!("{} {}", group["saldo"].as_str().unwrap(), group["total"].as_str().unwrap())
    };
    let open = async |al: &str| {
        let input = json!({"cliente": ANA, "desde": "2026-08-01", "hasta": al});
        let answer = report(&shop.company, "statement", input).await;
        let document = &answer["documentos"][0];
        ["total", "saldo", "saldo_pesos"].map(|name| document[name].as_str().unwrap().to_owned()).join(" ")
    };
    world.clock.advance(TimeDelta::days(25));
    corrected(&shop, factura, json!([line(FOOD, "1", "150")])).await;
    world.clock.advance(TimeDelta::days(1));
    assert_eq!(
        (aged("2026-08-20").await, open("2026-08-20").await),
        ("100.00 1800.00".into(), "100.00 100.00 1800.00".into())
    );
    let today = "2026-09-08";
    assert_eq!((aged(today).await, open(today).await), ("150.00 2700.00".into(), "150.00 150.00 2700.00".into()));
    books::check(&world, &shop.company).await;
}
