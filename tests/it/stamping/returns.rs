//! Goods that come back from tickets and invoices (`sale.return`).

use std::time::Duration;

use serde_json::{Value, json};
use svc_core::domain::cfdi::Cfdi;
use svc_core::stamping::SandboxStamper;
use svc_tests::imports::copy_of;
use svc_tests::lists::pick;
use svc_tests::{Resource, World, books};

use super::credit_notes::{document, refused, uuid};
use super::global::sold;
use super::global_period::global;
use super::tickets::{in_global, invoiced, of_ana, own};
use super::{ANA, BOOK, NAIL, PUBLIC, Shop, UNTAXED, line, nails, order};

/// Returns `cantidad` of the first line.
pub(super) fn back(venta: i64, cantidad: i64) -> Value {
    json!({"venta": venta, "renglones": [{"renglon": 1, "cantidad": cantidad}]})
}

pub(super) async fn returned(shop: &Shop, input: Value) -> Value {
    shop.company.run_by_name("sale.return", &input).await.unwrap()
}

/// A ticket of ten nails to the general public: 1160.00.
async fn ten(shop: &Shop) -> i64 {
    sold(shop, PUBLIC, &[line(NAIL, "10", "100")]).await
}

pub(super) async fn cxc(shop: &Shop, venta: i64) -> i64 {
    shop.one(&format!("/cxc?venta={venta}")).await["clave"].as_i64().expect("a receivable")
}

pub(super) async fn bank(shop: &Shop) -> String {
    shop.world().sql::<String>("SELECT to_char(saldo, 'FM999990.00') FROM cuentas_bancarias").await
}

#[tokio::test]
async fn goods_of_a_ticket_come_back_and_are_owed_no_more() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = ten(&shop).await;
    let before = shop.one("/inventario?sku=A-1").await["existencia"].as_f64().unwrap();
    let done = returned(&shop, back(venta, 4)).await;
    assert_eq!(
        pick(&done, &["venta", "total", "reembolsado", "saldo_a_favor", "factura"]),
        json!({"venta": venta, "total": "464.00", "reembolsado": "0.00", "saldo_a_favor": "0.00", "factura": null})
    );
    let owed = shop.one(&format!("/cxc?venta={venta}")).await;
    assert_eq!((&owed["saldo"], &owed["parcialidades"]), (&json!("696.00"), &json!(0)));
    let after = shop.one("/inventario?sku=A-1").await["existencia"].as_f64().unwrap();
    assert!((after - before - 4.0).abs() < 1e-9, "{before} {after}");
    let moved = shop.actor.walk(&format!("/movimientos-inventario?venta={venta}&tipo=devolucion")).await;
    assert_eq!((moved.len(), &moved[0]["cantidad"]), (1, &json!(4)));
    refused(&shop, "sale.return", back(venta, 7), "dato_invalido", "renglones[0].cantidad").await;
    // The global invoice has what is left of it.
    let (factura, _) = global(&shop, json!({"periodicidad": "01", "mes": 10, "año": 2026})).await;
    refused(&shop, "sale.return", back(venta, 1), "estado_invalido", "espera su timbre").await;
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, factura).await;
    assert_eq!(Cfdi::read(&xml).unwrap().total.get().to_string(), "696.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn what_was_paid_is_given_back_from_the_bank_or_kept_in_favour() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = of_ana(&shop, json!({"renglones": [line(NAIL, "10", "100")]})).await;
    shop.pay(cxc(&shop, venta).await, "1000.00", "SPEI 1").await;
    assert_eq!(bank(&shop).await, "1000.00");
    let mut input = back(venta, 5);
    input["cuenta_bancaria"] = json!(99);
    refused(&shop, "sale.return", input.clone(), "cuenta_bancaria_invalida", "").await;
    input["cuenta_bancaria"] = json!(1);
    let done = returned(&shop, input).await;
    // 580.00: 160.00 were owed, 420.00 were paid.
    assert_eq!(
        pick(&done, &["total", "reembolsado", "saldo_a_favor"]),
        json!({"total": "580.00", "reembolsado": "420.00", "saldo_a_favor": "0.00"})
    );
    assert_eq!(bank(&shop).await, "580.00");
    let done = returned(&shop, back(venta, 2)).await;
    assert_eq!(
        pick(&done, &["total", "reembolsado", "saldo_a_favor"]),
        json!({"total": "232.00", "reembolsado": "0.00", "saldo_a_favor": "232.00"})
    );
    let other = of_ana(&shop, json!({"renglones": [line(NAIL, "10", "100")]})).await;
    let favour = |importe: &str, cxc: i64| json!({"cxc": cxc, "importe": importe, "origen": "saldo_a_favor", "fecha": "2026-10-12"});
    let other = cxc(&shop, other).await;
    refused(&shop, "payment.apply", favour("232.01", other), "saldo_insuficiente", "").await;
    shop.company.run_by_name("payment.apply", &favour("232.00", other)).await.unwrap();
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn goods_of_an_invoice_come_back_with_a_credit_note() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, factura) = shop.invoice(nails()).await;
    refused(&shop, "sale.return", back(venta, 1), "estado_invalido", "no está timbrada").await;
    world.stamp(&SandboxStamper).await;
    shop.pay(cxc(&shop, venta).await, "1160.00", "SPEI 1").await;
    let mut input = back(venta, 3);
    input["cuenta_bancaria"] = json!(1);
    let done = returned(&shop, input).await;
    assert_eq!(pick(&done, &["total", "reembolsado"]), json!({"total": "348.00", "reembolsado": "348.00"}));
    world.stamp(&SandboxStamper).await;
    let note = done["factura"].as_i64().unwrap();
    let xml = document(&shop, note).await;
    for part in ["TipoRelacion=\"03\"", &uuid(&shop, factura).await, "FormaPago=\"03\"", "Total=\"348.00\""] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    // Its cancellation takes back what was paid back.
    assert_eq!(bank(&shop).await, "812.00");
    shop.company.run_by_name("invoice.cancel", &json!({"factura": note, "motivo": "02"})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    assert_eq!(bank(&shop).await, "1160.00");
    returned(&shop, back(venta, 10)).await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn goods_of_a_ticket_in_a_global_invoice_come_back_with_a_note_to_the_public() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = of_ana(&shop, json!({"renglones": [line(NAIL, "10", "100"), line(BOOK, "3", "11.11")]})).await;
    let whole = in_global(&shop, &[venta]).await;
    world.stamp(&SandboxStamper).await;
    let done = returned(&shop, back(venta, 4)).await;
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, done["factura"].as_i64().unwrap()).await;
    for part in ["TipoRelacion=\"03\"", &uuid(&shop, whole).await, "Rfc=\"XAXX010101000\"", "Total=\"464.00\""] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    assert!(!xml.contains("InformacionGlobal"), "{xml}");
    // The ticket leaves the global invoice, and its own invoice is about the rest.
    let factura = invoiced(&shop, venta).await;
    world.stamp(&SandboxStamper).await;
    let left = shop.actor.walk(&format!("/facturas?venta={venta}&tipo=nota_credito")).await;
    let left = left.iter().find(|note| note["clave"] != done["factura"]).unwrap()["clave"].as_i64().unwrap();
    for document_of in [left, factura] {
        let total = Cfdi::read(&document(&shop, document_of).await).unwrap().total.get().to_string();
        assert_eq!(total, "729.33", "{document_of}");
    }
    assert_eq!(shop.one(&format!("/cxc?venta={venta}")).await["saldo"], "729.33");
    // Goods of it come back once more, now with a note about its own invoice.
    let done = returned(&shop, back(venta, 6)).await;
    refused(&shop, "sale.return", back(venta, 1), "dato_invalido", "renglones[0].cantidad").await;
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, done["factura"].as_i64().unwrap()).await;
    assert!(xml.contains(&uuid(&shop, factura).await) && xml.contains("Rfc=\"XIA190128J61\""), "{xml}");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_ticket_that_came_back_whole_is_in_no_global_invoice() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = ten(&shop).await;
    returned(&shop, back(venta, 10)).await;
    let mut input = json!({"periodicidad": "01", "mes": 10, "año": 2026});
    refused(&shop, "invoice.global", input.clone(), "estado_invalido", "no hay ventas").await;
    input["ventas"] = json!([venta]);
    refused(&shop, "invoice.global", input, "estado_invalido", "se devolvió completa").await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn impossible_returns_are_refused() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = ten(&shop).await;
    let twice = json!({"venta": venta, "renglones": [{"renglon": 1, "cantidad": 1}, {"renglon": 1, "cantidad": 1}]});
    for (input, code, text) in [
        (twice, "dato_invalido", "renglones"),
        (json!({"venta": venta, "renglones": []}), "dato_requerido", "renglones"),
        (json!({"venta": venta, "renglones": [{"renglon": 1, "cantidad": 0}]}), "dato_invalido", "cantidad"),
        (
            json!({"venta": venta, "renglones": [{"renglon": 2, "cantidad": 1}]}),
            "dato_invalido",
            "renglones[0].renglon",
        ),
        (back(99, 1), "no_encontrado", "venta"),
    ] {
        refused(&shop, "sale.return", input, code, text).await;
    }
    let pedido = shop.actor.post("/ventas", order(&[line(NAIL, "1", "1")])).await.ok(201)["venta"].as_i64().unwrap();
    refused(&shop, "sale.return", back(pedido, 1), "estado_invalido", "no es una venta").await;
    shop.company.run_by_name("sale.cancel", &json!({"venta": venta})).await.unwrap();
    refused(&shop, "sale.return", back(venta, 1), "estado_invalido", "cancelada").await;
    let ana = of_ana(&shop, json!({})).await;
    returned(&shop, json!({"venta": ana, "renglones": [{"renglon": 1, "cantidad": 3}, {"renglon": 2, "cantidad": 1}]}))
        .await;
    refused(&shop, "order.invoice", own(ana), "documento_invalido", "").await;
    // The balance that the return gave may be taken off the receivable again: it stays in favour.
    let part = of_ana(&shop, json!({})).await;
    let done = returned(&shop, back(part, 1)).await;
    shop.company.run_by_name("payment.cancel", &json!({"pago": done["pago"]})).await.unwrap();
    refused(&shop, "sale.cancel", json!({"venta": part}), "estado_invalido", "devoluciones").await;
    let later = json!({"venta": part, "metodo_pago_sat": "PPD", "forma_pago_sat": "99"});
    refused(&shop, "order.invoice", later, "estado_invalido", "devoluciones").await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn concurrent_returns_of_the_same_goods_have_one_winner() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = ten(&shop).await;
    let input = back(venta, 6);
    let ask = || shop.company.run_by_name("sale.return", &input);
    let (one, two) = tokio::join!(ask(), ask());
    assert_eq!([&one, &two].iter().filter(|answer| answer.is_ok()).count(), 1, "{one:?} {two:?}");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn what_came_back_before_an_import_does_not_come_back_again() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (whole, part) = (ten(&shop).await, ten(&shop).await);
    returned(&shop, back(part, 4)).await;
    let (venta, factura) = shop.invoice(nails()).await;
    let (other, credited) = shop.invoice(nails()).await;
    world.stamp(&SandboxStamper).await;
    returned(&shop, back(venta, 4)).await;
    world.stamp(&SandboxStamper).await;
    let company = copy_of(&shop.company).await;
    company.load_certificate().await;
    let copy = Shop { actor: company.admin().await, company };
    for came_back in [part, venta] {
        refused(&copy, "sale.return", back(came_back, 1), "estado_invalido", "importadas").await;
    }
    let note = |factura: i64| json!({"factura": factura, "tipo_relacion": "01", "renglones": [{"renglon": 1, "importe": "10"}]});
    refused(&copy, "credit-note.capture", note(factura), "estado_invalido", "importadas").await;
    refused(&copy, "order.invoice", own(part), "estado_invalido", "importadas").await;
    let mut input = json!({"periodicidad": "01", "mes": 10, "año": 2026});
    let (_, taken) = global(&copy, input.clone()).await;
    assert_eq!(taken, json!([whole]));
    input["ventas"] = json!([part]);
    refused(&copy, "invoice.global", input, "estado_invalido", "importadas").await;
    // What never came back comes back as ever.
    copy.company.run_by_name("credit-note.capture", &note(credited)).await.unwrap();
    returned(&copy, back(other, 1)).await;
}

#[tokio::test]
async fn the_rest_of_a_line_whose_price_includes_iva_is_stamped() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let price = json!({"producto": NAIL, "lista": 11, "precio": "9.00", "iva_incluido": true});
    shop.company.load(Resource::Precios, &[price]).await;
    for cliente in [PUBLIC, ANA] {
        shop.company.run_by_name("customer.edit", &json!({"clave": cliente, "lista": 11})).await.expect("an edit");
    }
    let four = json!({"producto": NAIL, "cantidad": 4});
    // Three of four at 7.758621 come to a cent other than three times the price without IVA.
    let venta = sold(&shop, PUBLIC, std::slice::from_ref(&four)).await;
    returned(&shop, back(venta, 3)).await;
    let (factura, _) = global(&shop, json!({"periodicidad": "01", "mes": 10, "año": 2026})).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(Cfdi::read(&document(&shop, factura).await).unwrap().total.to_string(), "9.00");
    let (venta, _) = shop.invoice(order(&[four])).await;
    world.stamp(&SandboxStamper).await;
    for cantidad in [3, 1] {
        let note = returned(&shop, back(venta, cantidad)).await["factura"].as_i64().expect("a credit note");
        world.stamp(&SandboxStamper).await;
        assert_eq!(shop.factura(note).await["estatus"], "vigente");
    }
}

/// Runs `action` while the costs of goods are locked, and meanwhile pays another sale, which needs
/// the counter of entries.
async fn beside_a_payment(shop: &Shop, referencia: &str, action: impl Future<Output = ()>) {
    let world = shop.world();
    let venta = sold(shop, PUBLIC, &[line(UNTAXED, "1", "10")]).await;
    let owed = cxc(shop, venta).await;
    let mut keeper = world.pool().begin().await.expect("a transaction");
    sqlx::query("SELECT FROM costos FOR UPDATE").execute(&mut *keeper).await.expect("a lock");
    let pay = async {
        let waits = async {
            while world.lock_waits().await == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), waits).await.expect(referencia);
        shop.pay(owed, "10", referencia).await;
        keeper.rollback().await.expect("a rollback");
    };
    tokio::join!(action, pay);
}

#[tokio::test]
async fn goods_are_locked_before_any_entry_is_written() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let ticket = ten(&shop).await;
    let action = Box::pin(async {
        returned(&shop, back(ticket, 1)).await;
    });
    beside_a_payment(&shop, "A-1", action).await;
    let (venta, invoice) = shop.invoice(nails()).await;
    world.stamp(&SandboxStamper).await;
    let mut note = Value::Null;
    let action = Box::pin(async {
        note = returned(&shop, back(venta, 1)).await["factura"].clone();
    });
    beside_a_payment(&shop, "A-2", action).await;
    world.stamp(&SandboxStamper).await;
    for (factura, referencia) in [(note, "A-3"), (json!(invoice), "A-4")] {
        let action = Box::pin(async {
            shop.company.run_by_name("invoice.cancel", &json!({"factura": factura, "motivo": "02"})).await.unwrap();
            world.stamp(&SandboxStamper).await;
        });
        beside_a_payment(&shop, referencia, action).await;
        assert_eq!(shop.factura(factura.as_i64().unwrap()).await["estatus"], "cancelada");
    }
    books::check(&world, &shop.company).await;
}
