//! Credit notes of invoices whose lines have different taxes: what the note and later payments
//! collect.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::{World, books};

use super::credit_notes::{document, noted, stamped};
use super::{ANA, NAIL, Shop, UNTAXED, line, order};
use crate::backoffice::reports::charged;

/// 2000 without IVA, and 500 with 16 %.
fn mixed() -> Value {
    order(&[line(UNTAXED, "1", "2000"), line(NAIL, "1", "500")])
}

/// A note about the whole of a line.
fn whole(factura: i64, renglon: i64, importe: &str) -> Value {
    json!({"factura": factura, "tipo_relacion": "01", "aplicar": true, "renglones": [{"renglon": renglon, "importe": importe}]})
}

/// The IVA of the complement of a payment at 16 %, "" for none.
async fn complement_of(shop: &Shop, pago: i64) -> String {
    let uuid = shop.one(&format!("/cxc-pagos?clave={pago}")).await["uuid"].clone();
    let complement = shop.one(&format!("/facturas?uuid={}", uuid.as_str().expect("a fiscal folio"))).await;
    let xml = document(shop, complement["clave"].as_i64().expect("a record")).await;
    let (_, rest) = xml.split_once("TotalTrasladosImpuestoIVA16=\"").unwrap_or_default();
    rest.split('"').next().unwrap_or_default().to_owned()
}

/// The balances of the accounts of collected and of pending IVA.
async fn taxes(world: &World) -> String {
    let balances = "SELECT string_agg(codigo || ' ' || suma, ' ' ORDER BY codigo) FROM (
                        SELECT codigo, sum(abono - cargo)::numeric(12, 2) AS suma FROM polizas_renglones
                        WHERE codigo IN ('208.01', '209.01') GROUP BY codigo) s";
    world.sql(balances).await
}

#[tokio::test]
async fn a_note_about_all_that_is_taxed_leaves_no_iva_to_collect() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = stamped(&world, &shop, mixed()).await;
    noted(&shop, whole(factura, 2, "500")).await;
    assert_eq!(charged(&shop.company, "2026-10").await, ["- 2000.00 0.00 0.00 0.00 0.00"]);
    let first = shop.pay(1, "1500", "A-1").await;
    assert_eq!(charged(&shop.company, "2026-10").await, ["- 2000.00 0.00 1500.00 0.00 0.00"]);
    shop.pay(1, "500", "A-2").await;
    assert_eq!(charged(&shop.company, "2026-10").await, ["- 2000.00 0.00 2000.00 0.00 0.00"]);
    world.stamp(&SandboxStamper).await;
    assert_eq!(complement_of(&shop, first).await, "");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn after_a_note_about_what_is_not_taxed_payments_collect_the_iva_of_the_rest() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = stamped(&world, &shop, mixed()).await;
    let note = noted(&shop, whole(factura, 1, "2000")).await;
    assert_eq!(charged(&shop.company, "2026-10").await, ["0.160000 500.00 80.00 0.00 0.00 80.00"]);
    let half = shop.pay(1, "290", "A-1").await;
    assert_eq!(charged(&shop.company, "2026-10").await, ["0.160000 500.00 80.00 250.00 40.00 40.00"]);
    world.stamp(&SandboxStamper).await;
    assert_eq!(complement_of(&shop, half).await, "40.00");
    // Once the note is cancelled its part is owed again; the rest collects the rest.
    shop.company.run_by_name("invoice.cancel", &json!({"factura": note["factura"], "motivo": "02"})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    shop.pay(1, "2290", "A-2").await;
    let all = charged(&shop.company, "2026-10").await;
    assert_eq!(all, ["0.160000 500.00 80.00 500.00 80.00 0.00", "- 2000.00 0.00 2000.00 0.00 0.00"]);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_note_takes_back_what_an_earlier_payment_collected() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = stamped(&world, &shop, mixed()).await;
    shop.pay(1, "1290", "A-1").await;
    let collected = ["0.160000 500.00 80.00 250.00 40.00 40.00", "- 2000.00 0.00 1000.00 0.00 0.00"];
    assert_eq!(charged(&shop.company, "2026-10").await, collected);
    noted(&shop, whole(factura, 2, "500")).await;
    assert_eq!(charged(&shop.company, "2026-10").await, ["- 2000.00 0.00 1290.00 0.00 0.00"]);
    shop.pay(1, "710", "A-2").await;
    assert_eq!(charged(&shop.company, "2026-10").await, ["- 2000.00 0.00 2000.00 0.00 0.00"]);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_note_that_settles_the_rest_collects_all_that_was_left() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = stamped(&world, &shop, mixed()).await;
    shop.pay(1, "580", "A-1").await;
    assert_eq!(charged(&shop.company, "2026-10").await[0], "0.160000 500.00 80.00 112.38 17.98 62.02");
    noted(&shop, whole(factura, 1, "2000")).await;
    assert_eq!(charged(&shop.company, "2026-10").await, ["0.160000 500.00 80.00 500.00 80.00 0.00"]);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_note_tells_what_earlier_payments_were_for() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let mut reduced = line(NAIL, "1", "1000");
    reduced["iva"] = json!("0");
    let (_, factura) = stamped(&world, &shop, order(&[line(NAIL, "1", "1000"), reduced])).await;
    shop.pay(1, "1080", "A-1").await;
    let half = ["0.160000 1000.00 160.00 500.00 80.00 80.00", "0.000000 1000.00 0.00 500.00 0.00 0.00"];
    assert_eq!(charged(&shop.company, "2026-10").await, half);
    // In the next month half of the line at zero is taken back: of the rest two thirds are paid.
    world.clock.advance(TimeDelta::days(25));
    let note = noted(&shop, whole(factura, 2, "540")).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(charged(&shop.company, "2026-10").await, half, "a past month stays");
    let said = ["0.160000 0.00 0.00 166.69 26.67 -26.67", "0.000000 -540.00 0.00 -193.33 0.00 0.00"];
    assert_eq!(charged(&shop.company, "2026-11").await, said);
    world.clock.advance(TimeDelta::days(30));
    shop.company.run_by_name("invoice.cancel", &json!({"factura": note["factura"], "motivo": "02"})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    shop.company.run_by_name("invoice.cancel-accepted", &json!({"factura": note["factura"]})).await.unwrap();
    assert_eq!(charged(&shop.company, "2026-11").await, said, "a past month stays");
    let undone = ["0.160000 0.00 0.00 -166.69 -26.67 26.67", "0.000000 540.00 0.00 193.33 0.00 0.00"];
    assert_eq!(charged(&shop.company, "2026-12").await, undone);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_cancelled_payment_leaves_a_later_note_its_own_taxes() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = stamped(&world, &shop, mixed()).await;
    let pago = shop.pay(1, "1290", "A-1").await;
    noted(&shop, whole(factura, 2, "500")).await;
    shop.company.run_by_name("payment.cancel", &json!({"pago": pago})).await.unwrap();
    assert_eq!(charged(&shop.company, "2026-10").await, ["- 2000.00 0.00 0.00 0.00 0.00"]);
    assert_eq!(taxes(&world).await, "208.01 0.00 209.01 0.00");
    for part in ["1000", "1000"] {
        shop.pay(1, part, &format!("B-{}", world.count("cxc_pagos").await)).await;
        assert_eq!(taxes(&world).await, "208.01 0.00 209.01 0.00");
    }
    assert_eq!(charged(&shop.company, "2026-10").await, ["- 2000.00 0.00 2000.00 0.00 0.00"]);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn payments_and_notes_cancelled_in_any_order_leave_nothing_collected() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    for (cxc, [note_first, note_cancelled_first]) in
        [[true, true], [true, false], [false, true], [false, false]].into_iter().enumerate()
    {
        let (_, factura) = stamped(&world, &shop, mixed()).await;
        let cxc = i64::try_from(cxc).unwrap() + 1;
        let pay = async || shop.pay(cxc, "580", &format!("A-{cxc}")).await;
        let credit = async || noted(&shop, whole(factura, 1, "2000")).await["factura"].clone();
        let (pago, nota) = if note_first {
            let nota = credit().await;
            (pay().await, nota)
        } else {
            (pay().await, credit().await)
        };
        world.stamp(&SandboxStamper).await;
        let run = async |action: &str, input: Value| shop.company.run_by_name(action, &input).await.unwrap();
        for cancelled in [note_cancelled_first, !note_cancelled_first] {
            if cancelled {
                run("invoice.cancel", json!({"factura": nota, "motivo": "02"})).await;
                world.stamp(&SandboxStamper).await;
            } else {
                run("payment.cancel", json!({"pago": pago})).await;
                world.stamp(&SandboxStamper).await;
            }
        }
        assert_eq!(shop.one(&format!("/cxc?clave={cxc}")).await["saldo"], "2580.00");
        let owed = format!("208.01 0.00 209.01 {}.00", 80 * cxc);
        assert_eq!(taxes(&world).await, owed, "{note_first} {note_cancelled_first}");
        let bases = format!("0.160000 {}.00 {}.00 0.00 0.00 {}.00", 500 * cxc, 80 * cxc, 80 * cxc);
        assert_eq!(charged(&shop.company, "2026-10").await[0], bases);
    }
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_cancelled_payment_from_an_advance_gives_back_what_the_advance_had_charged() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let run = async |action: &str, input: Value| shop.company.run_by_name(action, &input).await.unwrap();
    run("advance.capture", json!({"cliente": ANA, "importe": "580.00", "forma_pago_sat": "03", "cuenta_bancaria": 1}))
        .await;
    let (_, factura) = stamped(&world, &shop, mixed()).await;
    let advance = json!({"cxc": 2, "importe": "580.00", "origen": "anticipo", "fecha": "2026-10-12"});
    let pago = run("payment.apply", advance).await["pago"].clone();
    noted(&shop, whole(factura, 1, "1000")).await;
    world.stamp(&SandboxStamper).await;
    world.clock.advance(TimeDelta::days(25));
    run("payment.cancel", json!({"pago": pago})).await;
    world.stamp(&SandboxStamper).await;
    let said = charged(&shop.company, "2026-11").await;
    assert!(said[0].contains(" 80.00 ") && said[0].ends_with(" 29.37"), "{said:?}");
    books::check(&world, &shop.company).await;
}
