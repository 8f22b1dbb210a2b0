//! Documents about an invoice bear its receiver, whatever the customer's data say since (contract
//! §7).

use std::collections::BTreeMap;

use serde_json::{Value, json};
use svc_core::domain::cfdi::Cfdi;
use svc_tests::{World, authority};

use super::{NAIL, Shop, Stub, accept, line, nails, order};

/// Another taxpayer than the one that `Shop::new` makes of the customer.
fn other() -> Value {
    json!({"nombre": "Otra Persona", "rfc": "AAA010101AAA", "regimen": 603, "cp": "44100", "uso_cfdi": "G03"})
}

const FIRST: (&str, &str, &str, &str) = ("XIA190128J61", "ANA", "06700", "601");
const OTHER: (&str, &str, &str, &str) = ("AAA010101AAA", "OTRA PERSONA", "44100", "603");

/// RFC, name, postal code and regime of the receivers of these documents, by series and folio.
fn receivers(sent: &[String]) -> BTreeMap<String, (String, String, String, String)> {
    let receiver = |xml: &String| {
        let Cfdi { serie, folio, receptor, .. } = Cfdi::read(xml).expect("a document");
        let named =
            (receptor.rfc, receptor.nombre, receptor.domicilio_fiscal_receptor, receptor.regimen_fiscal_receptor);
        (serie.unwrap_or_default() + &folio.unwrap_or_default(), named)
    };
    sent.iter().map(receiver).collect()
}

fn named(receiver: (&str, &str, &str, &str)) -> (String, String, String, String) {
    let (rfc, nombre, cp, regimen) = receiver;
    (rfc.to_owned(), nombre.to_owned(), cp.to_owned(), regimen.to_owned())
}

#[tokio::test]
async fn complements_and_credit_notes_bear_the_receiver_of_their_invoice() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    world.stamp(&Stub::new(accept)).await;
    shop.actor.put("/clientes/1", other()).await.ok(200);
    shop.pay(1, "100.00", "SPEI 1").await;
    let note = json!({"factura": factura, "tipo_relacion": "01", "renglones": [{"renglon": 1, "importe": "10.00"}]});
    shop.company.run_by_name("credit-note.capture", &note).await.unwrap();
    // A second invoice, of the customer as it is now, paid with the first by one deposit.
    shop.invoice(order(&[line(NAIL, "1", "100")])).await;
    let both = json!({"aplicaciones": [{"cxc": 1, "importe": "200.00"}, {"cxc": 2, "importe": "50.00"}],
                      "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "SPEI 2"});
    shop.company.run_by_name("payment.apply", &both).await.unwrap();
    let stamper = Stub::new(accept);
    world.stamp(&stamper).await;
    let sent = stamper.sent();
    let found = receivers(&sent);
    let expected = [("F2", OTHER), ("N1", FIRST), ("P1", FIRST), ("P2", FIRST), ("P3", OTHER)];
    assert_eq!(found, expected.map(|(number, receiver)| (number.to_owned(), named(receiver))).into());
    for xml in &sent {
        authority::validate("about an invoice", xml);
    }
}

#[tokio::test]
async fn a_corrected_invoice_takes_along_what_waits_for_it() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    shop.invoice(order(&[line(NAIL, "1", "100")])).await;
    // One complement for both invoices, and one for the first alone.
    let both = json!({"aplicaciones": [{"cxc": 1, "importe": "200.00"}, {"cxc": 2, "importe": "50.00"}],
                      "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "SPEI 1"});
    shop.company.run_by_name("payment.apply", &both).await.unwrap();
    shop.pay(1, "100.00", "SPEI 2").await;
    let refusal = json!({"factura": factura, "codigo": "CFDI40145", "mensaje": "El nombre no corresponde"});
    shop.company.run_by_name("invoice.rejected", &refusal).await.unwrap();
    shop.actor.put("/clientes/1", other()).await.ok(200);
    shop.company.run_by_name("invoice.restamp", &json!({"factura": factura})).await.unwrap();
    let stamper = Stub::new(accept);
    world.stamp(&stamper).await;
    world.stamp(&stamper).await;
    let found = receivers(&stamper.sent());
    let expected = [("F1", OTHER), ("F2", FIRST), ("P1", OTHER), ("P2", OTHER), ("P3", FIRST)];
    assert_eq!(found, expected.map(|(number, receiver)| (number.to_owned(), named(receiver))).into());
    let payments = shop.actor.get("/cxc-pagos").await.ok(200)["datos"].clone();
    for payment in payments.as_array().expect("payments") {
        assert_eq!(payment["complemento"], "timbrado", "{payment}");
        let complement = shop.factura(payment["factura"].as_i64().expect("a complement")).await;
        assert_eq!(complement["uuid"], payment["uuid"]);
    }
}

#[tokio::test]
async fn an_invoice_whose_cancellation_waits_takes_no_payment() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    world.stamp(&Stub::new(accept)).await;
    let cancel = json!({"factura": factura, "motivo": "02", "requiere_aceptacion": true});
    shop.company.run_by_name("invoice.cancel", &cancel).await.unwrap();
    let body = json!({"importe": "100.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
                      "referencia": "SPEI 1"});
    shop.actor.post("/cxc/1/pagos", body.clone()).await.fails(422, "cancelacion_en_curso");
    let mut applied = body.clone();
    applied["cxc"] = json!(1);
    let error = shop.company.run_by_name("payment.apply", &applied).await.unwrap_err().to_string();
    assert!(error.starts_with("cancelacion_en_curso"), "{error}");
    // The receiver refuses: the invoice stands, and is paid.
    shop.company.run_by_name("invoice.cancel-rejected", &json!({"factura": factura})).await.unwrap();
    shop.actor.post("/cxc/1/pagos", body).await.ok(201);
    let error = shop.company.run_by_name("invoice.cancel", &cancel).await.unwrap_err().to_string();
    assert!(error.starts_with("estado_invalido"), "{error}");
}

#[tokio::test]
async fn a_payment_and_a_cancellation_at_once_exclude_each_other() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    for race in 1..=10 {
        let (_, factura) = shop.invoice(nails()).await;
        world.stamp(&Stub::new(accept)).await;
        let body = json!({"importe": "100.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
                          "referencia": format!("SPEI {race}")});
        let cancel = json!({"factura": factura, "motivo": "02", "requiere_aceptacion": true});
        let path = format!("/cxc/{race}/pagos");
        let (paid, cancelled) =
            tokio::join!(shop.actor.post(&path, body), shop.company.run_by_name("invoice.cancel", &cancel));
        assert_ne!(paid.status == 201, cancelled.is_ok(), "race {race}: {cancelled:?}");
    }
}
