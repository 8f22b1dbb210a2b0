//! `payment.cancel` with reason 01: a complement is replaced, and its payment stays.

use serde_json::{Value, json};
use svc_core::domain::cfdi::{Cfdi, TipoRelacion};
use svc_core::stamping::SandboxStamper;
use svc_tests::lists::pick;
use svc_tests::{World, books};

use super::credit_notes::{document, refused, uuid};
use super::leases::{Slow, while_out};
use super::{Shop, nails};

fn replace(pago: i64) -> Value {
    json!({"pago": pago, "motivo": "01"})
}

async fn reject(shop: &Shop, factura: i64) {
    let input = json!({"factura": factura, "codigo": "CFDI40145", "mensaje": "No"});
    shop.company.run_by_name("invoice.rejected", &input).await.unwrap();
}

async fn substitute(shop: &Shop, pago: i64) -> i64 {
    let made = shop.company.run_by_name("payment.cancel", &replace(pago)).await.unwrap();
    assert_eq!(made["pago"], json!(pago));
    made["factura"].as_i64().expect("a substitute")
}

/// A shop with a paid invoice, both stamped: its payment and complement.
async fn paid(world: &World) -> (Shop, i64, i64) {
    let shop = Shop::new(world).await;
    shop.invoice(nails()).await;
    let pago = shop.pay(1, "580.00", "SPEI 1").await;
    world.stamp(&SandboxStamper).await;
    world.stamp(&SandboxStamper).await;
    let complement = shop.one("/facturas?tipo=pago&estatus=vigente").await["clave"].as_i64().unwrap();
    (shop, pago, complement)
}

async fn payment(shop: &Shop, pago: i64) -> Value {
    let payment = shop.one(&format!("/cxc-pagos?clave={pago}")).await;
    pick(&payment, &["factura", "complemento", "uuid", "cancelado"])
}

#[tokio::test]
async fn a_substitute_complement_takes_the_place_of_one_that_is_then_cancelled() {
    let world = World::new().await;
    let (shop, pago, old) = paid(&world).await;
    let before = payment(&shop, pago).await;
    let new = substitute(&shop, pago).await;
    assert_eq!(payment(&shop, pago).await, before, "nothing changes before the substitute is stamped");
    refused(&shop, "payment.cancel", replace(pago), "estado_invalido", "espera timbre").await;
    refused(&shop, "payment.cancel", json!({"pago": pago}), "estado_invalido", "espera timbre").await;
    books::check(&world, &shop.company).await;
    assert_eq!(world.stamp(&SandboxStamper).await.timbrados, 1);
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, new).await;
    let found = Cfdi::read(&xml).unwrap();
    let related = &found.cfdi_relacionados[0];
    assert_eq!(related.tipo_relacion, TipoRelacion::Sustitucion);
    assert_eq!(related.cfdi_relacionado[0].uuid.to_string(), uuid(&shop, old).await);
    assert!(xml.contains("ImpPagado=\"580.00\"") && xml.contains("NumParcialidad=\"1\""), "{xml}");
    let replaced = shop.factura(old).await;
    assert_eq!(
        pick(&replaced, &["estatus", "motivo_cancelacion", "uuid_sustitucion"]),
        json!({"estatus": "cancelada", "motivo_cancelacion": "01", "uuid_sustitucion": uuid(&shop, new).await})
    );
    assert_eq!(
        payment(&shop, pago).await,
        json!({"factura": new, "complemento": "timbrado", "uuid": uuid(&shop, new).await, "cancelado": false})
    );
    assert_eq!(shop.one("/cxc?clave=1").await["saldo"], "580.00");
    let day = json!({"desde": "2026-10-12", "hasta": "2026-10-12"});
    let read = shop.company.run_by_name("ledger.entries", &day).await.unwrap();
    let entry = read["datos"].as_array().unwrap().iter().find(|entry| entry["pago"] == pago).expect("its entry");
    assert_eq!((&entry["factura"], &entry["uuid"]), (&json!(new), &json!(uuid(&shop, new).await)));
    books::check(&world, &shop.company).await;
    // The payment and its new complement are cancelled as ever.
    shop.company.run_by_name("payment.cancel", &json!({"pago": pago})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(new).await["estatus"], "cancelada");
    assert_eq!(shop.one("/cxc?clave=1").await["saldo"], "1160.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_rejected_substitute_complement_is_corrected_or_discarded() {
    let world = World::new().await;
    let (shop, pago, old) = paid(&world).await;
    let first = substitute(&shop, pago).await;
    reject(&shop, first).await;
    refused(&shop, "payment.cancel", json!({"pago": pago}), "estado_invalido", "document.discard").await;
    refused(&shop, "payment.cancel", replace(pago), "estado_invalido", "document.discard").await;
    shop.company.run_by_name("payment.restamp", &json!({"pago": pago})).await.unwrap();
    reject(&shop, first).await;
    books::check(&world, &shop.company).await;
    shop.company.run_by_name("document.discard", &json!({"factura": first})).await.unwrap();
    books::check(&world, &shop.company).await;
    assert_eq!(payment(&shop, pago).await["factura"], json!(old));
    let second = substitute(&shop, pago).await;
    reject(&shop, second).await;
    shop.company.run_by_name("payment.restamp", &json!({"pago": pago})).await.unwrap();
    for _ in 0..2 {
        world.stamp(&SandboxStamper).await;
    }
    document(&shop, second).await;
    assert_eq!(payment(&shop, pago).await["factura"], json!(second));
    assert_eq!(shop.factura(old).await["estatus"], "cancelada");
    books::check(&world, &shop.company).await;
}

/// A shop with `count` stamped invoices that one deposit pays in part: its payments, and their
/// stamped complement.
async fn shared(world: &World, count: i64) -> (Shop, Vec<i64>, i64) {
    let shop = Shop::new(world).await;
    for _ in 0..count {
        shop.invoice(nails()).await;
    }
    let part = |cxc: i64| json!({"cxc": cxc, "importe": format!("{}00.00", cxc)});
    let parts: Vec<Value> = (1..=count).map(part).collect();
    let input = json!({"aplicaciones": parts, "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
                       "referencia": "SPEI 1"});
    let made = shop.company.run_by_name("payment.apply", &input).await.unwrap();
    let pagos: Vec<i64> = made["pagos"].as_array().unwrap().iter().filter_map(Value::as_i64).collect();
    for _ in 0..2 {
        world.stamp(&SandboxStamper).await;
    }
    let complement = payment(&shop, pagos[0]).await["factura"].as_i64().unwrap();
    (shop, pagos, complement)
}

/// The instalments that a complement is about, by amount.
async fn amounts(shop: &Shop, complement: i64) -> Vec<String> {
    let found = serde_json::to_value(Cfdi::read(&document(shop, complement).await).unwrap()).unwrap();
    let paid = found["Complemento"]["Pagos"]["Pago"][0]["DoctoRelacionado"].as_array().unwrap().clone();
    paid.iter().map(|invoice| invoice["ImpPagado"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_complement_of_several_payments_is_replaced_when_one_is_cancelled() {
    let world = World::new().await;
    let (shop, pagos, old) = shared(&world, 3).await;
    let cancel = |pago: i64| json!({"pago": pago});
    let made = shop.company.run_by_name("payment.cancel", &cancel(pagos[0])).await.unwrap();
    let new = made["factura"].as_i64().expect("a substitute");
    assert_eq!(made, json!({"pago": pagos[0], "factura": new}));
    assert_eq!(shop.one("/cxc?clave=1").await["saldo"], "1160.00");
    // The substitute waits, so another payment only leaves it; the last stands until it is stamped.
    let again = shop.company.run_by_name("payment.cancel", &cancel(pagos[1])).await.unwrap();
    assert_eq!(again, json!({"pago": pagos[1], "factura": new}));
    refused(&shop, "payment.cancel", cancel(pagos[2]), "estado_invalido", "espera timbre").await;
    books::check(&world, &shop.company).await;
    for _ in 0..2 {
        world.stamp(&SandboxStamper).await;
    }
    assert_eq!(amounts(&shop, new).await, ["300.00"]);
    let replaced = shop.factura(old).await;
    assert_eq!(
        pick(&replaced, &["estatus", "motivo_cancelacion"]),
        json!({"estatus": "cancelada", "motivo_cancelacion": "01"})
    );
    // An instalment of the invoice that is owed again has the number that became free.
    let paid = shop.pay(1, "580.00", "SPEI 2").await;
    world.stamp(&SandboxStamper).await;
    let next = payment(&shop, paid).await["factura"].as_i64().unwrap();
    assert!(document(&shop, next).await.contains("NumParcialidad=\"1\""));
    shop.company.run_by_name("payment.cancel", &cancel(pagos[2])).await.unwrap();
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(new).await["estatus"], "cancelada");
    assert_eq!(shop.one("/cxc?clave=3").await["saldo"], "1160.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_payment_leaves_a_shared_complement_only_if_its_substitute_is_neither_out_nor_rejected() {
    let world = World::new().await;
    let (shop, pagos, old) = shared(&world, 3).await;
    let new = substitute(&shop, pagos[0]).await;
    let slow = Slow::new(super::unreachable);
    let cancelled = refused(&shop, "payment.cancel", json!({"pago": pagos[1]}), "estado_invalido", "aún no hay");
    Box::pin(while_out(&world, &slow, cancelled)).await;
    reject(&shop, new).await;
    refused(&shop, "payment.cancel", json!({"pago": pagos[1]}), "estado_invalido", "document.discard").await;
    shop.company.run_by_name("document.discard", &json!({"factura": new})).await.unwrap();
    let made = shop.company.run_by_name("payment.cancel", &json!({"pago": pagos[1]})).await.unwrap();
    for _ in 0..2 {
        world.stamp(&SandboxStamper).await;
    }
    assert_eq!(amounts(&shop, made["factura"].as_i64().unwrap()).await, ["100.00", "300.00"]);
    assert_eq!(shop.factura(old).await["estatus"], "cancelada");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_complement_of_several_payments_is_replaced_with_all_that_stand() {
    let world = World::new().await;
    let (shop, pagos, old) = shared(&world, 2).await;
    let new = substitute(&shop, pagos[1]).await;
    for _ in 0..2 {
        world.stamp(&SandboxStamper).await;
    }
    assert_eq!(amounts(&shop, new).await, ["100.00", "200.00"]);
    assert_eq!(shop.factura(old).await["estatus"], "cancelada");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn the_cancellation_of_a_replaced_complement_is_requested_again() {
    let world = World::new().await;
    let (shop, pago, old) = paid(&world).await;
    let new = substitute(&shop, pago).await;
    let input = json!({"factura": new, "uuid": "0b2e7b0c-6a57-4d0e-9d8e-7f3f5c1f0a11"});
    shop.company.run_by_name("invoice.stamped", &input).await.unwrap();
    shop.company.run_by_name("invoice.cancel-rejected", &json!({"factura": old})).await.unwrap();
    assert_eq!(shop.factura(old).await["estatus"], "vigente");
    assert_eq!(substitute(&shop, pago).await, new);
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(old).await["estatus"], "cancelada");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn what_has_no_stamped_complement_is_not_replaced() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.invoice(nails()).await;
    let pago = shop.pay(1, "580.00", "SPEI 1").await;
    refused(&shop, "payment.cancel", replace(pago), "estado_invalido", "payment.restamp").await;
    let mut cash = nails();
    (cash["metodo_pago_sat"], cash["forma_pago_sat"]) = (json!("PUE"), json!("03"));
    shop.invoice(cash).await;
    let pago = shop.pay(2, "580.00", "SPEI 2").await;
    refused(&shop, "payment.cancel", replace(pago), "estado_invalido", "no lleva complemento").await;
    books::check(&world, &shop.company).await;
}
