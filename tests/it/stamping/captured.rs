//! `sale.capture` of an invoice: its document is queued as facturar queues it, or it is refused.

use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::{Resource, World, books, with};

use super::credit_notes::{document, refused};
use super::{NAIL, NAMED, Shop, line, nails, report};

fn invoice(changes: &Value) -> Value {
    let mut body = nails();
    body["tipo"] = json!("factura");
    body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    body
}

#[tokio::test]
async fn a_captured_invoice_is_stamped() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let dollars = json!({"moneda": "USD", "tipo_cambio": "17.55"});
    let cash = json!({"metodo_pago_sat": "PUE", "forma_pago_sat": "03", "cliente": NAMED, "uso_cfdi": "S01"});
    let mut made = Vec::new();
    for changes in [json!({}), dollars, cash] {
        made.push(shop.company.run_by_name("sale.capture", &invoice(&changes)).await.unwrap());
    }
    assert_eq!(made[1], json!({"venta": 2, "tipo": "factura", "folio": 2, "factura": 2, "cxc": 2}));
    books::check(&world, &shop.company).await;
    assert_eq!(world.stamp(&SandboxStamper).await, with!(report(), timbrados: 3));
    for made in &made {
        let factura = made["factura"].as_i64().unwrap();
        let (record, xml) = (shop.factura(factura).await, document(&shop, factura).await);
        assert_eq!((&record["estatus"], &record["venta"]), (&json!("vigente"), &made["venta"]));
        assert!(xml.contains(&format!(" Folio=\"{factura}\"")) && xml.contains(" Total=\"1160.00\""), "{xml}");
    }
    assert_eq!(world.count("eventos WHERE tipo = 'factura.timbrada'").await, 3);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn a_captured_invoice_that_cannot_be_stamped_is_refused() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let customers = [json!({"nombre": "Sin RFC"}), json!({"nombre": "Sin CP", "rfc": "EKU9003173C9", "regimen": 601})];
    shop.company.load(Resource::Clientes, &customers).await;
    for (changes, code, text) in [
        (json!({"cliente": 5}), "cliente_sin_rfc", ""),
        (json!({"cliente": 6}), "cliente_sin_cp", ""),
        (json!({"uso_cfdi": "D01"}), "uso_cfdi_incompatible", ""),
        (json!({"metodo_pago_sat": null}), "venta_sin_metodo_pago", ""),
        (json!({"forma_pago_sat": null}), "venta_sin_forma_pago", ""),
        (json!({"forma_pago_sat": "03"}), "forma_pago_incompatible", ""),
        (json!({"renglones": [line(NAIL, "1", "0")]}), "documento_invalido", "renglón 1"),
    ] {
        refused(&shop, "sale.capture", invoice(&changes), code, text).await;
    }
    world.run("DELETE FROM certificados").await;
    refused(&shop, "sale.capture", invoice(&json!({})), "certificado_invalido", "").await;
    assert_eq!([world.count("ventas").await, world.count("facturas").await], [0, 0]);
}

#[tokio::test]
async fn a_captured_invoice_that_is_rejected_is_corrected() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.actor.put("/clientes/1", json!({"nombre": "Rechazo"})).await.ok(200);
    let factura = shop.company.run_by_name("sale.capture", &invoice(&json!({}))).await.unwrap()["factura"].clone();
    assert_eq!(world.stamp(&SandboxStamper).await.rechazados, 1);
    shop.actor.put("/clientes/1", json!({"nombre": "Ana"})).await.ok(200);
    shop.company.run_by_name("invoice.restamp", &json!({"factura": factura})).await.unwrap();
    assert_eq!(world.stamp(&SandboxStamper).await.timbrados, 1);
    document(&shop, factura.as_i64().unwrap()).await;
    books::check(&world, &shop.company).await;
}
