//! The global invoice: a period's sales to the general public.

use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::lists::pick;
use svc_tests::{Resource, World, books};

use super::credit_notes::{document, refused};
use super::{ANA, BOOK, FOOD, NAIL, PUBLIC, Shop, line};

/// A sale over the counter, paid in cash.
pub(super) async fn sold(shop: &Shop, cliente: i64, renglones: &[Value]) -> i64 {
    let body = json!({"tipo": "venta", "cliente": cliente, "renglones": renglones, "forma_pago_sat": "01"});
    let sale = shop.company.run_by_name("sale.capture", &body).await.unwrap();
    sale["venta"].as_i64().expect("a clave")
}

fn october() -> Value {
    json!({"periodicidad": "04", "mes": 10, "año": 2026})
}

#[tokio::test]
async fn what_a_ticket_gives_away_is_no_part_of_its_concept() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    sold(&shop, PUBLIC, &[line(NAIL, "1", "100"), line(NAIL, "2", "0")]).await;
    let made = shop.company.run_by_name("invoice.global", &october()).await.unwrap();
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, made["factura"].as_i64().unwrap()).await;
    assert!(xml.contains(r#"ValorUnitario="100.00""#) && xml.contains(r#"Total="116.00""#), "{xml}");
}

#[tokio::test]
async fn a_ticket_that_came_without_its_lines_is_named() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let ticket = sold(&shop, PUBLIC, &[line(NAIL, "1", "100")]).await;
    let imported = json!({"tipo": "venta", "subtotal": "1000", "impuestos": "160", "total": "1160", "serie": "Z",
                          "folio": 7, "fecha": "2026-10-12T18:00:00Z", "forma_pago_sat": "01"});
    shop.company.load(Resource::Ventas, &[imported]).await;
    refused(&shop, "invoice.global", october(), "documento_invalido", "la venta Z7 no tiene renglones").await;
    let mut others = october();
    others["ventas"] = json!([ticket]);
    shop.company.run_by_name("invoice.global", &others).await.unwrap();
}

#[tokio::test]
async fn a_ticket_of_a_customer_without_an_rfc_is_of_the_general_public() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    shop.company.load(Resource::Clientes, &[json!({"nombre": "Sin RFC"})]).await;
    let tickets =
        [sold(&shop, PUBLIC, &[line(NAIL, "1", "100")]).await, sold(&shop, 5, &[line(NAIL, "2", "100")]).await];
    sold(&shop, ANA, &[line(NAIL, "3", "100")]).await;
    let made = shop.company.run_by_name("invoice.global", &october()).await.unwrap();
    assert_eq!(made["ventas"], json!(tickets));
    world.stamp(&SandboxStamper).await;
    let xml = document(&shop, made["factura"].as_i64().unwrap()).await;
    assert!(xml.contains(" Total=\"348.00\""), "{xml}");
}

#[tokio::test]
async fn tickets_of_one_invoice_have_one_exchange_rate() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let mut ventas = Vec::new();
    for rate in ["17", "20", "20"] {
        let body = json!({"tipo": "venta", "cliente": PUBLIC, "renglones": [line(NAIL, "1", "10")],
                          "forma_pago_sat": "01", "moneda": "USD", "tipo_cambio": rate});
        ventas.push(shop.company.run_by_name("sale.capture", &body).await.unwrap()["venta"].clone());
    }
    let mut input = october();
    input["ventas"] = json!(ventas);
    refused(&shop, "invoice.global", input.clone(), "estado_invalido", "tienen distinto tipo de cambio").await;
    input["ventas"] = json!(ventas[1..]);
    shop.company.run_by_name("invoice.global", &input).await.unwrap();
}

#[tokio::test]
async fn a_months_tickets_are_one_invoice() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let first = sold(&shop, PUBLIC, &[line(NAIL, "3", "33.335"), line(FOOD, "1", "9.99")]).await;
    // Forty lines whose IVA is rounded up: their sum exceeds the IVA of their sum.
    let many: Vec<Value> = (0..40).map(|_| line(NAIL, "1", "0.035")).collect();
    let second = sold(&shop, PUBLIC, &many).await;
    let third = sold(&shop, PUBLIC, &[line(BOOK, "2", "120")]).await;
    let named = sold(&shop, ANA, &[line(NAIL, "1", "100")]).await;
    let invoice = shop.company.run_by_name("invoice.global", &october()).await.unwrap();
    assert_eq!(invoice["ventas"], json!([first, second, third]));
    let factura = invoice["factura"].as_i64().unwrap();
    world.stamp(&SandboxStamper).await;
    let record = shop.factura(factura).await;
    assert_eq!(
        pick(&record, &["estatus", "venta", "serie"]),
        json!({"estatus": "vigente", "venta": null, "serie": "F"})
    );
    let xml = document(&shop, factura).await;
    for part in [
        "Periodicidad=\"04\"",
        "Meses=\"10\"",
        "Año=\"2026\"",
        "Rfc=\"XAXX010101000\"",
        "Nombre=\"PUBLICO EN GENERAL\"",
        "FormaPago=\"01\"",
        "ClaveProdServ=\"01010101\"",
        "Descripcion=\"Venta\"",
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    // The total is the amount paid, to the cent.
    let total: String = world.sql("SELECT to_char(sum(total), 'FM999990.00') FROM ventas WHERE cliente = 2").await;
    assert!(xml.contains(&format!(" Total=\"{total}\"")), "{total}: {xml}");
    let sale = shop.one(&format!("/ventas?tipo=venta&clave={first}")).await;
    assert_eq!([&sale["factura"], &sale["uuid"]], [&json!(factura), &record["uuid"]]);
    assert_eq!(shop.one(&format!("/ventas?tipo=venta&clave={named}")).await["factura"], Value::Null);
    refused(&shop, "invoice.global", october(), "estado_invalido", "no hay ventas").await;
    refused(&shop, "sale.cancel", json!({"venta": first}), "estado_invalido", "factura").await;
    // Its cancellation releases the sales.
    shop.company.run_by_name("invoice.cancel", &json!({"factura": factura, "motivo": "02"})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    let sale = shop.one(&format!("/ventas?tipo=venta&clave={first}")).await;
    assert_eq!(
        pick(&sale, &["factura", "uuid", "cancelada"]),
        json!({"factura": null, "uuid": null, "cancelada": false})
    );
    let again = json!({"periodicidad": "04", "mes": 10, "año": 2026, "ventas": [third]});
    let again = shop.company.run_by_name("invoice.global", &again).await.unwrap();
    assert_eq!(again["ventas"], json!([third]));
    // A rejected global invoice is reissued.
    shop.company
        .run_by_name("invoice.rejected", &json!({"factura": again["factura"], "codigo": "CFDI40130", "mensaje": "No"}))
        .await
        .unwrap();
    shop.company.run_by_name("invoice.restamp", &json!({"factura": again["factura"]})).await.unwrap();
    world.stamp(&SandboxStamper).await;
    document(&shop, again["factura"].as_i64().unwrap()).await;
    let event: Value = serde_json::from_str(
        &world.sql::<String>("SELECT convert_from(cuerpo, 'UTF8') FROM eventos WHERE tipo = 'factura.timbrada' AND recurso_clave = (SELECT max(clave) FROM facturas)").await,
    )
    .unwrap();
    assert_eq!([&event["datos"]["factura"], &event["datos"]["venta"]], [&again["factura"], &Value::Null]);
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn sales_that_are_no_tickets_of_the_period_are_refused() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let ticket = sold(&shop, PUBLIC, &[line(NAIL, "1", "100")]).await;
    let named = sold(&shop, ANA, &[line(NAIL, "1", "100")]).await;
    let of = |changes: Value| {
        let mut input = october();
        input.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        input
    };
    for (changes, code, text) in [
        (json!({"mes": 11}), "dato_invalido", "mes: no ha empezado"),
        (json!({"mes": 13}), "dato_invalido", "mes"),
        (json!({"mes": 0}), "dato_invalido", "mes"),
        (json!({"año": 2024}), "dato_invalido", "año"),
        (json!({"periodicidad": "06"}), "dato_invalido", "periodicidad"),
        (json!({"periodicidad": "05"}), "dato_invalido", "periodicidad"),
        (json!({"mes": 9}), "estado_invalido", "no hay ventas"),
        (json!({"ventas": [named]}), "estado_invalido", "cliente con RFC"),
        (json!({"ventas": [ticket, 99]}), "no_encontrado", "la venta 99"),
    ] {
        refused(&shop, "invoice.global", of(changes), code, text).await;
    }
    shop.company.run_by_name("sale.cancel", &json!({"venta": ticket})).await.unwrap();
    refused(&shop, "invoice.global", of(json!({"ventas": [ticket]})), "estado_invalido", "está cancelada").await;
    books::check(&world, &shop.company).await;
}

#[tokio::test]
async fn the_tickets_of_an_imported_global_invoice_are_free_once_it_is_cancelled() {
    let world = World::new().await;
    let shop = Shop::new(&world).await;
    let uuid = "6e1b6d30-3f0f-4b53-8cd2-2e0d0b8f6a01";
    let sold = |tipo: &str, factura: i64| {
        json!({"tipo": tipo, "total": "116.00", "subtotal": "100.00", "impuestos": "16.00", "saldo": "0.00",
               "factura": factura, "uuid": uuid})
    };
    let records = [json!({"uuid": uuid}), json!({"uuid": uuid.replace("a01", "a02")})];
    shop.company.load(Resource::Facturas, &records).await;
    shop.company.load(Resource::Ventas, &[sold("venta", 1), sold("venta", 2), sold("factura", 1)]).await;
    let cancel = json!({"factura": 1, "motivo": "02"});
    shop.company.run_by_name("invoice.cancel", &cancel).await.expect("a request to cancel");
    world.stamp(&SandboxStamper).await;
    assert_eq!(shop.factura(1).await["estatus"], "cancelada");
    let told: Vec<Value> =
        shop.company.export(Resource::Ventas).await.iter().map(|sale| sale["factura"].clone()).collect();
    assert_eq!(told, [Value::Null, json!(2), json!(1)]);
}
