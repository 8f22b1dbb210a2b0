//! The address in the notice of a document's creation leads to it, whatever its type has become.

use serde_json::json;
use svc_tests::{Actor, BASE_URL, World};

use super::shop::{invoiced, made, notices, ready, shop, with};

/// The claves and types of the records at an address.
async fn led_to(ana: &Actor, url: &str) -> Vec<(i64, String)> {
    let records = ana.walk(url.strip_prefix(BASE_URL).expect("below the API's address")).await;
    let shown = |row: &serde_json::Value| {
        (row["clave"].as_i64().expect("a clave"), row["tipo"].as_str().expect("a type").to_owned())
    };
    records.iter().map(shown).collect()
}

#[tokio::test]
async fn an_invoiced_order_is_found_where_it_was_announced() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let order = made(&ana, &ready()).await;
    let quote = made(&ana, &with(&ready(), "tipo", json!("cotizacion"))).await;
    let urls: Vec<String> =
        notices(&world, "venta.creada").await.iter().map(|(_, url)| url.as_str().expect("a URL").to_owned()).collect();
    assert_eq!(urls[0], format!("{BASE_URL}/ventas?clave={order}&tipo=pedido"));
    assert_eq!(led_to(&ana, &urls[0]).await, [(order, "pedido".to_owned())]);
    for venta in [order, quote] {
        invoiced(&ana, venta, json!({})).await.ok(202);
    }
    assert_eq!(led_to(&ana, &urls[0]).await, [(order, "factura".to_owned())]);
    assert_eq!(led_to(&ana, &urls[1]).await, [(quote, "factura".to_owned())]);
    // By its clave alone; the lists of orders and quotes have it no more, and it is no other type.
    assert_eq!(ana.walk("/ventas?tipo=pedido").await.len() + ana.walk("/ventas?tipo=cotizacion").await.len(), 0);
    assert_eq!(ana.walk(&format!("/ventas?clave={order}&tipo=cotizacion")).await.len(), 0);
    assert_eq!(ana.walk(&format!("/ventas?clave={order}&tipo=factura")).await.len(), 1);
    company.run_by_name("sale.cancel", &json!({"venta": order})).await.expect_err("it has an invoice");
    let rejected = json!({"factura": 1, "codigo": "CFDI40147", "mensaje": "No"});
    company.run_by_name("invoice.rejected", &rejected).await.expect("it is refused");
    company.run_by_name("sale.cancel", &json!({"venta": order})).await.expect("it is cancelled");
    assert_eq!(led_to(&ana, &urls[0]).await, []);
}
