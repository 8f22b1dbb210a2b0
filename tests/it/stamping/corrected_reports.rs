//! What reports say of the days before and after a substitute replaced the lines of an invoice, or
//! its customer.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::{Resource, World, books};

use super::credit_notes::{noted, stamped, uuid};
use super::tickets::{invoiced, of_ana};
use super::{ANA, FOOD, NAIL, Shop, UNTAXED, line, order};
use crate::backoffice::reports::{charged, report};
use crate::backoffice::shop::with;

/// Stamps a substitute with other lines, and cancels the invoice that it replaces.
async fn corrected(shop: &Shop, factura: i64, renglones: Value) -> i64 {
    substituted(shop, factura, json!({"renglones": renglones})).await
}

/// Stamps a substitute with these changes, and cancels the invoice that it replaces.
async fn substituted(shop: &Shop, factura: i64, cambios: Value) -> i64 {
    let world = shop.world();
    let input = json!({"factura": factura, "cambios": cambios});
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

/// Two more customers, who withhold as Ana does.
const BETO: i64 = 5;
const CARLA: i64 = 6;

async fn with_customers(world: &World) -> Shop {
    let shop = Shop::new(world).await;
    let customer = |nombre: &str, rfc: &str| json!({"nombre": nombre, "rfc": rfc, "regimen": 601, "cp": "06700", "uso_cfdi": "G03"});
    let customers = [customer("Beto", "GAR1212282L2"), customer("Carla", "DRI021018S55")];
    shop.company.load(Resource::Clientes, &customers).await;
    shop
}

fn amount(value: &Value) -> Decimal {
    value.as_str().expect("an amount").parse().expect("a number")
}

/// What customers owe by `report.aging` of a day, once it says what `ledger.entries` and
/// `report.statement` do of each.
async fn owed(shop: &Shop, al: &str) -> Vec<String> {
    let run = async |action: &str, input: Value| shop.company.run_by_name(action, &input).await.expect("an answer");
    let mut named: BTreeMap<i64, Decimal> = BTreeMap::new();
    let entries =
        run("ledger.entries", json!({"desde": "2026-01-01", "hasta": al, "cuenta": "105.01", "limite": 500})).await;
    for entry in entries["datos"].as_array().expect("entries") {
        let moved = entry["movimientos"].as_array().expect("lines").iter().filter(|line| line["codigo"] == "105.01");
        let moved: Decimal = moved.map(|line| amount(&line["debe"]) - amount(&line["haber"])).sum();
        *named.entry(entry["cliente"].as_i64().expect("a customer")).or_default() += moved;
    }
    let aged = report(&shop.company, "aging", json!({"de": "cxc", "al": al})).await;
    let aged: BTreeMap<i64, &Value> = aged["renglones"]
        .as_array()
        .expect("lines")
        .iter()
        .map(|line| (line["clave"].as_i64().expect("a customer"), line))
        .collect();
    for cliente in [ANA, BETO, CARLA] {
        let of_entries = named.get(&cliente).copied().unwrap_or_default();
        let of_aging = aged.get(&cliente).map_or(Decimal::ZERO, |line| amount(&line["total"]));
        let said = run("report.statement", json!({"cliente": cliente, "desde": "2026-01-01", "hasta": al})).await;
        let open = said["documentos"].as_array().expect("documents");
        let open: Decimal = open.iter().map(|document| amount(&document["saldo_pesos"])).sum();
        let all = (of_aging, amount(&said["saldo"]), open);
        assert_eq!(all, (of_entries, of_entries, of_entries), "customer {cliente} at {al}");
    }
    aged.iter().map(|(cliente, line)| format!("{cliente}: {}", line["saldo"].as_str().unwrap())).collect()
}

/// The movements of a customer's statement of a span, and what is open at its end.
async fn statement(shop: &Shop, cliente: i64, desde: &str, hasta: &str) -> Vec<String> {
    let said = report(&shop.company, "statement", json!({"cliente": cliente, "desde": desde, "hasta": hasta})).await;
    let text = |line: &Value, field: &str| line[field].as_str().expect("a text").to_owned();
    let moved = |line: &Value| {
        let [fecha, concepto, cargo, abono] = ["fecha", "concepto", "cargo", "abono"].map(|field| text(line, field));
        format!("{fecha} {concepto}: {cargo} - {abono}")
    };
    let open = |line: &Value| {
        let [folio, total, saldo] = ["folio", "total", "saldo"].map(|field| text(line, field));
        format!("{folio} of {total}: {saldo}")
    };
    let movements = said["movimientos"].as_array().expect("movements").iter().map(moved);
    movements.chain(said["documentos"].as_array().expect("documents").iter().map(open)).collect()
}

/// Net sales by customer of a span.
async fn sold_to(shop: &Shop, desde: &str, hasta: &str) -> Vec<String> {
    let said = report(&shop.company, "sales", json!({"desde": desde, "hasta": hasta, "por": "cliente"})).await;
    let group = |group: &Value| format!("{} {}", group["clave"], group["neto"].as_str().expect("an amount"));
    said["renglones"].as_array().expect("lines").iter().map(group).collect()
}

#[tokio::test]
async fn what_was_a_customers_stays_theirs_after_a_substitute_for_another() {
    let world = World::new().await;
    world.clock.advance(TimeDelta::days(-60));
    let shop = with_customers(&world).await;
    let (_, first) = stamped(&world, &shop, order(&[line(NAIL, "1", "1000")])).await;
    let folio = uuid(&shop, first).await;
    let of_ana = statement(&shop, ANA, "2026-08-01", "2026-08-31").await;
    assert_eq!(of_ana, ["2026-08-13 factura F1: 1160.00 - 0.00", "F1 of 1160.00: 1160.00"]);
    world.clock.advance(TimeDelta::days(25));
    let second = substituted(&shop, first, json!({"cliente": BETO, "renglones": [line(NAIL, "1", "500")]})).await;
    // Only the customer changes.
    world.clock.advance(TimeDelta::days(30));
    let third = substituted(&shop, second, json!({"cliente": CARLA})).await;
    assert_eq!(owed(&shop, "2026-08-12").await, [""; 0]);
    assert_eq!(owed(&shop, "2026-08-31").await, ["1: 1160.00"]);
    assert_eq!(owed(&shop, "2026-09-07").await, ["5: 580.00"]);
    assert_eq!(owed(&shop, "2026-10-06").await, ["5: 580.00"]);
    assert_eq!(owed(&shop, "2026-10-07").await, ["6: 580.00"]);
    assert_eq!(statement(&shop, ANA, "2026-08-01", "2026-08-31").await, of_ana);
    let said =
        report(&shop.company, "statement", json!({"cliente": ANA, "desde": "2026-08-01", "hasta": "2026-08-31"})).await;
    assert_eq!(said["documentos"][0]["uuid"], json!(folio));
    let all = async |cliente: i64| statement(&shop, cliente, "2026-08-01", "2026-10-31").await;
    assert_eq!(
        all(ANA).await,
        ["2026-08-13 factura F1: 1160.00 - 0.00", "2026-09-07 Cancelación: factura F1: 0.00 - 1160.00"]
    );
    assert_eq!(
        all(BETO).await,
        ["2026-09-07 factura F2: 580.00 - 0.00", "2026-10-07 Cancelación: factura F2: 0.00 - 580.00"]
    );
    assert_eq!(all(CARLA).await, ["2026-10-07 factura F3: 580.00 - 0.00", "F3 of 580.00: 580.00"]);
    assert_eq!(sold_to(&shop, "2026-08-01", "2026-08-31").await, ["1 1000.00"]);
    assert_eq!(sold_to(&shop, "2026-09-01", "2026-09-30").await, ["5 500.00", "1 -1000.00"]);
    assert_eq!(sold_to(&shop, "2026-10-01", "2026-10-31").await, ["6 500.00", "5 -500.00"]);
    assert_eq!(sold(&shop, "2026-09").await, ["A-1 0 -500.00"]);
    assert_eq!(sold(&shop, "2026-10").await, Vec::<String>::new());
    assert_eq!(charged(&shop.company, "2026-10").await, Vec::<String>::new());
    books::check(&world, &shop.company).await;
    // Back to the first, who pays.
    world.clock.advance(TimeDelta::days(30));
    substituted(&shop, third, json!({"cliente": ANA, "renglones": [line(NAIL, "2", "500")]})).await;
    paid(&shop, "160", "2026-11-06").await;
    for (day, said) in [
        ("2026-08-31", "1: 1160.00"),
        ("2026-10-06", "5: 580.00"),
        ("2026-10-31", "6: 580.00"),
        ("2026-11-06", "1: 1000.00"),
    ] {
        assert_eq!(owed(&shop, day).await, [said], "{day}");
    }
    assert_eq!(statement(&shop, ANA, "2026-08-01", "2026-08-31").await, of_ana);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_ticket_in_dollars_stays_with_the_customer_it_was_sold_to() {
    let world = World::new().await;
    world.clock.advance(TimeDelta::days(-60));
    let shop = with_customers(&world).await;
    let credit = json!({"condicion_pago": "credito", "dias_credito": 10, "moneda": "USD", "tipo_cambio": "18"});
    let venta = of_ana(&shop, credit).await;
    // A payment that was cancelled stays Ana's too.
    let body = json!({"importe": "16", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-08-13",
                      "referencia": "A", "tipo_cambio": "18"});
    let pago =
        shop.company.run_by_name("payment.apply", &with(&body, json!({"cxc": 1}))).await.unwrap()["pago"].clone();
    world.clock.advance(TimeDelta::days(1));
    shop.company.run_by_name("payment.cancel", &json!({"pago": pago})).await.unwrap();
    let factura = invoiced(&shop, venta).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(owed(&shop, "2026-08-13").await, ["1: 100.00"]);
    world.clock.advance(TimeDelta::days(24));
    substituted(&shop, factura, json!({"cliente": BETO})).await;
    world.clock.advance(TimeDelta::days(1));
    assert_eq!(owed(&shop, "2026-08-13").await, ["1: 100.00"]);
    assert_eq!(owed(&shop, "2026-08-31").await, ["1: 116.00"]);
    assert_eq!(owed(&shop, "2026-09-07").await, ["5: 116.00"]);
    assert_eq!(sold_to(&shop, "2026-08-01", "2026-08-31").await, ["1 1915.20"]);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn what_was_in_a_customers_favour_stays_told_of_a_past_day_once_it_is_cancelled() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let run = async |action: &str, input: Value| {
        shop.company.run_by_name(action, &input).await.unwrap_or_else(|error| panic!("{action} {input}: {error}"))
    };
    let stamp = async || {
        for _ in 0..3 {
            world.stamp(&SandboxStamper).await;
        }
    };
    let told = async |hasta: &str| {
        let said =
            report(&shop.company, "statement", json!({"cliente": ANA, "desde": "2026-10-01", "hasta": hasta})).await;
        let all = said["a_favor"].as_array().unwrap().iter().chain(said["anticipos"].as_array().unwrap());
        all.map(|line| line["importe"].as_str().expect("an amount").to_owned()).collect::<Vec<_>>()
    };
    let (_, factura) = stamped(&world, &shop, order(&[line(NAIL, "1", "1000")])).await;
    let note = json!({"factura": factura, "tipo_relacion": "01", "renglones": [{"renglon": 1, "importe": "100"}]});
    let note = noted(&shop, note).await["factura"].clone();
    let advance = async |importe: &str| {
        let input = json!({"cliente": ANA, "importe": importe, "forma_pago_sat": "03", "cuenta_bancaria": 1});
        run("advance.capture", input).await
    };
    let (used, given_up) = (advance("580.00").await, advance("232.00").await);
    stamp().await;
    let apply = async |importe: &str, more: Value| {
        let input = json!({"cxc": 1, "importe": importe, "fecha": "2026-10-12"});
        run("payment.apply", with(&input, more)).await["pago"].clone()
    };
    let of_favour = apply("60.00", json!({"origen": "saldo_a_favor"})).await;
    let of_advance = apply("116.00", json!({"origen": "anticipo", "anticipo": used["anticipo"]})).await;
    stamp().await;
    let then = told("2026-10-12").await;
    assert_eq!(then, ["56.00", "464.00", "232.00"]);
    world.clock.advance(TimeDelta::days(1));
    for pago in [&of_favour, &of_advance, &given_up["pago"]] {
        run("payment.cancel", json!({"pago": pago})).await;
        stamp().await;
    }
    for factura in [&given_up["factura"], &note] {
        run("invoice.cancel", json!({"factura": factura, "motivo": "02"})).await;
        stamp().await;
    }
    assert_eq!(told("2026-10-12").await, then);
    assert_eq!(told("2026-10-13").await, ["580.00"]);
    assert_eq!(told("2026-10-11").await, [""; 0]);
    books::check(&world, &shop.company).await;
}
