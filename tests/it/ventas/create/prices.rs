//! The price of a line: lists, quantities, days, taxes, cents.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::lists::{pick, row};
use svc_tests::{Actor, Resource, World};

use crate::ventas::shop::{ANA, BARE, BEA, BOOK, BORDER, FOOD, NAIL, UNTAXED, line, sale, shop, with};

#[tokio::test]
async fn the_price_is_the_customer_s_list_s_then_list_1_s() {
    let world = World::new().await;
    let company = shop(&world).await;
    let prices = [
        json!({"producto": NAIL, "lista": 1, "precio": "90.00", "cantidad_minima": 10}),
        json!({"producto": NAIL, "lista": 2, "precio": "60.00", "cantidad_minima": 2.5}),
        json!({"producto": BORDER, "lista": 1, "precio": "7.123456"}),
        json!({"producto": FOOD, "lista": 3, "precio": "3.00"}),
        json!({"producto": BOOK, "lista": 1, "precio": "0.00"}),
    ];
    company.load(Resource::Precios, &prices).await;
    company.load(Resource::Clientes, &[json!({"clave": 3, "nombre": "Cid", "lista": 1})]).await;
    let ana = company.admin().await;
    for (cliente, producto, cantidad, expected) in [
        (ANA, NAIL, json!(1), Some("100.00")),
        (ANA, NAIL, json!(9.999_999), Some("100.00")),
        (ANA, NAIL, json!(10), Some("90.00")),
        (BEA, NAIL, json!(2.499_999), Some("80.00")),
        (BEA, NAIL, json!(2.5), Some("60.00")),
        (BEA, NAIL, json!(10), Some("60.00")),
        (3, NAIL, json!(1), Some("100.00")),
        (BEA, BORDER, json!(1), Some("7.123456")),
        (ANA, BOOK, json!(1), Some("0.00")),
        // List 3 is neither Ana's nor the company's.
        (ANA, FOOD, json!(1), None),
        (BEA, BARE, json!(1), None),
    ] {
        let body = with(
            &sale("cotizacion", &[json!({"producto": producto, "cantidad": cantidad})]),
            "cliente",
            json!(cliente),
        );
        let found = price(&ana, body).await;
        assert_eq!(found.as_deref(), expected, "customer {cliente}, product {producto}, {cantidad}");
    }
    let given = sale("cotizacion", &[line(NAIL, 10, "1.5")]);
    assert_eq!(price(&ana, given).await.as_deref(), Some("1.50"), "a given price goes before every list");
    let nothing = sale("cotizacion", &[line(NAIL, 10, "0")]);
    assert_eq!(price(&ana, nothing).await.as_deref(), Some("0.00"), "and zero is a price");
}

#[tokio::test]
async fn a_price_holds_on_its_days_in_mexico() {
    let world = World::new().await;
    let company = shop(&world).await;
    let of = |precio: &str, desde: Value, hasta: Value| json!({"producto": BARE, "lista": 1, "precio": precio, "vigencia_desde": desde, "vigencia_hasta": hasta});
    company
        .load(
            Resource::Precios,
            &[
                of("1.00", json!(null), json!("2026-10-12")),
                of("2.00", json!("2026-10-13"), json!("2026-10-13")),
                of("3.00", json!("2026-10-15"), json!(null)),
            ],
        )
        .await;
    let ana = company.admin().await;
    let body = sale("cotizacion", &[json!({"producto": BARE, "cantidad": 1})]);
    // It is noon of the 12th in Mexico, whose days begin at six in UTC.
    for (hours, expected) in
        [(0, Some("1.00")), (11, Some("1.00")), (1, Some("2.00")), (23, Some("2.00")), (1, None), (24, Some("3.00"))]
    {
        world.clock.advance(TimeDelta::hours(hours));
        assert_eq!(price(&ana, body.clone()).await.as_deref(), expected);
    }
}

#[tokio::test]
async fn a_price_in_another_currency_is_no_price() {
    let world = World::new().await;
    let company = shop(&world).await;
    company.load(Resource::Precios, &[json!({"producto": BARE, "lista": 1, "moneda": "USD", "precio": "5.00"})]).await;
    let ana = company.admin().await;
    let dollars = |producto: i64| {
        let body = with(&sale("cotizacion", &[json!({"producto": producto, "cantidad": 1})]), "moneda", json!("USD"));
        with(&body, "tipo_cambio", json!("17.5"))
    };
    assert_eq!(price(&ana, dollars(BARE)).await.as_deref(), Some("5.00"));
    assert_eq!(price(&ana, dollars(NAIL)).await, None);
    assert_eq!(price(&ana, sale("cotizacion", &[json!({"producto": BARE, "cantidad": 1})])).await, None);
}

#[tokio::test]
async fn a_price_that_includes_iva_loses_it() {
    let world = World::new().await;
    let company = shop(&world).await;
    let of = |producto: i64| json!({"producto": producto, "lista": 2, "precio": "116.00", "iva_incluido": true, "cantidad_minima": 3});
    company.load(Resource::Precios, &[NAIL, BORDER, FOOD, BOOK, UNTAXED].map(of)).await;
    let ana = company.admin().await;
    for (producto, unit, iva, total) in [
        (NAIL, "100.00", "48.00", "348.00"),
        // 116 / 1.08, to six decimals.
        (BORDER, "107.407407", "25.78", "348.00"),
        (FOOD, "116.00", "0.00", "348.00"),
        (BOOK, "116.00", "0.00", "348.00"),
        (UNTAXED, "116.00", "0.00", "348.00"),
    ] {
        let body = with(&sale("cotizacion", &[json!({"producto": producto, "cantidad": 3})]), "cliente", json!(BEA));
        let line = first_line(&ana, body).await;
        assert_eq!(
            pick(&line, &["precio_unitario", "iva", "total"]),
            json!({"precio_unitario": unit, "iva": iva, "total": total}),
            "product {producto}"
        );
    }
}

#[tokio::test]
async fn the_total_of_a_price_that_includes_iva_is_price_times_quantity() {
    let world = World::new().await;
    let company = shop(&world).await;
    company.load_certificate().await;
    let of =
        |precio: &str, lista: i64| json!({"producto": NAIL, "lista": lista, "precio": precio, "iva_incluido": true});
    let prices = [of("17.50", 11), of("0.02", 12), of("0.06", 13), of("9.99", 14)];
    company.load(Resource::Precios, &prices).await;
    let ana = company.admin().await;
    for (lista, cantidad, total) in [(11, "2", "35.00"), (12, "5", "0.10"), (13, "5", "0.30"), (14, "33", "329.67")] {
        let edit = json!({"clave": ANA, "lista": lista});
        company.run_by_name("customer.edit", &edit).await.expect("it is edited");
        let cantidad: Value = serde_json::from_str(cantidad).expect("a number");
        let body = sale("pedido", &[json!({"producto": NAIL, "cantidad": cantidad})]);
        let made = ana.post("/ventas", body).await.ok(201);
        assert_eq!(made["total"], total, "{cantidad} on list {lista}");
        let path = format!("/ventas/{}/facturar", made["venta"]);
        let terms = json!({"forma_pago_sat": "99", "metodo_pago_sat": "PPD", "uso_cfdi": "G03"});
        ana.post(&path, terms).await.ok(202);
    }
    assert_eq!(world.stamp(&svc_core::stamping::SandboxStamper).await.timbrados, 4, "the authority takes them");
}

#[tokio::test]
async fn the_tax_is_the_product_s() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    for (producto, objeto, tasa, iva) in [
        (NAIL, "02", json!("0.160000"), "16.00"),
        (BORDER, "02", json!("0.080000"), "8.00"),
        (FOOD, "02", json!("0.000000"), "0.00"),
        (BOOK, "02", json!("exento"), "0.00"),
        (UNTAXED, "01", json!(null), "0.00"),
    ] {
        let line = first_line(&ana, sale("pedido", &[line(producto, 1, "100.00")])).await;
        assert_eq!([&line["objeto_impuesto"], &line["iva"]], [objeto, iva], "product {producto}");
        assert_eq!(line["iva_tasa"], tasa, "product {producto}");
    }
}

#[tokio::test]
async fn every_amount_is_rounded_half_up_and_the_document_is_the_sum_of_its_lines() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let of = |cantidad: Value, precio: &str, descuento: &str| json!({"producto": NAIL, "cantidad": cantidad, "precio_unitario": precio, "descuento": descuento});
    let fields = ["subtotal", "descuento", "impuestos", "total"];
    for (line, expected) in [
        (of(json!(1), "0.005", "0"), ["0.01", "0.00", "0.00", "0.01"]),
        (of(json!(1), "0.004999", "0"), ["0.00", "0.00", "0.00", "0.00"]),
        (of(json!(3), "0.335", "0"), ["1.01", "0.00", "0.16", "1.17"]),
        (of(json!(0.5), "2.675", "0.00"), ["1.34", "0.00", "0.21", "1.55"]),
        // 0.16 × 0.03 = 0.0048; 0.16 × 0.04 = 0.0064.
        (of(json!(1), "0.03", "0"), ["0.03", "0.00", "0.00", "0.03"]),
        (of(json!(1), "0.04", "0"), ["0.04", "0.00", "0.01", "0.05"]),
        (of(json!(1), "10.03", "0.91"), ["10.03", "0.91", "1.46", "10.58"]),
        (of(json!(1), "10", "10.000000"), ["10.00", "10.00", "0.00", "0.00"]),
        (of(json!(1.000_001), "999999.99", "0"), ["1000000.99", "0.00", "160000.16", "1160001.15"]),
    ] {
        let answer = ana.post("/ventas", sale("cotizacion", std::slice::from_ref(&line))).await.ok(201);
        assert_eq!(pick(&answer, &fields), row(&fields, json!(expected)), "{line}");
    }
    // Each line's IVA is 0.0048 and rounded away; that of their sum would not be.
    let answer = ana.post("/ventas", sale("cotizacion", &vec![of(json!(1), "0.03", "0"); 10])).await.ok(201);
    assert_eq!((&answer["subtotal"], &answer["impuestos"]), (&json!("0.30"), &json!("0.00")));
}

/// The unit price that a document gets; none if there is no price.
async fn price(ana: &Actor, body: Value) -> Option<String> {
    let reply = ana.post("/ventas", body).await;
    if reply.status != 201 {
        reply.fails(422, "sin_precio");
        assert!(reply.mensaje().starts_with("renglones[0].precio_unitario: "), "{}", reply.mensaje());
        return None;
    }
    let lines = ana.walk(&format!("/ventas-renglones?venta={}", reply.json()["venta"])).await;
    lines[0]["precio_unitario"].as_str().map(str::to_owned)
}

async fn first_line(ana: &Actor, body: Value) -> Value {
    let venta = ana.post("/ventas", body).await.ok(201)["venta"].clone();
    ana.walk(&format!("/ventas-renglones?venta={venta}")).await.remove(0)
}
