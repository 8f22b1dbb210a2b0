//! End to end with the sandbox, whose validation also checks our documents.

use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_core::store::CompanyChange;
use svc_tests::World;
use svc_tests::{Resource::CuentasBancarias, with};

use super::{ABROAD, ANA, BOOK, BORDER, FOOD, NAIL, NAMED, PUBLIC, Shop, UNTAXED, line, order, report};

fn with(mut order: Value, change: Value) -> Value {
    let Value::Object(change) = change else { panic!("an object") };
    order.as_object_mut().expect("an object").extend(change);
    order
}

fn discounted(mut line: Value, descuento: &str) -> Value {
    line["descuento"] = json!(descuento);
    line
}

#[tokio::test]
async fn every_invoice_of_the_api_can_be_stamped() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let mixed = || {
        vec![
            line(NAIL, "3", "33.333333"),
            discounted(line(NAIL, "1.5", "10.015"), "5.01"),
            line(FOOD, "2", "0.005"),
            line(BOOK, "0.333333", "99.99"),
            line(UNTAXED, "7", "1.11"),
            discounted(line(NAIL, "1", "100"), "100"),
        ]
    };
    let cash = |cliente: i64| json!({"cliente": cliente, "metodo_pago_sat": "PUE", "forma_pago_sat": "03"});
    let dollars = json!({"moneda": "USD", "tipo_cambio": "17.543210"});
    let orders = [
        order(&mixed()),
        with(order(&mixed()), dollars.clone()),
        with(order(&mixed()), cash(ANA)),
        with(order(&mixed()), cash(PUBLIC)),
        with(order(&mixed()), cash(NAMED)),
        with(order(&mixed()), with(cash(ABROAD), dollars)),
        with(order(&[line(BOOK, "1", "10")]), cash(PUBLIC)),
        order(&[line(UNTAXED, "1", "10")]),
        order(&[line(NAIL, "999999", "99999.999999")]),
        order(&[line(NAIL, "0.0001", "100.005")]),
    ];
    let count = orders.len() as u64;
    for order in orders {
        shop.invoice(order).await;
    }
    assert_eq!(world.stamp(&SandboxStamper).await.timbrados, count, "{}", faults(&shop).await);
}

#[tokio::test]
async fn the_border_s_iva_is_stamped_at_the_border() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.company.edit(CompanyChange { cp: Some("22000".to_owned()), ..CompanyChange::default() }).await;
    shop.invoice(order(&[line(BORDER, "3", "33.33"), line(NAIL, "1", "10")])).await;
    assert_eq!(world.stamp(&SandboxStamper).await.timbrados, 1, "{}", faults(&shop).await);
}

#[tokio::test]
async fn payments_in_instalments_are_stamped_in_any_currency() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.company.load(CuentasBancarias, &[json!({"nombre": "Dólares", "moneda": "USD"})]).await;
    let lines = [line(NAIL, "3", "33.333333"), line(FOOD, "1", "50.05"), line(BOOK, "1", "7"), line(UNTAXED, "1", "3")];
    shop.invoice(order(&lines)).await;
    shop.invoice(with(order(&lines), json!({"moneda": "USD", "tipo_cambio": "17.543210"}))).await;
    let mut expected = 2;
    for (cxc, cuenta) in [(1, 1), (2, 2)] {
        for importe in ["0.01", "33.34", "100.00"] {
            let body = json!({"importe": importe, "cuenta_bancaria": cuenta, "forma_pago_sat": "03",
                              "fecha": "2026-10-12", "referencia": format!("{cxc}-{importe}")});
            shop.actor.post(&format!("/cxc/{cxc}/pagos"), body).await.ok(201);
            expected += 1;
        }
    }
    let done = world.stamp(&SandboxStamper).await;
    assert_eq!(done.timbrados, expected, "{done:?} {}", faults(&shop).await);
    assert_eq!(world.count("cxc_pagos WHERE complemento = 'timbrado'").await, 6);
}

#[tokio::test]
async fn the_sandbox_plays_refusals_and_outages() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let customers = ["RECHAZO, S.A.", "Sin Servicio"].map(
        |nombre| json!({"nombre": nombre, "rfc": "XAXX010101000", "regimen": 616, "cp": "06700", "uso_cfdi": "S01"}),
    );
    shop.company.load(svc_tests::Resource::Clientes, &customers).await;
    for cliente in [5, 6] {
        shop.invoice(with(order(&[line(NAIL, "1", "10")]), json!({"cliente": cliente}))).await;
    }
    assert_eq!(world.stamp(&SandboxStamper).await, with!(report(), rechazados: 1, pospuestos: 1));
    assert_eq!(shop.factura(1).await["error_codigo"], "CFDI40145");
    assert_eq!(shop.factura(2).await["estatus"], "en_espera");
}

/// The refused documents and their reasons.
async fn faults(shop: &Shop) -> String {
    shop.world()
        .sql("SELECT coalesce(jsonb_agg(jsonb_build_array(clave, error_codigo, error_mensaje)), '[]')::text FROM facturas WHERE estatus = 'error'")
        .await
}
