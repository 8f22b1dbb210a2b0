//! Advances: their invoice, the final invoice that relates to it, and the credit note that follows.

use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::imports::imports_what_it_exports;
use svc_tests::lists::pick;
use svc_tests::{Resource, World, books};

use super::credit_notes::{document, refused, uuid};
use super::{ANA, PUBLIC, Shop, nails};
use crate::backoffice::shop::entries;

/// Captures an advance of Ana's.
async fn advance(shop: &Shop, importe: &str) -> Value {
    let input = json!({"cliente": ANA, "importe": importe, "forma_pago_sat": "03", "cuenta_bancaria": 1});
    shop.company.run_by_name("advance.capture", &input).await.unwrap()
}

async fn ordered(shop: &Shop, body: Value) -> i64 {
    shop.actor.post("/ventas", body).await.ok(201)["venta"].as_i64().expect("a sale")
}

#[tokio::test]
async fn an_advance_makes_three_documents_and_the_books_add_up() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let captured = advance(&shop, "500.00").await;
    let (anticipo, first) = (captured["anticipo"].as_i64().unwrap(), captured["factura"].as_i64().unwrap());
    let sale = shop.one(&format!("/ventas?tipo=anticipo&clave={anticipo}")).await;
    assert_eq!(
        pick(&sale, &["total", "saldo", "subtotal"]),
        json!({"total": "500.00", "saldo": "0.00", "subtotal": "431.03"})
    );
    assert_eq!(
        entries(&shop.company, anticipo).await,
        [
            "anticipo F1: 105.01 +500.00 206.01 -431.03 209.01 -68.97",
            "Pago 1 de la cuenta por cobrar 1: 102.01.0001 +500.00 105.01 -500.00 209.01 +68.97 208.01 -68.97",
        ]
    );
    // The sale names the advance before it is stamped, so the final invoice waits for it.
    let venta = ordered(&shop, nails()).await;
    let named =
        shop.company.run_by_name("advance.apply", &json!({"venta": venta, "anticipo": anticipo})).await.unwrap();
    assert_eq!(named, json!({"venta": venta, "anticipo": anticipo}));
    let invoiced = shop.actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    let last = invoiced["factura"].as_i64().unwrap();
    let note = shop.one("/facturas?tipo=nota_credito").await["clave"].as_i64().unwrap();
    let cxc = shop.one(&format!("/cxc?venta={venta}")).await;
    assert_eq!([&cxc["saldo"], &cxc["pagado"]], ["660.00", "500.00"]);
    let paid = shop.one(&format!("/cxc-pagos?venta={venta}")).await;
    assert_eq!(
        pick(&paid, &["origen", "forma_pago_sat", "complemento"]),
        json!({"origen": "anticipo", "forma_pago_sat": "30", "complemento": "no_aplica"})
    );
    for _ in 0..3 {
        world.stamp(&SandboxStamper).await;
    }
    let xml = document(&shop, first).await;
    for part in ["ClaveProdServ=\"84111506\"", "Descripcion=\"Anticipo del bien o servicio\"", "MetodoPago=\"PUE\""] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    let xml = document(&shop, last).await;
    assert!(xml.contains("TipoRelacion=\"07\"") && xml.contains(&uuid(&shop, first).await), "{xml}");
    let xml = document(&shop, note).await;
    let own = uuid(&shop, last).await;
    for part in [
        "TipoDeComprobante=\"E\"",
        "TipoRelacion=\"07\"",
        &own,
        "FormaPago=\"30\"",
        "Descripcion=\"Aplicación de anticipo\"",
        "Total=\"500.00\"",
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    // The advance's IVA was collected with it and is not collected again; the rest is collected
    // with the rest.
    assert_eq!(
        entries(&shop.company, venta).await[1..],
        ["Pago 2 de la cuenta por cobrar 2: 206.01 +431.03 208.01 +68.97 105.01 -500.00 209.01 +68.97 208.01 -68.97"]
    );
    shop.pay(cxc["clave"].as_i64().unwrap(), "660.00", "SPEI 9").await;
    let tax = "SELECT jsonb_object_agg(cuenta, saldo)::text
               FROM (SELECT cuenta, sum(abono - cargo)::text AS saldo
                     FROM polizas_renglones
                     WHERE cuenta IN ('206.01', '208.01')
                     GROUP BY cuenta) s";
    assert_eq!(world.json(tax).await, json!({"206.01": "0.000000", "208.01": "160.000000"}));
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn an_applied_advance_is_applied_where_it_is_imported_too() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let anticipo = advance(&shop, "500.00").await["anticipo"].clone();
    let venta = ordered(&shop, nails()).await;
    let named = json!({"venta": venta, "anticipo": anticipo});
    shop.company.run_by_name("advance.apply", &named).await.unwrap();
    shop.actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    for _ in 0..3 {
        world.stamp(&SandboxStamper).await;
    }
    let paid = shop.company.export(Resource::CxcPagos).await;
    assert_eq!(pick(&paid[1], &["origen", "anticipo"]), json!({"origen": "anticipo", "anticipo": anticipo}));
    let other = imports_what_it_exports(&shop.company).await;
    let owed = other.admin().await.get(&format!("/cxc?venta={venta}")).await.ok(200);
    let cxc = owed["datos"][0]["clave"].clone();
    let again = json!({"cxc": cxc, "importe": "1.00", "origen": "anticipo", "fecha": "2026-10-12"});
    let refused = other.run_by_name("payment.apply", &again).await.unwrap_err();
    assert_eq!(refused.code().codigo(), "saldo_insuficiente", "{refused}");
}

#[tokio::test]
async fn an_advance_is_applied_as_far_as_it_exists_and_backwards() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let captured = advance(&shop, "1500.00").await;
    let anticipo = captured["anticipo"].as_i64().unwrap();
    let name = |venta: i64| json!({"venta": venta, "anticipo": anticipo});
    world.stamp(&SandboxStamper).await;
    let (one, two) = (ordered(&shop, nails()).await, ordered(&shop, nails()).await);
    for venta in [one, two] {
        shop.company.run_by_name("advance.apply", &name(venta)).await.unwrap();
    }
    refused(&shop, "advance.apply", name(one), "estado_invalido", "ya se nombró").await;
    for venta in [one, two] {
        shop.actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    }
    assert_eq!(shop.one(&format!("/cxc?venta={one}&estatus=pagado")).await["saldo"], "0.00");
    assert_eq!(shop.one(&format!("/cxc?venta={two}")).await["saldo"], "820.00");
    let three = ordered(&shop, nails()).await;
    refused(&shop, "advance.apply", name(three), "saldo_insuficiente", "").await;
    for _ in 0..3 {
        world.stamp(&SandboxStamper).await;
    }
    // In reverse order: the note, the invoice, the advance.
    let notes = shop.actor.walk("/facturas?tipo=nota_credito&estatus=vigente").await;
    assert_eq!(notes.len(), 2, "{notes:?}");
    let cancel = |factura: &Value| json!({"factura": factura, "motivo": "02"});
    let invoice = shop.one(&format!("/facturas?venta={two}&tipo=factura")).await["clave"].clone();
    refused(&shop, "invoice.cancel", cancel(&invoice), "estado_invalido", "notas de crédito").await;
    shop.company.run_by_name("invoice.cancel", &cancel(&notes[1]["clave"])).await.unwrap();
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.one(&format!("/cxc?venta={two}")).await["saldo"], "1160.00");
    shop.company.run_by_name("invoice.cancel", &cancel(&invoice)).await.unwrap();
    world.stamp(&SandboxStamper).await;
    // The amount it had applied is available again.
    shop.company.run_by_name("advance.apply", &name(three)).await.unwrap();
    shop.actor.post(&format!("/ventas/{three}/facturar"), json!({})).await.ok(202);
    assert_eq!(shop.one(&format!("/cxc?venta={three}")).await["saldo"], "820.00");
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn the_payment_of_an_applied_advance_stays_whatever_other_advances_there_are() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let (spent, other) = (advance(&shop, "500.00").await, advance(&shop, "500.00").await);
    let venta = ordered(&shop, nails()).await;
    shop.company.run_by_name("advance.apply", &json!({"venta": venta, "anticipo": spent["anticipo"]})).await.unwrap();
    shop.actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202);
    refused(&shop, "payment.cancel", json!({"pago": spent["pago"]}), "estado_invalido", "ya se aplicó").await;
    shop.company.run_by_name("payment.cancel", &json!({"pago": other["pago"]})).await.unwrap();
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn advances_of_others_and_bad_ones_are_refused() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let of = |changes: Value| {
        let mut input = json!({"cliente": ANA, "importe": "116.00", "forma_pago_sat": "03", "cuenta_bancaria": 1});
        input.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        input
    };
    for (changes, code, text) in [
        (json!({"importe": "0"}), "dato_invalido", "importe"),
        (json!({"importe": "0.01", "forma_pago_sat": "99"}), "dato_invalido", "forma_pago_sat"),
        (json!({"forma_pago_sat": "07"}), "forma_pago_invalida", ""),
        (json!({"cliente": 99}), "cliente_invalido", ""),
        (json!({"iva": "15"}), "dato_invalido", "iva"),
        (json!({"moneda": "USD"}), "dato_requerido", "tipo_cambio"),
        (json!({"cuenta_bancaria": 9}), "cuenta_bancaria_invalida", ""),
    ] {
        refused(&shop, "advance.capture", of(changes), code, text).await;
    }
    assert_eq!(world.count("ventas").await, 0);
    // Cash, and money in no bank yet, is in the till.
    let till = shop.company.run_by_name("advance.capture", &of(json!({"cuenta_bancaria": null}))).await.unwrap();
    let anticipo = till["anticipo"].as_i64().unwrap();
    assert!(entries(&shop.company, anticipo).await[1].contains(": 101.01 +116.00 105.01 -116.00"));
    let mut body = nails();
    body["cliente"] = json!(PUBLIC);
    let venta = ordered(&shop, body).await;
    let name = |venta: i64, anticipo: i64| json!({"venta": venta, "anticipo": anticipo});
    refused(&shop, "advance.apply", name(venta, anticipo), "estado_invalido", "otro cliente").await;
    refused(&shop, "advance.apply", name(venta, venta), "no_encontrado", "anticipo").await;
    refused(&shop, "advance.apply", name(anticipo, anticipo), "estado_invalido", "pedido o una cotización").await;
    books::check(&world, &shop.company).await;
}
