//! Money given back to customers: of advances, by a credit note, and of what is in their favour.

use futures_util::future::join_all;
use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::imports::copy_of;
use svc_tests::{Resource, World, books};

use super::credit_notes::{document, refused, uuid};
use super::{ANA, Shop, nails};
use crate::backoffice::shop::entries;
use crate::cxc::pagos::bank;

async fn advance(shop: &Shop, importe: &str) -> Value {
    let input = json!({"cliente": ANA, "importe": importe, "forma_pago_sat": "03", "cuenta_bancaria": 1});
    shop.company.run_by_name("advance.capture", &input).await.expect("an advance")
}

fn back(anticipo: &Value, importe: &str, referencia: &str) -> Value {
    json!({"anticipo": anticipo, "importe": importe, "cuenta_bancaria": 1, "fecha": "2026-10-12",
           "referencia": referencia})
}

fn favour(importe: &str, referencia: &str) -> Value {
    json!({"cliente": ANA, "importe": importe, "cuenta_bancaria": 1, "fecha": "2026-10-12", "referencia": referencia})
}

async fn stamp(world: &World) {
    for _ in 0..3 {
        world.stamp(&SandboxStamper).await;
    }
}

#[tokio::test]
async fn a_partly_used_advance_is_given_back_by_a_credit_note_of_its_invoice() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let captured = advance(&shop, "500.00").await;
    let anticipo = &captured["anticipo"];
    let (venta, _) = shop.invoice(nails()).await;
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await["clave"].clone();
    let pay = json!({"cxc": cxc, "importe": "200.00", "origen": "anticipo", "fecha": "2026-10-12"});
    shop.company.run_by_name("payment.apply", &pay).await.unwrap();
    refused(&shop, "advance.refund", back(anticipo, "300.01", "A"), "saldo_insuficiente", "").await;
    let part = shop.company.run_by_name("advance.refund", &back(anticipo, "100.00", "A")).await.unwrap();
    assert_eq!(part["restante"], "200.00");
    refused(&shop, "advance.refund", back(anticipo, "100.00", "A"), "pago_repetido", "").await;
    let rest = shop.company.run_by_name("advance.refund", &back(anticipo, "200.00", "B")).await.unwrap();
    assert_eq!([&rest["reembolso"], &rest["restante"]], [&json!(2), &json!("0.00")]);
    refused(&shop, "advance.refund", back(anticipo, "0.01", "C"), "saldo_insuficiente", "").await;
    let more = json!({"cxc": cxc, "importe": "0.01", "origen": "anticipo", "fecha": "2026-10-12"});
    refused(&shop, "payment.apply", more, "saldo_insuficiente", "").await;
    assert_eq!(bank(&world, 1).await, "200.00");
    stamp(&world).await;
    let xml = document(&shop, part["factura"].as_i64().unwrap()).await;
    let own = uuid(&shop, captured["factura"].as_i64().unwrap()).await;
    for part in [
        "TipoDeComprobante=\"E\"",
        "TipoRelacion=\"01\"",
        &own,
        "FormaPago=\"03\"",
        "Descripcion=\"Devolución de anticipo\"",
        "Total=\"100.00\"",
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    assert_eq!(
        entries(&shop.company, anticipo.as_i64().unwrap()).await[2..],
        [
            "Reembolso 1: 206.01 +86.21 208.01 +13.79 102.01.0001 -100.00",
            "Reembolso 2: 206.01 +172.41 208.01 +27.59 102.01.0001 -200.00",
        ]
    );
    books::check(&world, &shop.company).await;
    // Cancelling the note says that the money did not leave.
    let cancel = json!({"factura": part["factura"], "motivo": "02"});
    shop.company.run_by_name("invoice.cancel", &cancel).await.unwrap();
    stamp(&world).await;
    assert_eq!(bank(&world, 1).await, "300.00");
    let again = shop.company.run_by_name("advance.refund", &back(anticipo, "100.00", "A")).await.unwrap();
    assert_eq!(again["restante"], "0.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn an_advance_without_invoice_and_one_in_dollars_are_given_back() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.company.load(Resource::CuentasBancarias, &[json!({"nombre": "Dólares", "moneda": "USD"})]).await;
    let bare = json!({"tipo": "anticipo", "cliente": ANA, "renglones": [super::line(super::NAIL, "1", "100")]});
    let bare = shop.company.run_by_name("sale.capture", &bare).await.unwrap();
    refused(&shop, "advance.refund", back(&bare["venta"], "1", "A"), "saldo_insuficiente", "").await;
    let cash = json!({"cxc": bare["cxc"], "importe": "116", "forma_pago_sat": "01", "fecha": "2026-10-12"});
    shop.company.run_by_name("payment.apply", &cash).await.unwrap();
    let given = shop.company.run_by_name("advance.refund", &back(&bare["venta"], "116", "A")).await.unwrap();
    assert_eq!(given["factura"], Value::Null);
    let input = json!({"cliente": ANA, "importe": "116", "forma_pago_sat": "03", "cuenta_bancaria": 2,
                       "moneda": "USD", "tipo_cambio": "20"});
    let dollars = shop.company.run_by_name("advance.capture", &input).await.unwrap();
    refused(&shop, "advance.refund", back(&dollars["anticipo"], "1", "A"), "moneda_distinta", "").await;
    let mut refund = back(&dollars["anticipo"], "116", "B");
    refund["cuenta_bancaria"] = json!(2);
    refund["tipo_cambio"] = json!("21");
    shop.company.run_by_name("advance.refund", &refund).await.unwrap();
    assert_eq!(bank(&world, 2).await, "0.00");
    assert_eq!(
        entries(&shop.company, dollars["anticipo"].as_i64().unwrap()).await[2..],
        ["Reembolso 2: 206.01 +2000.00 208.01 +320.00 102.01.0002 -2436.00 701.01 +116.00"]
    );
    stamp(&world).await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn what_a_credit_note_left_of_a_paid_invoice_is_given_back() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, factura) = shop.invoice(nails()).await;
    stamp(&world).await;
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await["clave"].as_i64().unwrap();
    shop.pay(cxc, "1160.00", "SPEI 1").await;
    let note = json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 5}]});
    let note = shop.company.run_by_name("credit-note.capture", &note).await.unwrap()["factura"].clone();
    refused(&shop, "favour.refund", favour("580.01", "A"), "saldo_insuficiente", "").await;
    let given = shop.company.run_by_name("favour.refund", &favour("500.00", "A")).await.unwrap();
    assert_eq!(given, json!({"reembolso": 1, "saldo": "80.00"}));
    refused(&shop, "favour.refund", favour("500.00", "A"), "pago_repetido", "").await;
    refused(&shop, "favour.refund", favour("80.01", "B"), "saldo_insuficiente", "").await;
    shop.company.run_by_name("favour.refund", &favour("80.00", "B")).await.unwrap();
    assert_eq!(bank(&world, 1).await, "580.00");
    assert_eq!(
        world
            .sql::<String>(
                "SELECT to_char(sum(abono - cargo), 'FM990.00') FROM polizas_renglones WHERE cuenta = '206.01'"
            )
            .await,
        "0.00"
    );
    stamp(&world).await;
    // The note whose balance was given back stands.
    let cancel = json!({"factura": note, "motivo": "02"});
    refused(&shop, "invoice.cancel", cancel, "estado_invalido", "ya se aplicó").await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_balance_in_dollars_leaves_nothing_behind_at_other_rates() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.company.load(Resource::CuentasBancarias, &[json!({"nombre": "Dólares", "moneda": "USD"})]).await;
    let run = async |action: &str, input: Value| shop.company.run_by_name(action, &input).await.unwrap();
    // Two invoices at 17.123456; one is paid, and notes about parts of it stay in favour.
    let mut order = super::order(&[super::line(super::NAIL, "10", "100")]);
    (order["moneda"], order["tipo_cambio"]) = (json!("USD"), json!("17.123456"));
    let (_, factura) = shop.invoice(order.clone()).await;
    let (owed, _) = shop.invoice(order).await;
    stamp(&world).await;
    let wire = json!({"cxc": 1, "importe": "1160.00", "cuenta_bancaria": 2, "forma_pago_sat": "03", "fecha": "2026-10-12",
                      "referencia": "W 1", "tipo_cambio": "17.123456"});
    run("payment.apply", wire).await;
    let part = |importe: &str, aplicar: bool, factura: i64| json!({"factura": factura, "tipo_relacion": "01", "aplicar": aplicar, "renglones": [{"renglon": 1, "importe": importe}]});
    run("credit-note.capture", part("99.99", false, factura)).await;
    let applied =
        json!({"cxc": 2, "importe": "33.33", "origen": "saldo_a_favor", "fecha": "2026-10-12", "tipo_cambio": "19.1"});
    run("payment.apply", applied).await;
    let refund = |importe: &str, rate: &str| {
        let mut input = favour(importe, rate);
        (input["cuenta_bancaria"], input["tipo_cambio"]) = (json!(2), json!(rate));
        input
    };
    run("favour.refund", refund("41.33", "18.5")).await;
    // 115.99 dollars are 1986.15 pesos: 33.33 are 570.72 of them, 41.33 then 707.72, and the rest
    // 707.71.
    let last = run("favour.refund", refund("41.33", "20")).await;
    assert_eq!(last["saldo"], "0.00");
    let posted = "SELECT to_char(sum(abono - cargo), 'FM990.00') FROM polizas_renglones WHERE cuenta = '206.01'";
    assert_eq!(world.sql::<String>(posted).await, "0.00");
    let gained = "SELECT string_agg(to_char(abono - cargo, 'FM990.00'), ' ' ORDER BY poliza) FROM polizas_renglones
                  WHERE codigo IN ('701.01', '702.01')";
    assert_eq!(world.sql::<String>(gained).await, "-9.09 -56.89 -118.89");
    // A note that pays its own invoice takes its own part, and a cancelled payment gives back what
    // it took.
    let second = run("credit-note.capture", part("50.01", true, 2)).await;
    assert_eq!(world.sql::<String>(posted).await, "0.00");
    let third = run("credit-note.capture", part("0.07", false, factura)).await;
    let again =
        json!({"cxc": 2, "importe": "0.08", "origen": "saldo_a_favor", "fecha": "2026-10-12", "tipo_cambio": "30"});
    let pago = run("payment.apply", again.clone()).await["pago"].clone();
    assert_eq!(world.sql::<String>(posted).await, "0.00");
    run("payment.cancel", json!({"pago": pago})).await;
    assert_eq!(world.sql::<String>(posted).await, "1.37");
    run("payment.apply", again).await;
    assert_eq!(world.sql::<String>(posted).await, "0.00");
    stamp(&world).await;
    assert!([second, third].iter().all(|note| note["total"] != "0.00"));
    assert_eq!(shop.one(&format!("/cxc?venta={owed}")).await["saldo"], "1068.58");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn refunds_that_cannot_be_are_refused() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let anticipo = advance(&shop, "100.00").await["anticipo"].clone();
    let with = |changes: Value| {
        let mut input = back(&anticipo, "10", "A");
        input.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        input
    };
    for (changes, code, text) in [
        (json!({"importe": "0"}), "dato_invalido", "importe"),
        (json!({"importe": "1.001"}), "dato_invalido", "importe"),
        (json!({"fecha": "2026-10-13"}), "dato_invalido", "fecha"),
        (json!({"cuenta_bancaria": 9}), "cuenta_bancaria_invalida", ""),
        (json!({"anticipo": 9}), "no_encontrado", "anticipo"),
        (json!({"forma_pago_sat": "99"}), "dato_invalido", "forma_pago_sat"),
        (json!({"forma_pago_sat": "07"}), "forma_pago_invalida", ""),
        (json!({"tipo_cambio": "2"}), "dato_invalido", "tipo_cambio"),
    ] {
        refused(&shop, "advance.refund", with(changes), code, text).await;
    }
    let mut other = favour("1", "A");
    other["moneda"] = json!("USD");
    refused(&shop, "favour.refund", other.clone(), "moneda_distinta", "").await;
    other["moneda"] = json!("MXN");
    other["cliente"] = json!(99);
    refused(&shop, "favour.refund", other, "no_encontrado", "cliente").await;
    assert_eq!(world.count("reembolsos").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_advance_is_given_back_or_applied_once_of_many_at_once() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let anticipo = advance(&shop, "116.00").await["anticipo"].clone();
    let mut inputs = Vec::new();
    for number in 0..4 {
        inputs.push(("advance.refund", back(&anticipo, "100.00", &format!("R{number}"))));
    }
    let (venta, _) = shop.invoice(nails()).await;
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await["clave"].clone();
    let pay = json!({"cxc": cxc, "importe": "100.00", "origen": "anticipo", "fecha": "2026-10-12"});
    inputs.push(("payment.apply", pay));
    let tried = inputs.iter().map(|(action, input)| shop.company.run_by_name(action, input));
    assert_eq!(join_all(tried).await.into_iter().flatten().count(), 1);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn an_advance_that_was_given_back_before_an_import_is_not_given_back_again() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (given, kept) = (advance(&shop, "500.00").await, advance(&shop, "300.00").await);
    stamp(&world).await;
    shop.company.run_by_name("advance.refund", &back(&given["anticipo"], "500.00", "A")).await.unwrap();
    stamp(&world).await;
    let company = copy_of(&shop.company).await;
    company.load_certificate().await;
    let copy = Shop { actor: company.admin().await, company };
    refused(&copy, "advance.refund", back(&given["anticipo"], "0.01", "B"), "saldo_insuficiente", "").await;
    let (venta, _) = copy.invoice(nails()).await;
    let cxc = copy.one(&format!("/cxc?venta={venta}")).await["clave"].clone();
    let pay = |importe: &str| json!({"cxc": cxc, "importe": importe, "origen": "anticipo", "fecha": "2026-10-12"});
    refused(&copy, "payment.apply", pay("300.01"), "saldo_insuficiente", "").await;
    copy.company.run_by_name("payment.apply", &pay("100.00")).await.unwrap();
    copy.company.run_by_name("advance.refund", &back(&kept["anticipo"], "200.00", "C")).await.unwrap();
    refused(&copy, "payment.apply", pay("0.01"), "saldo_insuficiente", "").await;
}
