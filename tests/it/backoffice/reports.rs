//! `report.aging`, `report.statement`, `report.vat`, `report.sales`.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::{Company, Resource, World, books};

use super::shop::{FOOD, NAIL, captured, line, nails, refuses, sale, shop, with};
use super::{did, ledger};

pub(crate) async fn report(company: &Company, name: &str, input: Value) -> Value {
    did(company.run_by_name(&format!("report.{name}"), &input).await)
}

pub(super) fn transfer(cxc: i64, importe: &str, fecha: &str) -> Value {
    json!({"cxc": cxc, "importe": importe, "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": fecha,
           "referencia": format!("SPEI {importe}")})
}

/// The first line of an aging report, as `age: amount`.
fn ages(said: &Value, at: usize) -> Vec<String> {
    let line = &said["renglones"][at];
    let ages = ["por_vencer", "de_1_a_30", "de_31_a_60", "de_61_a_90", "mas_de_90"];
    let told = ages.into_iter().filter(|age| line[age] != "0.00");
    told.map(|age| format!("{age}: {}", line[age].as_str().expect("an amount"))).collect()
}

#[tokio::test]
async fn what_is_owed_ages_and_a_past_day_stays_as_it_was() {
    let world = World::new().await;
    let company = shop(&world).await;
    // The ticket is due at once, on 12 October; the credit sale 15 days later.
    captured(&company, &nails("venta")).await;
    let credit = with(&nails("venta"), json!({"condicion_pago": "credito", "dias_credito": 15}));
    captured(&company, &credit).await;
    let paid = did(company.run_by_name("payment.apply", &transfer(1, "100.00", "2026-10-12")).await);
    let today = report(&company, "aging", json!({"de": "cxc"})).await;
    assert_eq!((&today["al"], ages(&today, 0)), (&json!("2026-10-12"), vec!["por_vencer: 364.00".to_owned()]));
    assert_eq!(today["renglones"][0]["nombre"], "Ana");
    world.clock.advance(TimeDelta::days(40));
    let later = report(&company, "aging", json!({"de": "cxc"})).await;
    assert_eq!(ages(&later, 0), ["de_1_a_30: 232.00", "de_31_a_60: 132.00"]);
    assert_eq!((&later["totales"]["documentos"], &later["totales"]["total"]), (&json!(2), &json!("364.00")));
    // A payment that is cancelled on a later day was one on the days before.
    did(company.run_by_name("payment.cancel", &json!({"pago": paid["pago"]})).await);
    let now = report(&company, "aging", json!({"de": "cxc"})).await;
    assert_eq!(ages(&now, 0), ["de_1_a_30: 232.00", "de_31_a_60: 232.00"]);
    let then = report(&company, "aging", json!({"de": "cxc", "al": "2026-10-12"})).await;
    assert_eq!(then["renglones"], today["renglones"]);
    let before = report(&company, "aging", json!({"de": "cxc", "al": "2026-10-11"})).await;
    assert_eq!((&before["renglones"], &before["saldo"]), (&json!([]), &json!("0.00")));
    let other = world.company().await;
    assert_eq!(report(&other, "aging", json!({"de": "cxc"})).await["renglones"], json!([]));
    books::check(&world, &company).await;
}

#[tokio::test]
async fn debts_in_dollars_are_told_in_both_currencies() {
    let world = World::new().await;
    let company = shop(&world).await;
    captured(&company, &with(&nails("venta"), json!({"moneda": "USD", "tipo_cambio": "17.5"}))).await;
    let said = report(&company, "aging", json!({"de": "cxc"})).await;
    let line = &said["renglones"][0];
    assert_eq!([&line["moneda"], &line["saldo"], &line["total"]], [&json!("USD"), &json!("232.00"), &json!("4060.00")]);
    did(company.run_by_name("payment.apply", &ledger::dollars(&json!(1), "116.00", Some("20"))).await);
    let said = report(&company, "aging", json!({"de": "cxc"})).await;
    let line = &said["renglones"][0];
    assert_eq!(
        [&line["saldo"], &line["total"], &said["saldo"]],
        [&json!("116.00"), &json!("2030.00"), &json!("2030.00")]
    );
    let statement = json!({"cliente": 1, "desde": "2026-10-01", "hasta": "2026-10-31"});
    let said = report(&company, "statement", statement).await;
    let open = &said["documentos"][0];
    assert_eq!(
        [&open["moneda"], &open["saldo"], &open["saldo_pesos"]],
        [&json!("USD"), &json!("116.00"), &json!("2030.00")]
    );
    // What is collected falls due at the rate of its day.
    let vat = report(&company, "vat", json!({"mes": "2026-10"})).await;
    let sixteen = &vat["trasladado"][0];
    assert_eq!([&sixteen["tasa"], &sixteen["iva"]], [&json!("0.160000"), &json!("560.00")]);
    assert_eq!([&sixteen["iva_cobrado"], &sixteen["iva_por_cobrar"]], [&json!("320.00"), &json!("280.00")]);
    assert_eq!([&sixteen["base"], &sixteen["base_cobrada"]], [&json!("3500.00"), &json!("2000.00")]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_payable_ages_and_its_iva_is_creditable_when_it_is_paid() {
    let world = World::new().await;
    let company = shop(&world).await;
    let suppliers =
        [json!({"nombre": "Acero", "rfc": "AAA010101AAA"}), json!({"nombre": "Steel", "rfc": "XEXX010101000"})];
    company.load(Resource::Proveedores, &suppliers).await;
    let bill = |proveedor: i64, total: &str, iva: &str| json!({"proveedor": proveedor, "total": total, "iva": iva, "fecha": "2026-10-02", "vencimiento": "2026-10-10"});
    // A third of the second bill bears no IVA, and the third is at the border's rate.
    for body in [
        bill(1, "1160.00", "160.00"),
        bill(1, "1660.00", "160.00"),
        bill(2, "108.00", "8.00"),
        bill(2, "50.00", "0.00"),
    ] {
        did(company.run_by_name("payable.capture", &body).await);
    }
    let aged = report(&company, "aging", json!({"de": "cxp", "al": "2026-10-12"})).await;
    assert_eq!((ages(&aged, 0), &aged["saldo"]), (vec!["de_1_a_30: 2820.00".to_owned()], &json!("2978.00")));
    for (cxp, importe) in [(1, "580.00"), (2, "1660.00"), (3, "108.00"), (4, "50.00")] {
        let pay = json!({"cxp": cxp, "importe": importe, "fecha": "2026-10-12", "referencia": format!("SPEI {cxp}")});
        did(company.run_by_name("payable.pay", &pay).await);
    }
    let said = report(&company, "vat", json!({"mes": "2026-10"})).await;
    let told = |line: &Value| {
        let text = |field: &str| line[field].as_str().unwrap_or("null").to_owned();
        format!(
            "{}: {} {}, paid {} {}",
            text("tasa"),
            text("base"),
            text("iva"),
            text("base_pagada"),
            text("iva_pagado")
        )
    };
    let of = |supplier: &Value| supplier["tasas"].as_array().expect("rates").iter().map(told).collect::<Vec<_>>();
    let [acero, steel] = [&said["proveedores"][0], &said["proveedores"][1]];
    assert_eq!((&acero["nombre"], &acero["tipo_tercero"]), (&json!("Acero"), &json!("04")));
    assert_eq!(of(acero), ["0.160000: 2000.00 320.00, paid 1500.00 240.00", "0.000000: 500.00 0.00, paid 500.00 0.00"]);
    assert_eq!(steel["tipo_tercero"], "05");
    assert_eq!(of(steel), ["0.080000: 100.00 8.00, paid 100.00 8.00", "0.000000: 50.00 0.00, paid 50.00 0.00"]);
    assert_eq!(
        [&said["acreditable_total"]["iva_pagado"], &said["acreditable_total"]["iva_por_pagar"]],
        [&json!("248.00"), &json!("80.00")]
    );
    let next = report(&company, "vat", json!({"mes": "2026-11"})).await;
    assert_eq!((&next["proveedores"], &next["trasladado"]), (&json!([]), &json!([])));
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_statement_tells_movements_favour_and_advances() {
    let world = World::new().await;
    let company = shop(&world).await;
    captured(&company, &nails("venta")).await;
    world.clock.advance(TimeDelta::days(1));
    did(company.run_by_name("payment.apply", &transfer(1, "232.00", "2026-10-13")).await);
    let returned = json!({"venta": 1, "renglones": [{"renglon": 1, "cantidad": 1}]});
    did(company.run_by_name("sale.return", &returned).await);
    let advance = json!({"cliente": 1, "importe": "116.00", "forma_pago_sat": "03", "cuenta_bancaria": 1});
    did(company.run_by_name("advance.capture", &advance).await);
    let days = |desde: &str, hasta: &str| json!({"cliente": 1, "desde": desde, "hasta": hasta});
    let said = report(&company, "statement", days("2026-10-13", "2026-10-13")).await;
    assert_eq!(
        [&said["nombre"], &said["saldo_inicial"], &said["saldo"]],
        [&json!("Ana"), &json!("232.00"), &json!("0.00")]
    );
    let moved = |line: &Value| {
        let text = |field: &str| line[field].as_str().expect("a text");
        format!("{} +{} -{} = {}", text("fecha"), text("cargo"), text("abono"), text("saldo"))
    };
    let lines: Vec<String> = said["movimientos"].as_array().expect("movements").iter().map(moved).collect();
    assert_eq!(
        lines,
        ["2026-10-13 +0.00 -232.00 = 0.00", "2026-10-13 +116.00 -0.00 = 116.00", "2026-10-13 +0.00 -116.00 = 0.00"]
    );
    assert_eq!(said["a_favor"], json!([{"anticipo": null, "moneda": "MXN", "importe": "116.00"}]));
    assert_eq!(said["anticipos"][0]["importe"], "116.00");
    assert_eq!(said["documentos"], json!([]));
    let before = report(&company, "statement", days("2026-10-01", "2026-10-12")).await;
    assert_eq!([&before["saldo_inicial"], &before["saldo"]], [&json!("0.00"), &json!("232.00")]);
    assert_eq!((&before["documentos"][0]["cxc"], &before["a_favor"]), (&json!(1), &json!([])));
    assert_eq!(before["anticipos"], json!([]));
    let backwards = (days("2026-10-13", "2026-10-12"), "dato_invalido", "hasta: ");
    let unknown = (json!({"cliente": 9, "desde": "2026-10-13", "hasta": "2026-10-13"}), "no_encontrado", "cliente: ");
    refuses(&company, "report.statement", &[backwards, unknown]).await;
    books::check(&world, &company).await;
}

/// The bases and the taxes of a month's sales, by rate.
pub(crate) async fn charged(company: &Company, mes: &str) -> Vec<String> {
    let said = report(company, "vat", json!({"mes": mes})).await;
    let of = |rate: &Value| {
        let fields = ["tasa", "base", "iva", "base_cobrada", "iva_cobrado", "iva_por_cobrar"];
        fields.map(|field| rate[field].as_str().unwrap_or("-").to_owned()).join(" ")
    };
    said["trasladado"].as_array().expect("rates").iter().map(of).collect()
}

#[tokio::test]
async fn what_an_advance_charged_is_not_charged_again_when_it_pays() {
    let world = World::new().await;
    let company = shop(&world).await;
    for (producto, iva) in [(NAIL, "16"), (FOOD, "0")] {
        let total = if producto == NAIL { "116.00" } else { "100.00" };
        let advance = json!({"cliente": 1, "importe": total, "iva": iva, "forma_pago_sat": "01"});
        did(company.run_by_name("advance.capture", &advance).await);
    }
    assert_eq!(
        charged(&company, "2026-10").await,
        ["0.160000 100.00 16.00 100.00 16.00 0.00", "0.000000 100.00 0.00 100.00 0.00 0.00"]
    );
    world.clock.advance(TimeDelta::days(25));
    for (producto, cxc, anticipo, importe) in [(NAIL, 3, 1, "116.00"), (FOOD, 4, 2, "100.00")] {
        captured(&company, &sale("venta", &[line(producto, 1, "100.00")])).await;
        let paid =
            json!({"cxc": cxc, "importe": importe, "origen": "anticipo", "anticipo": anticipo, "fecha": "2026-11-06"});
        did(company.run_by_name("payment.apply", &paid).await);
    }
    assert_eq!(charged(&company, "2026-11").await, Vec::<String>::new(), "the advances were charged in October");
    did(company.run_by_name("payment.cancel", &json!({"pago": 3})).await);
    assert_eq!(charged(&company, "2026-11").await, ["0.160000 100.00 16.00 0.00 0.00 16.00"]);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn goods_that_come_back_apart_are_told_by_product_and_month() {
    let world = World::new().await;
    let company = shop(&world).await;
    captured(&company, &sale("venta", &[line(NAIL, 3, "100.00"), line(FOOD, 2, "10.00")])).await;
    let back = async |renglon: i64| {
        let back = json!({"venta": 1, "renglones": [{"renglon": renglon, "cantidad": 1}]});
        did(company.run_by_name("sale.return", &back).await);
    };
    back(1).await;
    world.clock.advance(TimeDelta::days(25));
    back(2).await;
    let said = async |desde: &str, hasta: &str| {
        let said = report(&company, "sales", json!({"desde": desde, "hasta": hasta, "por": "producto"})).await;
        let of =
            |row: &Value| format!("{} {}: {} - {}", row["clave"], row["cantidad"], row["ventas"], row["descuentos"]);
        said["renglones"].as_array().expect("lines").iter().map(of).collect::<Vec<_>>().join("; ").replace('"', "")
    };
    assert_eq!(said("2026-10-01", "2026-10-31").await, "1 2: 300.00 - 100.00; 2 2: 20.00 - 0.00");
    assert_eq!(said("2026-11-01", "2026-11-30").await, "2 -1: 0.00 - 10.00");
    assert_eq!(said("2026-10-01", "2026-11-30").await, "1 2: 300.00 - 100.00; 2 1: 20.00 - 10.00");
    books::check(&world, &company).await;
}

#[tokio::test]
async fn sales_are_told_by_day_customer_product_and_salesperson() {
    let world = World::new().await;
    let company = shop(&world).await;
    let mut cheaper = line(NAIL, 3, "100.00");
    cheaper["descuento"] = json!("30.00");
    captured(&company, &sale("venta", &[cheaper, line(FOOD, 2, "10.00")])).await;
    world.clock.advance(TimeDelta::days(1));
    captured(&company, &nails("venta")).await;
    did(company.run_by_name("sale.return", &json!({"venta": 2, "renglones": [{"renglon": 1, "cantidad": 1}]})).await);
    let said = async |por: &str| {
        let said = report(&company, "sales", json!({"desde": "2026-10-12", "hasta": "2026-10-13", "por": por})).await;
        assert_eq!((&said["totales"]["ventas"], &said["totales"]["neto"]), (&json!("520.00"), &json!("390.00")));
        let shown = |line: &Value| {
            let text = |field: &str| match &line[field] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            format!(
                "{} {} {}: {} - {}",
                text("dia"),
                text("clave"),
                text("cantidad"),
                text("ventas"),
                text("descuentos")
            )
        };
        said["renglones"].as_array().expect("lines").iter().map(shown).collect::<Vec<_>>()
    };
    assert_eq!(said("dia").await, ["2026-10-12 null null: 320.00 - 30.00", "2026-10-13 null null: 200.00 - 100.00"]);
    assert_eq!(said("cliente").await, ["null 1 null: 520.00 - 130.00"]);
    assert_eq!(said("vendedor").await, ["null null null: 520.00 - 130.00"]);
    assert_eq!(said("producto").await, ["null 1 4: 500.00 - 130.00", "null 2 2: 20.00 - 0.00"]);
    let one = json!({"desde": "2026-10-13", "hasta": "2026-10-13", "por": "producto"});
    assert_eq!(report(&company, "sales", one).await["totales"]["neto"], "100.00");
    let unknown = json!({"desde": "2026-10-13", "hasta": "2026-10-13", "por": "color"});
    refuses(&company, "report.sales", &[(unknown, "dato_invalido", "por: ")]).await;
    let months = ["2026-13", "2026-1", "26-10", "octubre"].map(|mes| (json!({"mes": mes}), "dato_invalido", "mes: "));
    refuses(&company, "report.vat", &months).await;
    refuses(&company, "report.vat", &[(json!({}), "dato_requerido", "mes: ")]).await;
    refuses(&company, "report.aging", &[(json!({"de": "cxb"}), "dato_invalido", "de: ")]).await;
    books::check(&world, &company).await;
}
