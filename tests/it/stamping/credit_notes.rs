//! Credit notes of stamped invoices: documents, receivables, stock, ledger.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::lists::pick;
use svc_tests::{World, authority, books};

use super::{ANA, BOOK, FOOD, NAIL, NAMED, Shop, line, nails, order};
use crate::backoffice::shop::entries;

/// A stamped invoice: returns its sale and its record.
pub(super) async fn stamped(world: &World, shop: &Shop, order: Value) -> (i64, i64) {
    let (venta, factura) = shop.invoice(order).await;
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(factura).await["estatus"], "vigente");
    (venta, factura)
}

pub(super) async fn noted(shop: &Shop, input: Value) -> Value {
    shop.company.run_by_name("credit-note.capture", &input).await.unwrap()
}

/// Checks that it fails with this code and text.
pub(super) async fn refused(shop: &Shop, action: &str, input: Value, code: &str, text: &str) {
    let error = shop.company.run_by_name(action, &input).await.expect_err("it is refused").to_string();
    assert!(error.starts_with(code) && error.contains(text), "{action} {input}: {error}");
}

/// The stamped document of a record, validated by the authority's files.
pub(super) async fn document(shop: &Shop, factura: i64) -> String {
    let reply = shop.actor.get(&format!("/facturas/{factura}/xml")).await;
    let xml = String::from_utf8(reply.body.to_vec()).expect("a text");
    authority::validate(&format!("credit note {factura}"), &xml);
    xml
}

pub(super) async fn uuid(shop: &Shop, factura: i64) -> String {
    shop.factura(factura).await["uuid"].as_str().expect("a fiscal folio").to_owned()
}

#[tokio::test]
async fn a_return_restores_stock_and_lowers_the_debt() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, factura) = stamped(&world, &shop, nails()).await;
    let before = shop.one("/inventario?sku=A-1").await["existencia"].clone();
    let note = noted(
        &shop,
        json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 4}], "aplicar": true}),
    )
    .await;
    let clave = note["factura"].as_i64().unwrap();
    assert_eq!((&note["total"], &note["nota_credito"]), (&json!("464.00"), &json!(clave)));
    let record = shop.factura(clave).await;
    assert_eq!(
        pick(&record, &["tipo", "estatus", "venta", "serie", "folio"]),
        json!({"tipo": "nota_credito", "estatus": "en_espera", "venta": venta, "serie": "N", "folio": "1"})
    );
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await;
    assert_eq!(
        pick(&cxc, &["saldo", "pagado", "total"]),
        json!({"saldo": "696.00", "pagado": "464.00", "total": "1160.00"})
    );
    let paid = shop.one(&format!("/cxc-pagos?venta={venta}")).await;
    assert_eq!(
        pick(&paid, &["origen", "complemento", "importe"]),
        json!({"origen": "saldo_a_favor", "complemento": "no_aplica", "importe": "464.00"})
    );
    let back = shop.actor.walk(&format!("/movimientos-inventario?venta={venta}&tipo=devolucion_nota_credito")).await;
    assert_eq!(back.len(), 1, "{back:?}");
    assert_eq!([&back[0]["cantidad"], &back[0]["referencia"]], [&json!(4), &json!("N1")]);
    assert_ne!(shop.one("/inventario?sku=A-1").await["existencia"], before);
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, clave).await;
    for part in [
        "TipoDeComprobante=\"E\"",
        "TipoRelacion=\"03\"",
        &format!("UUID=\"{}\"", uuid(&shop, factura).await),
        "UsoCFDI=\"G02\"",
        "MetodoPago=\"PUE\"",
        "FormaPago=\"15\"",
        "Cantidad=\"4\"",
        "Total=\"464.00\"",
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    // The next complement continues from the balance that the note left, as the first instalment.
    let pago = shop.pay(cxc["clave"].as_i64().unwrap(), "696.00", "SPEI 1").await;
    let paid = shop.one(&format!("/cxc-pagos?clave={pago}")).await;
    assert_eq!([&paid["parcialidad"], &paid["saldo_anterior"]], [&json!(1), &json!("696.00")]);
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.one(&format!("/cxc-pagos?clave={pago}")).await["complemento"], "timbrado");
    assert_eq!(shop.one(&format!("/cxc?venta={venta}&estatus=pagado")).await["saldo"], "0.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_discount_is_a_balance_in_favour_that_pays_another_sale() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, factura) = stamped(&world, &shop, nails()).await;
    let note = noted(
        &shop,
        json!({"factura": factura, "tipo_relacion": "01", "renglones": [{"renglon": 1, "importe": "100.00"}]}),
    )
    .await;
    let clave = note["factura"].as_i64().unwrap();
    assert_eq!(shop.one(&format!("/cxc?venta={venta}")).await["saldo"], "1160.00");
    assert_eq!(
        entries(&shop.company, venta).await[1..],
        ["Nota de crédito N1: 402.01 +100.00 208.01 +16.00 206.01 -116.00"]
    );
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, clave).await;
    for part in ["TipoRelacion=\"01\"", "ClaveProdServ=\"84111506\"", "ClaveUnidad=\"ACT\"", "FormaPago=\"17\""] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    let (other, _) = stamped(&world, &shop, nails()).await;
    let cxc = shop.one(&format!("/cxc?venta={other}")).await["clave"].clone();
    let favour =
        |importe: &str| json!({"cxc": cxc, "importe": importe, "origen": "saldo_a_favor", "fecha": "2026-10-12"});
    refused(&shop, "payment.apply", favour("116.01"), "saldo_insuficiente", "").await;
    let pago = shop.company.run_by_name("payment.apply", &favour("116.00")).await.unwrap()["pago"].clone();
    // An amount applied elsewhere is not taken back.
    let cancel = json!({"factura": clave, "motivo": "02"});
    refused(&shop, "invoice.cancel", cancel.clone(), "estado_invalido", "saldo a favor").await;
    shop.company.run_by_name("payment.cancel", &json!({"pago": pago})).await.unwrap();
    shop.company.run_by_name("invoice.cancel", &cancel).await.unwrap();
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(clave).await["estatus"], "cancelada");
    refused(&shop, "payment.apply", favour("1.00"), "saldo_insuficiente", "").await;
    assert_eq!(
        entries(&shop.company, venta).await[2..],
        ["Cancelación: Nota de crédito N1: 402.01 -100.00 208.01 -16.00 206.01 +116.00"]
    );
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn the_balance_of_a_note_is_not_spent_while_its_cancellation_is_pending() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = stamped(&world, &shop, nails()).await;
    let input = |importe: &str| json!({"factura": factura, "tipo_relacion": "01", "renglones": [{"renglon": 1, "importe": importe}]});
    let clave = noted(&shop, input("100.00")).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let (other, _) = stamped(&world, &shop, nails()).await;
    let cxc = shop.one(&format!("/cxc?venta={other}")).await["clave"].clone();
    let favour =
        |importe: &str| json!({"cxc": cxc, "importe": importe, "origen": "saldo_a_favor", "fecha": "2026-10-12"});
    let refund = |importe: &str| json!({"cliente": ANA, "importe": importe, "cuenta_bancaria": 1, "fecha": "2026-10-12", "referencia": "R"});
    let cancel = |factura: i64| json!({"factura": factura, "motivo": "02", "requiere_aceptacion": true});
    shop.company.run_by_name("invoice.cancel", &cancel(clave)).await.unwrap();
    for _ in 0..2 {
        refused(&shop, "payment.apply", favour("0.01"), "saldo_insuficiente", "").await;
        refused(&shop, "favour.refund", refund("0.01"), "saldo_insuficiente", "").await;
        // Next with the authority.
        world.stamp(&SandboxStamper).await;
    }
    // A receiver who refuses gives it back.
    shop.company.run_by_name("invoice.cancel-rejected", &json!({"factura": clave})).await.unwrap();
    let pago = shop.company.run_by_name("payment.apply", &favour("116.00")).await.unwrap()["pago"].clone();
    shop.company.run_by_name("payment.cancel", &json!({"pago": pago})).await.unwrap();
    shop.company.run_by_name("invoice.cancel", &cancel(clave)).await.unwrap();
    // Another note's balance is at hand, and that note is cancelled only with its own.
    let second = noted(&shop, input("50.00")).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    refused(&shop, "payment.apply", favour("58.01"), "saldo_insuficiente", "").await;
    shop.company.run_by_name("payment.apply", &favour("58.00")).await.unwrap();
    refused(&shop, "invoice.cancel", cancel(second), "estado_invalido", "saldo a favor").await;
    // What a note pays itself is no balance that could be spent.
    let mut own = input("10.00");
    own["aplicar"] = json!(true);
    let third = noted(&shop, own).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    shop.company.run_by_name("invoice.cancel", &cancel(third)).await.unwrap();
    books::check(&world, &shop.company).await;
    world.clock.advance(TimeDelta::hours(73));
    world.stamp(&SandboxStamper).await;
    for note in [clave, third] {
        assert_eq!(shop.factura(note).await["estatus"], "cancelada", "{note}");
    }
    assert_eq!(shop.factura(second).await["estatus"], "vigente");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn an_invoice_waits_for_its_notes_to_be_cancelled() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, factura) = stamped(&world, &shop, nails()).await;
    let input = json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 10}], "aplicar": true});
    let clave = noted(&shop, input).await["factura"].as_i64().unwrap();
    assert_eq!(shop.one(&format!("/cxc?venta={venta}&estatus=pagado")).await["saldo"], "0.00");
    world.stamp(&SandboxStamper).await;
    let cancel = |factura: i64| json!({"factura": factura, "motivo": "02"});
    refused(&shop, "invoice.cancel", cancel(factura), "estado_invalido", "notas de crédito").await;
    refused(&shop, "invoice.substitute", json!({"factura": factura}), "estado_invalido", "notas de crédito").await;
    let more = json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 1}]});
    refused(&shop, "credit-note.capture", more, "dato_invalido", "renglones[0].cantidad").await;
    shop.company.run_by_name("invoice.cancel", &cancel(clave)).await.unwrap();
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(clave).await["estatus"], "cancelada");
    assert_eq!(shop.one(&format!("/cxc?venta={venta}")).await["saldo"], "1160.00");
    let gone = shop.actor.walk(&format!("/movimientos-inventario?venta={venta}&tipo=cancelacion_nota_credito")).await;
    assert_eq!(gone.len(), 1, "{gone:?}");
    shop.company.run_by_name("invoice.cancel", &cancel(factura)).await.unwrap();
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(factura).await["estatus"], "cancelada");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn mixed_lines_and_a_rejection_that_is_corrected() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) =
        stamped(&world, &shop, order(&[line(NAIL, "3", "33.335"), line(FOOD, "2", "10"), line(BOOK, "1", "7.77")]))
            .await;
    let part = |cantidad: i64| {
        json!({"factura": factura, "tipo_relacion": "03", "aplicar": true,
        "renglones": [{"renglon": 3, "cantidad": 1}, {"renglon": 1, "cantidad": cantidad}]})
    };
    let first = noted(&shop, part(1)).await["factura"].as_i64().unwrap();
    shop.company
        .run_by_name("invoice.rejected", &json!({"factura": first, "codigo": "CFDI40145", "mensaje": "No"}))
        .await
        .unwrap();
    assert_eq!(shop.factura(first).await["estatus"], "error");
    shop.company.run_by_name("invoice.restamp", &json!({"factura": first})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    document(&shop, first).await;
    // The rest of the nails and the food: now everything is returned, to the cent.
    let rest = json!({"factura": factura, "tipo_relacion": "03", "aplicar": true,
        "renglones": [{"renglon": 1, "cantidad": 2}, {"renglon": 2, "cantidad": 2}]});
    let second = noted(&shop, rest).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    document(&shop, second).await;
    assert_eq!(shop.one("/cxc?estatus=pagado").await["saldo"], "0.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn impossible_credit_notes_are_refused() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, waiting) = shop.invoice(nails()).await;
    let of =
        |factura: i64, renglones: Value| json!({"factura": factura, "tipo_relacion": "01", "renglones": renglones});
    let one = json!([{"renglon": 1, "importe": "1.00"}]);
    refused(&shop, "credit-note.capture", of(waiting, one.clone()), "estado_invalido", "no está vigente").await;
    refused(&shop, "credit-note.capture", of(99, one.clone()), "no_encontrado", "factura").await;
    world.stamp(&SandboxStamper).await;
    for (renglones, code, text) in [
        (json!([]), "dato_requerido", "renglones"),
        (json!([{"renglon": 1}]), "dato_requerido", "renglones[0].cantidad"),
        (json!([{"renglon": 1, "cantidad": 1, "importe": "1.00"}]), "dato_invalido", "renglones[0].importe"),
        (json!([{"renglon": 2, "importe": "1.00"}]), "dato_invalido", "renglones[0].renglon"),
        (json!([{"renglon": 1, "importe": "1000.01"}]), "dato_invalido", "renglones[0].importe"),
        (json!([{"renglon": 1, "importe": "0"}]), "dato_invalido", "renglones[0].importe"),
        (json!([{"renglon": 1, "cantidad": 11}]), "dato_invalido", "renglones[0].cantidad"),
        (json!([{"renglon": 1, "importe": "1.00"}, {"renglon": 1, "importe": "1.00"}]), "dato_invalido", "renglones"),
    ] {
        refused(&shop, "credit-note.capture", of(waiting, renglones), code, text).await;
    }
    let back = json!({"factura": waiting, "tipo_relacion": "03", "renglones": one});
    refused(&shop, "credit-note.capture", back, "dato_invalido", "renglones[0].importe").await;
    let unknown = json!({"factura": waiting, "tipo_relacion": "02", "renglones": [{"renglon": 1, "cantidad": 1}]});
    refused(&shop, "credit-note.capture", unknown, "dato_invalido", "tipo_relacion").await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_generic_receiver_gets_a_note_for_returns() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let mut body = nails();
    body["cliente"] = json!(NAMED);
    let (_, factura) = stamped(&world, &shop, body).await;
    let input = json!({"factura": factura, "tipo_relacion": "01", "renglones": [{"renglon": 1, "cantidad": 1}], "aplicar": true});
    let clave = noted(&shop, input).await["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, clave).await;
    assert!(xml.contains("UsoCFDI=\"G02\"") && xml.contains("RegimenFiscalReceptor=\"616\""), "{xml}");
}
