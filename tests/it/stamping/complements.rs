//! Payment complements follow their invoices, with their share of the taxes.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::domain::cfdi::Cfdi;
use svc_core::stamping::StampFailure;
use svc_tests::{Resource, World, with};

use super::leases::{Slow, while_out};
use super::{FOOD, NAIL, Shop, Stub, accept, line, nails, order, report, uuid};
use crate::documents::UUIDS;

#[tokio::test]
async fn a_complement_is_stamped_in_the_pass_of_its_invoice_and_after_it() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    let pago = shop.pay(1, "580.00", "SPEI 1").await;
    let payment = shop.one(&format!("/cxc-pagos?clave={pago}")).await;
    assert_eq!(payment["complemento"], "encolado");
    let stamper = Stub::new(accept);
    let done = world.stamp(&stamper).await;
    assert_eq!(done, with!(report(), timbrados: 2, en_espera: done.en_espera));
    let complement = payment["factura"].as_i64().unwrap();
    let empresa = shop.company.id.0;
    assert_eq!(stamper.ids(), [format!("{empresa}-{factura}"), format!("{empresa}-{complement}")]);

    let folio = uuid(&format!("{empresa}-{complement}")).to_string();
    let paid = shop.one(&format!("/cxc-pagos?clave={pago}")).await;
    assert_eq!((&paid["complemento"], &paid["uuid"]), (&json!("timbrado"), &json!(folio)));
    let record = shop.factura(complement).await;
    assert_eq!((&record["estatus"], &record["uuid"]), (&json!("vigente"), &json!(folio)));
    assert_eq!(shop.one("/cxc?clave=1").await["uuid"], uuid(&format!("{empresa}-{factura}")).to_string());
    let events = "SELECT count(*) FROM eventos WHERE tipo = 'factura.timbrada'";
    assert_eq!(world.sql::<i64>(events).await, 1, "a complement's is no event");

    let document = serde_json::to_value(stamper.document()).unwrap();
    assert_eq!((&document["TipoDeComprobante"], &document["Serie"]), (&json!("P"), &json!("P")));
    let pago = &document["Complemento"]["Pagos"]["Pago"][0];
    for (pointer, value) in [
        ("/FechaPago", "2026-10-12T12:00:00"),
        ("/FormaDePagoP", "03"),
        ("/Monto", "580.00"),
        ("/NumOperacion", "SPEI 1"),
        ("/DoctoRelacionado/0/Folio", "1"),
        ("/DoctoRelacionado/0/NumParcialidad", "1"),
        ("/DoctoRelacionado/0/ImpSaldoAnt", "1160.00"),
        ("/DoctoRelacionado/0/ImpSaldoInsoluto", "580.00"),
        ("/DoctoRelacionado/0/ImpuestosDR/TrasladosDR/0/BaseDR", "500.000000"),
        ("/DoctoRelacionado/0/ImpuestosDR/TrasladosDR/0/ImporteDR", "80.000000"),
    ] {
        assert_eq!(pago.pointer(pointer), Some(&json!(value)), "{pointer}");
    }
    assert_eq!(pago["DoctoRelacionado"][0]["IdDocumento"], uuid(&format!("{empresa}-{factura}")).to_string());
}

#[tokio::test]
async fn a_complement_waits_without_attempts_and_goes_at_once_when_its_invoice_is_stamped() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    shop.pay(1, "1160.00", "SPEI 1").await;
    let none = Stub::new(super::unreachable);
    assert_eq!(world.stamp(&none).await, with!(report(), pospuestos: 1, en_espera: 1));
    assert_eq!(none.ids(), [format!("{}-{factura}", shop.company.id.0)], "the complement is not sent");
    assert_eq!(world.count(&format!("timbrados WHERE factura = {factura} AND intentos = 1")).await, 1, "the invoice");
    assert_eq!(
        world.count(&format!("timbrados WHERE factura <> {factura} AND intentos = 0")).await,
        1,
        "the complement"
    );
    world.clock.advance(TimeDelta::seconds(10));
    assert_eq!(world.stamp(&none).await, report(), "neither is due");

    // A refused invoice may still be corrected.
    let refusal = json!({"factura": factura, "codigo": "CFDI40145", "mensaje": "No"});
    shop.company.run_by_name("invoice.rejected", &refusal).await.unwrap();
    world.clock.advance(TimeDelta::minutes(5));
    assert_eq!(world.stamp(&none).await, with!(report(), en_espera: 1));

    shop.company.run_by_name("invoice.stamped", &json!({"factura": factura, "uuid": UUIDS[2]})).await.unwrap();
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await, with!(report(), timbrados: 1));
    let document = serde_json::to_value(stamper.document()).unwrap();
    assert_eq!(document.pointer("/Complemento/Pagos/Pago/0/DoctoRelacionado/0/IdDocumento"), Some(&json!(UUIDS[2])));
}

#[tokio::test]
async fn one_deposit_over_two_invoices_is_one_complement() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    shop.invoice(order(&[line(NAIL, "1", "100"), line(FOOD, "1", "84")])).await;
    let applied = json!({"aplicaciones": [{"cxc": 1, "importe": "1160.00"}, {"cxc": 2, "importe": "100.00"}],
                         "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "SPEI 9"});
    shop.company.run_by_name("payment.apply", &applied).await.unwrap();
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await.timbrados, 3);
    assert_eq!(
        world.sql::<i64>("SELECT count(DISTINCT factura) FROM cxc_pagos WHERE complemento = 'timbrado'").await,
        1
    );
    let document = serde_json::to_value(stamper.document()).unwrap();
    let pago = &document["Complemento"]["Pagos"]["Pago"][0];
    assert_eq!(pago["Monto"], "1260.00");
    let parts: Vec<&Value> =
        pago["DoctoRelacionado"].as_array().unwrap().iter().map(|part| &part["ImpPagado"]).collect();
    assert_eq!(parts, ["1160.00", "100.00"]);
    // Half of the second invoice: 50.00 of 16 %, 42.00 of 0 %.
    let taxes = &pago["DoctoRelacionado"][1]["ImpuestosDR"]["TrasladosDR"];
    assert_eq!((&taxes[0]["BaseDR"], &taxes[1]["BaseDR"]), (&json!("50.000000"), &json!("42.000000")));
}

#[tokio::test]
async fn a_refused_complement_shows_in_its_payment() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    world.stamp(&Stub::new(accept)).await;
    let pago = shop.pay(1, "100.00", "SPEI 1").await;
    let refuse = Stub::new(|_| Err(StampFailure::Rejected { codigo: "CRP20211".to_owned(), mensaje: "No".to_owned() }));
    assert_eq!(world.stamp(&refuse).await, with!(report(), rechazados: 1));
    assert_eq!(world.count("eventos WHERE tipo = 'factura.rechazada'").await, 1, "of every document");
    let payment = shop.one(&format!("/cxc-pagos?clave={pago}")).await;
    assert_eq!((&payment["complemento"], &payment["uuid"]), (&json!("error"), &Value::Null));
    let record = shop.factura(payment["factura"].as_i64().unwrap()).await;
    assert_eq!((&record["estatus"], &record["error_codigo"]), (&json!("error"), &json!("CRP20211")));
}

#[tokio::test]
async fn a_withdrawn_complement_is_not_stamped() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    world.stamp(&Stub::new(accept)).await;
    let pago = shop.pay(1, "100.00", "SPEI 1").await;
    let done = shop.company.run_by_name("payment.cancel", &json!({"pago": pago})).await.unwrap();
    assert_eq!(done, json!({"pago": pago}), "nothing is asked of the authority");
    assert_eq!(world.stamp(&Stub::new(accept)).await, report());
}

#[tokio::test]
async fn a_payment_is_not_cancelled_while_its_complement_is_out() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    shop.invoice(nails()).await;
    world.stamp(&Stub::new(accept)).await;
    let applied = json!({"aplicaciones": [{"cxc": 1, "importe": "100.00"}, {"cxc": 2, "importe": "50.00"}],
                         "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "SPEI 9"});
    shop.company.run_by_name("payment.apply", &applied).await.unwrap();
    let cancelled = async {
        let refused = shop.company.run_by_name("payment.cancel", &json!({"pago": 2})).await.unwrap_err();
        assert!(refused.to_string().starts_with("estado_invalido"), "{refused}");
    };
    let passed = Box::pin(while_out(&world, &Slow::new(super::unreachable), cancelled)).await;
    assert_eq!(passed, with!(report(), pospuestos: 1));
    let refused = shop.company.run_by_name("payment.cancel", &json!({"pago": 2})).await.unwrap_err();
    assert!(refused.to_string().contains("aún no hay respuesta"), "it may have been stamped: {refused}");
    world.clock.advance(TimeDelta::minutes(1));
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await, with!(report(), timbrados: 1));
    let document = serde_json::to_value(stamper.document()).unwrap();
    let pago = &document["Complemento"]["Pagos"]["Pago"][0];
    assert_eq!((&pago["Monto"], pago["DoctoRelacionado"].as_array().map(Vec::len)), (&json!("150.00"), Some(2)));
}

#[tokio::test]
async fn a_payment_that_is_cancelled_before_its_complement_was_sent_is_not_in_it() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    shop.invoice(nails()).await;
    world.stamp(&Stub::new(accept)).await;
    let applied = json!({"aplicaciones": [{"cxc": 1, "importe": "100.00"}, {"cxc": 2, "importe": "50.00"}],
                         "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12", "referencia": "SPEI 9"});
    shop.company.run_by_name("payment.apply", &applied).await.unwrap();
    shop.company.run_by_name("payment.cancel", &json!({"pago": 2})).await.unwrap();
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await, with!(report(), timbrados: 1));
    let document = serde_json::to_value(stamper.document()).unwrap();
    let pago = &document["Complemento"]["Pagos"]["Pago"][0];
    assert_eq!((&pago["Monto"], pago["DoctoRelacionado"].as_array().map(Vec::len)), (&json!("100.00"), Some(1)));
}

#[tokio::test]
async fn a_complement_after_a_credit_note_has_the_taxes_of_what_is_still_owed() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let lines = [line(NAIL, "10", "100"), line(super::BOOK, "10", "100")];
    let (_, factura) = shop.invoice(order(&lines)).await;
    world.stamp(&Stub::new(accept)).await;
    shop.pay(1, "216.00", "SPEI 1").await;
    let returned = json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 10}],
                          "aplicar": true});
    shop.company.run_by_name("credit-note.capture", &returned).await.unwrap();
    assert_eq!(shop.one("/cxc?clave=1").await["saldo"], "784.00");
    shop.pay(1, "784.00", "SPEI 2").await;
    let stamper = Stub::new(accept);
    world.stamp(&stamper).await;
    // Of each complement, the taxes of the invoice that it pays.
    let of_complement = |xml: &String| {
        let document = serde_json::to_value(svc_core::domain::cfdi::Cfdi::read(xml).unwrap()).unwrap();
        let paid = &document["Complemento"]["Pagos"]["Pago"][0]["DoctoRelacionado"][0];
        (document["TipoDeComprobante"] == "P").then(|| (paid["NumParcialidad"].clone(), paid["ImpuestosDR"].clone()))
    };
    // Both are sent at once.
    let mut found: Vec<(Value, Value)> = stamper.sent().iter().filter_map(of_complement).collect();
    found.sort_by_key(|(instalment, _)| instalment.to_string());
    let found: Vec<Value> = found.into_iter().map(|(_, taxes)| taxes).collect();
    let exempt = |base: &str| json!({"BaseDR": base, "ImpuestoDR": "002", "TipoFactorDR": "Exento"});
    let taxed = json!({"BaseDR": "100.000000", "ImpuestoDR": "002", "TipoFactorDR": "Tasa", "TasaOCuotaDR": "0.160000",
                       "ImporteDR": "16.000000"});
    assert_eq!(
        found,
        [json!({"TrasladosDR": [taxed, exempt("100.000000")]}), json!({"TrasladosDR": [exempt("784.000000")]}),]
    );
    svc_tests::books::check(&world, &shop.company).await;
}

/// The base and the tax of the one rate in the one complement among documents, which may be sent at
/// once with others.
fn taxed_base(sent: &[String]) -> [Value; 2] {
    let complements: Vec<Value> = sent
        .iter()
        .map(|xml| serde_json::to_value(Cfdi::read(xml).unwrap()).unwrap())
        .filter(|document| document["TipoDeComprobante"] == "P")
        .collect();
    let [document] = &complements[..] else { panic!("{} complements", complements.len()) };
    let invoice = &document["Complemento"]["Pagos"]["Pago"][0]["DoctoRelacionado"][0];
    assert_eq!(invoice["ObjetoImpDR"], "02", "{document}");
    let taxes = &invoice["ImpuestosDR"]["TrasladosDR"];
    assert_eq!(taxes.as_array().map(Vec::len), Some(1), "{document}");
    [taxes[0]["BaseDR"].clone(), taxes[0]["ImporteDR"].clone()]
}

#[tokio::test]
async fn the_substitute_of_a_complement_is_about_what_was_owed_before_a_later_credit_note() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    world.stamp(&Stub::new(accept)).await;
    let pago = shop.pay(1, "580.00", "SPEI 1").await;
    world.stamp(&Stub::new(accept)).await;
    let returned = json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 4}],
                          "aplicar": true});
    shop.company.run_by_name("credit-note.capture", &returned).await.unwrap();
    world.stamp(&Stub::new(accept)).await;
    assert_eq!(shop.one("/cxc?clave=1").await["saldo"], "116.00");
    shop.company.run_by_name("payment.cancel", &json!({"pago": pago, "motivo": "01"})).await.unwrap();
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await.timbrados, 1);
    assert_eq!(taxed_base(&stamper.sent()), ["500.000000", "80.000000"]);
    shop.pay(1, "116.00", "SPEI 2").await;
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await.timbrados, 1);
    assert_eq!(taxed_base(&stamper.sent()), ["100.000000", "16.000000"], "what the note left");
    svc_tests::books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_credit_note_counts_in_complements_by_what_it_lowered() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (_, factura) = shop.invoice(nails()).await;
    world.stamp(&Stub::new(accept)).await;
    let pago = shop.pay(1, "580.00", "SPEI 1").await;
    let returned = json!({"factura": factura, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 10}],
                          "aplicar": true});
    shop.company.run_by_name("credit-note.capture", &returned).await.unwrap();
    assert_eq!(shop.one("/cxc?clave=1&estatus=pagado").await["saldo"], "0.00", "the other 580 are in favour");
    // The customer's bank takes the payment back, so half of the invoice is owed again.
    shop.company.run_by_name("payment.cancel", &json!({"pago": pago})).await.unwrap();
    assert_eq!(shop.one("/cxc?clave=1").await["saldo"], "580.00");
    let pago = shop.pay(1, "580.00", "SPEI 2").await;
    let stamper = Stub::new(accept);
    world.stamp(&stamper).await;
    assert_eq!(shop.one(&format!("/cxc-pagos?clave={pago}")).await["complemento"], "timbrado");
    assert_eq!(taxed_base(&stamper.sent()), ["500.000000", "80.000000"]);
    svc_tests::books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_complement_of_an_imported_invoice_waits_for_its_lines() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let sold = json!({"tipo": "factura", "serie": "V", "folio": 7, "cliente": 1, "subtotal": "200.00", "impuestos": "32.00",
                      "total": "232.00", "saldo": "232.00", "condicion_pago": "credito", "metodo_pago_sat": "PPD",
                      "forma_pago_sat": "99", "uso_cfdi": "G03"});
    shop.company.load(Resource::Ventas, &[sold]).await;
    let record = json!({"venta": 1, "cliente": 1, "uuid": UUIDS[1], "serie": "V", "folio": "7"});
    shop.company.load(Resource::Facturas, &[record]).await;
    shop.company.load(Resource::Cxc, &[json!({"venta": 1, "factura": 1, "uuid": UUIDS[1], "total": "232.00"})]).await;
    let pago = shop.pay(1, "116.00", "SPEI 1").await;
    let complement = shop.one(&format!("/cxc-pagos?clave={pago}")).await["factura"].as_i64().unwrap();
    let nails = |renglon: i64| {
        json!({"venta": 1, "renglon": renglon, "producto": NAIL, "sku": "A-1", "descripcion": "Clavo", "cantidad": 1,
               "precio_unitario": "100.00", "iva_tasa": "0.160000", "iva": "16.00"})
    };
    assert_eq!(world.stamp(&Stub::new(accept)).await, with!(report(), rechazados: 1));
    let refused = shop.factura(complement).await;
    assert_eq!([&refused["estatus"], &refused["error_codigo"]], ["error", "renglon_invalido"], "{refused}");
    assert!(refused["error_mensaje"].as_str().unwrap().contains("la factura V7 no tiene renglones"), "{refused}");
    shop.company.load(Resource::VentasRenglones, &[nails(1)]).await;
    let half = shop.company.run_by_name("payment.restamp", &json!({"pago": pago})).await.unwrap_err();
    assert_eq!(half.code().codigo(), "documento_invalido");
    assert!(half.mensaje().contains("los renglones de la venta no suman el total"), "{half}");
    shop.company.load(Resource::VentasRenglones, &[nails(2)]).await;
    shop.company.run_by_name("payment.restamp", &json!({"pago": pago})).await.unwrap();
    let stamper = Stub::new(accept);
    assert_eq!(world.stamp(&stamper).await, with!(report(), timbrados: 1));
    assert_eq!(taxed_base(&stamper.sent()), ["100.000000", "16.000000"]);
}
