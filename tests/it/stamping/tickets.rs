//! Tickets (`venta`) that become their customer's own invoice.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::domain::cfdi::{Cfdi, TipoDeComprobante};
use svc_core::stamping::SandboxStamper;
use svc_tests::lists::pick;
use svc_tests::{World, books};

use super::credit_notes::{document, refused, uuid};
use super::global_period::{global, ticket};
use super::{ANA, BOOK, FOOD, NAIL, NAMED, Shop, line};
use crate::backoffice::shop::entries;

const CASH: [(&str, &str); 2] = [("forma_pago_sat", "01"), ("metodo_pago_sat", "PUE")];

/// A ticket of Ana's: 116.00, taxed and exempt goods.
pub(super) async fn of_ana(shop: &Shop, more: Value) -> i64 {
    let mut body =
        json!({"tipo": "venta", "cliente": ANA, "renglones": [line(NAIL, "3", "20"), line(BOOK, "1", "46.40")]});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let sale = shop.company.run_by_name("sale.capture", &body).await.unwrap();
    sale["venta"].as_i64().expect("a clave")
}

pub(super) fn own(venta: i64) -> Value {
    let mut input = json!({"venta": venta});
    for (field, value) in CASH {
        input[field] = json!(value);
    }
    input
}

pub(super) async fn invoiced(shop: &Shop, venta: i64) -> i64 {
    let made = shop.company.run_by_name("order.invoice", &own(venta)).await.unwrap();
    assert_eq!(made["venta"], json!(venta));
    made["factura"].as_i64().expect("a record")
}

/// Puts tickets of customers with RFC into a global invoice, as one does who did not know their
/// customer yet: the customer gets their RFC afterwards.
pub(super) async fn in_global(shop: &Shop, ventas: &[i64]) -> i64 {
    shop.actor.put("/clientes/1", json!({"rfc": "XAXX010101000", "regimen": 616, "uso_cfdi": "S01"})).await.ok(200);
    let (factura, taken) = global(shop, json!({"periodicidad": "01", "mes": 10, "año": 2026, "ventas": ventas})).await;
    assert_eq!(taken, json!(ventas));
    shop.actor.put("/clientes/1", json!({"rfc": "XIA190128J61", "regimen": 601, "uso_cfdi": "G03"})).await.ok(200);
    factura
}

#[tokio::test]
async fn a_ticket_becomes_its_customers_invoice_and_keeps_goods_debt_and_payments() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = of_ana(&shop, json!({"condicion_pago": "credito", "dias_credito": 10})).await;
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await;
    shop.pay(cxc["clave"].as_i64().unwrap(), "50.00", "SPEI 1").await;
    let moved = shop.actor.walk(&format!("/movimientos-inventario?venta={venta}")).await;
    let written = entries(&shop.company, venta).await;
    world.clock.advance(TimeDelta::days(1));
    let factura = invoiced(&shop, venta).await;
    let again = shop.company.run_by_name("order.invoice", &own(venta)).await.unwrap_err().to_string();
    assert!(again.starts_with("venta_ya_facturada"), "{again}");
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, factura).await;
    let invoice = Cfdi::read(&xml).unwrap();
    assert_eq!((invoice.receptor.rfc.as_str(), invoice.total.get().to_string()), ("XIA190128J61", "116.00".to_owned()));
    assert!(xml.contains("MetodoPago=\"PUE\"") && xml.contains("FormaPago=\"01\""), "{xml}");
    let after = shop.one(&format!("/cxc?venta={venta}")).await;
    assert_eq!(
        pick(&after, &["clave", "saldo", "pagado", "vencimiento", "factura", "tipo_venta"]),
        json!({"clave": cxc["clave"], "saldo": "66.00", "pagado": "50.00", "vencimiento": cxc["vencimiento"],
               "factura": factura, "tipo_venta": "factura"})
    );
    assert_eq!(shop.actor.walk(&format!("/movimientos-inventario?venta={venta}")).await, moved);
    assert_eq!(entries(&shop.company, venta).await, written);
    let sale = shop.one(&format!("/ventas?tipo=factura&clave={venta}")).await;
    assert_eq!((&sale["serie"], &sale["uuid"]), (&json!("F"), &json!(uuid(&shop, factura).await)));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_ticket_in_a_stamped_global_invoice_leaves_it_first() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (venta, other) = (of_ana(&shop, json!({"forma_pago_sat": "01"})).await, ticket(&shop).await);
    let whole = in_global(&shop, &[venta, other]).await;
    refused(&shop, "order.invoice", own(venta), "estado_invalido", "espera su timbre").await;
    world.stamp(&SandboxStamper).await;
    let factura = invoiced(&shop, venta).await;
    let note = shop.one(&format!("/facturas?venta={venta}&tipo=nota_credito")).await;
    let clave = note["clave"].as_i64().unwrap();
    assert!(clave < factura);
    // Until the note is stamped, the invoice waits.
    let reject = json!({"factura": clave, "codigo": "CFDI40130", "mensaje": "No"});
    shop.company.run_by_name("invoice.rejected", &reject).await.unwrap();
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(factura).await["estatus"], "en_espera");
    shop.company.run_by_name("invoice.restamp", &json!({"factura": clave})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, clave).await;
    let credit = Cfdi::read(&xml).unwrap();
    assert_eq!(credit.tipo_de_comprobante, TipoDeComprobante::E);
    for part in [
        "TipoRelacion=\"01\"",
        &uuid(&shop, whole).await,
        "Rfc=\"XAXX010101000\"",
        "Nombre=\"PUBLICO EN GENERAL\"",
        "ClaveProdServ=\"84111506\"",
        "NoIdentificacion=\"1\"",
        "Total=\"116.00\"",
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    assert!(!xml.contains("InformacionGlobal"), "{xml}");
    let concept = |document: &Cfdi| {
        let line = document.conceptos.iter().find(|line| line.no_identificacion.as_deref() == Some("1")).unwrap();
        (line.importe.get(), line.impuestos.clone())
    };
    assert_eq!(concept(&credit), concept(&Cfdi::read(&document(&shop, whole).await).unwrap()));
    document(&shop, factura).await;
    assert_eq!(shop.factura(factura).await["estatus"], "vigente");
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await;
    assert_eq!(
        pick(&cxc, &["saldo", "factura", "uuid"]),
        json!({"saldo": "116.00", "factura": factura, "uuid": uuid(&shop, factura).await})
    );
    let cancel = |factura: i64| json!({"factura": factura, "motivo": "02"});
    refused(&shop, "invoice.cancel", cancel(clave), "estado_invalido", "saca una venta").await;
    refused(&shop, "invoice.cancel", cancel(whole), "estado_invalido", "notas de crédito").await;
    // The substitute has what is still in it, and its cancellation leaves the own invoice alone.
    let made = shop.company.run_by_name("invoice.substitute", &json!({"factura": whole})).await.unwrap();
    let substitute = made["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let found = Cfdi::read(&document(&shop, substitute).await).unwrap();
    assert_eq!(found.conceptos.len(), 1);
    let replaced = json!({"factura": whole, "motivo": "01", "uuid_sustitucion": uuid(&shop, substitute).await});
    shop.company.run_by_name("invoice.cancel", &replaced).await.unwrap();
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.one(&format!("/cxc?venta={venta}")).await["factura"], json!(factura));
    assert_eq!(shop.one(&format!("/cxc?venta={other}")).await["factura"], json!(substitute));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn tickets_that_cannot_be_invoiced_are_refused() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    refused(&shop, "order.invoice", own(ticket(&shop).await), "cliente_sin_rfc", "público en general").await;
    let named = json!({"cliente": NAMED});
    refused(&shop, "order.invoice", own(of_ana(&shop, named).await), "cliente_sin_rfc", "público en general").await;
    let cancelled = of_ana(&shop, json!({})).await;
    shop.company.run_by_name("sale.cancel", &json!({"venta": cancelled})).await.unwrap();
    refused(&shop, "order.invoice", own(cancelled), "venta_cancelada", "").await;
    let venta = of_ana(&shop, json!({})).await;
    refused(&shop, "order.invoice", json!({"venta": venta}), "venta_sin_metodo_pago", "").await;
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await["clave"].as_i64().unwrap();
    shop.pay(cxc, "10.00", "SPEI 2").await;
    let later = json!({"venta": venta, "metodo_pago_sat": "PPD", "forma_pago_sat": "99"});
    refused(&shop, "order.invoice", later, "estado_invalido", "tiene pagos aplicados").await;
    let whole = in_global(&shop, &[venta]).await;
    let reject = json!({"factura": whole, "codigo": "CFDI40130", "mensaje": "No"});
    shop.company.run_by_name("invoice.rejected", &reject).await.unwrap();
    refused(&shop, "order.invoice", own(venta), "estado_invalido", "fue rechazada").await;
    // Its customer has an RFC by now, so a reissue leaves it out.
    refused(&shop, "invoice.restamp", json!({"factura": whole}), "estado_invalido", "no le queda").await;
    shop.company.run_by_name("document.discard", &json!({"factura": whole})).await.unwrap();
    let whole = in_global(&shop, &[venta]).await;
    world.stamp(&SandboxStamper).await;
    let cancel = json!({"factura": whole, "motivo": "02", "requiere_aceptacion": true});
    shop.company.run_by_name("invoice.cancel", &cancel).await.unwrap();
    refused(&shop, "order.invoice", own(venta), "estado_invalido", "cuya cancelación se solicitó").await;
    shop.company.run_by_name("invoice.cancel-accepted", &json!({"factura": whole})).await.unwrap();
    invoiced(&shop, venta).await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn concurrent_invoices_of_one_ticket_have_one_winner() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = of_ana(&shop, json!({})).await;
    in_global(&shop, &[venta]).await;
    world.stamp(&SandboxStamper).await;
    let input = own(venta);
    let ask = || shop.company.run_by_name("order.invoice", &input);
    let (one, two) = tokio::join!(ask(), ask());
    assert_eq!([&one, &two].iter().filter(|answer| answer.is_ok()).count(), 1, "{one:?} {two:?}");
    let lost = one.err().or(two.err()).unwrap().to_string();
    assert!(lost.starts_with("venta_ya_facturada") || lost.starts_with("venta_en_proceso"), "{lost}");
    world.stamp(&SandboxStamper).await;
    assert_eq!(world.sql::<i64>("SELECT count(*) FROM facturas WHERE estatus = 'vigente'").await, 3);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn cancelling_the_invoice_of_a_ticket_cancels_the_ticket() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let venta = of_ana(&shop, json!({"renglones": [line(FOOD, "2", "10")]})).await;
    in_global(&shop, &[venta]).await;
    world.stamp(&SandboxStamper).await;
    let factura = invoiced(&shop, venta).await;
    world.stamp(&SandboxStamper).await;
    shop.company.run_by_name("invoice.cancel", &json!({"factura": factura, "motivo": "03"})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(factura).await["estatus"], "cancelada");
    let cxc = shop.one(&format!("/cxc?venta={venta}&estatus=cancelado")).await;
    assert_eq!(cxc["saldo"], "0.00");
    books::check(&world, &shop.company).await;
}
