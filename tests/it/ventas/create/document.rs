//! A created document: its fields, lines, folio and notices.

use http::Method;
use serde_json::{Value, json};
use svc_tests::lists::pick;
use svc_tests::{Resource, World};

use crate::ventas::shop::{ANA, BEA, BORDER, NAIL, SERVICE, line, made, notices, sale, shop, with};

#[tokio::test]
async fn a_minimal_body_creates_an_order_with_defaults() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let body = json!({"tipo": "pedido", "cliente": ANA, "renglones": [{"sku": "A-1", "cantidad": 2.5}]});
    let answer = ana.post("/ventas", body).await;
    assert_eq!(
        answer.ok(201),
        json!({"ok": true, "venta": 1, "tipo": "pedido", "folio": 1, "subtotal": "250.00", "descuento": "0.00",
               "impuestos": "40.00", "total": "290.00"})
    );
    assert_eq!((answer.header("location"), answer.header("idempotent-replayed")), (None, None));
    let order = json!({
        "clave": 1, "tipo": "pedido", "serie": null, "folio": 1, "fecha": "2026-10-12T18:00:00Z", "sucursal": 0,
        "almacen": "001", "cliente": ANA, "vendedor": null, "moneda": "MXN", "tipo_cambio": "1.000000",
        "condicion_pago": "contado", "dias_credito": null, "vencimiento": null, "forma_pago_sat": null,
        "metodo_pago_sat": null, "uso_cfdi": null, "subtotal": "250.00", "descuento": "0.00", "impuestos": "40.00",
        "retenciones": "0.00", "total": "290.00", "saldo": "290.00", "cancelada": false, "fecha_cancelacion": null,
        "surtido_estatus": "pendiente", "monto_surtido": "0.00", "factura": null, "uuid": null, "origen": "api",
        "referencia": null, "comentarios": null, "modificado": "2026-10-12T18:00:00Z",
    });
    assert_eq!(ana.walk("/ventas?tipo=pedido").await, [order]);
    let line = json!({
        "clave": 1, "venta": 1, "renglon": 1, "producto": NAIL, "sku": "A-1", "descripcion": "De A-1", "cantidad": 2.5,
        "cantidad_surtida": 0, "unidad": "Pieza", "unidad_sat": "H87", "codigo_sat": "31161620",
        "objeto_impuesto": "02", "precio_unitario": "100.00", "descuento": "0.00", "subtotal": "250.00",
        "iva_tasa": "0.160000", "iva": "40.00", "total": "290.00",
        "ieps": "0.00", "retenciones": "0.00",
    });
    assert_eq!(ana.walk("/ventas-renglones?venta=1").await, [line]);
    let emitted =
        (json!({"venta": 1, "tipo": "pedido"}), json!("https://erp.example.com/api/v1/ventas?clave=1&tipo=pedido"));
    assert_eq!(notices(&world, "venta.creada").await, [emitted]);
}

#[tokio::test]
async fn every_field_is_kept() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let body = json!({
        "tipo": "cotizacion", "cliente": BEA, "condicion_pago": "credito", "dias_credito": 365, "forma_pago_sat": "99",
        "metodo_pago_sat": "PPD", "uso_cfdi": "G01", "vendedor": company.owner, "almacen": "002", "moneda": "USD",
        "tipo_cambio": "17.5432", "referencia": format!(" {} ", "ñ".repeat(100)), "comentarios": "ñ".repeat(500),
        "renglones": [
            {"producto": BORDER, "cantidad": 0.001, "precio_unitario": 1_000, "descuento": "0.5",
             "descripcion": "x".repeat(500)},
            {"sku": " S-6 ", "cantidad": 3, "precio_unitario": "33.333333"},
        ],
    });
    let answer = ana.post("/ventas", body).await.ok(201);
    // 1.00 − 0.50 + 0.04, and 100.00 + 16.00.
    let amounts = json!({"subtotal": "101.00", "descuento": "0.50", "impuestos": "16.04", "total": "116.54"});
    let quote = ana.walk("/ventas?tipo=cotizacion").await.remove(0);
    for (field, amount) in amounts.as_object().unwrap() {
        assert_eq!((&answer[field], &quote[field]), (amount, amount), "{field}");
    }
    for (field, value) in [
        ("cliente", json!(BEA)),
        ("condicion_pago", json!("credito")),
        ("dias_credito", json!(365)),
        ("vencimiento", Value::Null),
        ("forma_pago_sat", json!("99")),
        ("metodo_pago_sat", json!("PPD")),
        ("uso_cfdi", json!("G01")),
        ("vendedor", json!(company.owner)),
        ("almacen", json!("002")),
        ("moneda", json!("USD")),
        ("tipo_cambio", json!("17.543200")),
        ("referencia", json!("ñ".repeat(100))),
        ("comentarios", json!("ñ".repeat(500))),
        ("saldo", json!("116.54")),
        ("serie", Value::Null),
        ("surtido_estatus", Value::Null),
        ("monto_surtido", Value::Null),
    ] {
        assert_eq!(quote[field], value, "{field}");
    }
    let lines = ana.walk("/ventas-renglones?venta=1").await;
    let fields = ["renglon", "producto", "sku", "cantidad", "precio_unitario", "descuento", "subtotal"];
    assert_eq!(
        pick(&lines[0], &fields),
        json!({
            "renglon": 1, "producto": BORDER, "sku": "B-2", "cantidad": 0.001, "precio_unitario": "1000.00",
            "descuento": "0.50", "subtotal": "1.00",
        })
    );
    assert_eq!(
        pick(&lines[1], &fields),
        json!({
            "renglon": 2, "producto": SERVICE, "sku": "S-6", "cantidad": 3, "precio_unitario": "33.333333",
            "descuento": "0.00", "subtotal": "100.00",
        })
    );
    assert_eq!((&lines[0]["descripcion"], &lines[1]["descripcion"]), (&json!("x".repeat(500)), &json!("S-6")));
    assert_eq!(
        (&lines[0]["iva"], &lines[0]["total"], &lines[1]["unidad"]),
        (&json!("0.04"), &json!("0.54"), &Value::Null)
    );
}

#[tokio::test]
async fn null_and_empty_count_as_omitted() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let fields = [
        "condicion_pago",
        "dias_credito",
        "forma_pago_sat",
        "metodo_pago_sat",
        "uso_cfdi",
        "vendedor",
        "almacen",
        "moneda",
        "tipo_cambio",
        "referencia",
        "comentarios",
    ];
    for value in [json!(null), json!(""), json!("  ")] {
        let mut body = sale(
            "pedido",
            &[
                json!({"producto": NAIL, "sku": value, "cantidad": 1, "precio_unitario": value, "descuento": value, "descripcion": value}),
            ],
        );
        for field in fields {
            body[field] = value.clone();
        }
        assert_eq!(ana.post("/ventas", body).await.ok(201)["total"], "116.00");
    }
    let orders = ana.walk("/ventas?tipo=pedido").await;
    let without =
        |order: &Value| ["clave", "folio"].iter().fold(order.clone(), |order, own| with(&order, own, Value::Null));
    assert_eq!(without(&orders[0]), without(&orders[1]));
    assert_eq!(without(&orders[0]), without(&orders[2]));
}

#[tokio::test]
async fn the_days_of_a_sale_on_credit_are_the_customer_s_unless_it_says_them() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let body = sale("pedido", &[line(NAIL, 1, "1")]);
    for (condition, days, expected) in [
        (json!(null), json!(null), json!(null)),
        (json!("contado"), json!(null), json!(null)),
        (json!("contado"), json!(5), json!(5)),
        (json!("credito"), json!(null), json!(15)),
        (json!("credito"), json!(0), json!(0)),
        (json!("credito"), json!(30), json!(30)),
    ] {
        let venta =
            made(&ana, &with(&with(&body, "condicion_pago", condition.clone()), "dias_credito", days.clone())).await;
        let found =
            ana.get(&format!("/ventas?tipo=pedido&clave={venta}")).await.ok(200)["datos"][0]["dias_credito"].clone();
        assert_eq!(found, expected, "{condition} {days}");
    }
}

#[tokio::test]
async fn five_hundred_lines_are_a_document() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let lines: Vec<_> = (0..500).map(|at| line(1 + at % 7, 1 + at, "0.335")).collect();
    let answer = ana.post("/ventas", sale("pedido", &lines)).await.ok(201);
    let stored = ana.walk("/ventas-renglones?venta=1&limite=200").await;
    let numbers: Vec<_> = stored.iter().map(|line| line["renglon"].as_i64().unwrap()).collect();
    assert_eq!(numbers, (1..=500).collect::<Vec<_>>());
    for (at, line) in (0..).zip(&stored) {
        assert_eq!((&line["producto"], &line["cantidad"]), (&json!(1 + at % 7), &json!(1 + at)));
    }
    for (field, of_line) in [("subtotal", "subtotal"), ("impuestos", "iva"), ("total", "total")] {
        let cents = |amount: &Value| amount.as_str().unwrap().replace('.', "").parse::<i64>().unwrap();
        assert_eq!(cents(&answer[field]), stored.iter().map(|line| cents(&line[of_line])).sum::<i64>(), "{field}");
    }
}

#[tokio::test]
async fn folios_count_by_type_without_gaps_and_go_on_after_imported_ones() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let [order, quote] = ["pedido", "cotizacion"].map(|tipo| sale(tipo, &[line(NAIL, 1, "1")]));
    let folio = async |body: &Value| ana.post("/ventas", body.clone()).await.ok(201)["folio"].as_i64().unwrap();
    for (body, expected) in [(&order, 1), (&quote, 1), (&order, 2)] {
        assert_eq!(folio(body).await, expected, "{}", body["tipo"]);
    }
    for (field, value) in [("cliente", json!(99)), ("vendedor", json!(99)), ("uso_cfdi", json!("X99"))] {
        ana.post("/ventas", with(&order, field, value)).await;
    }
    assert_eq!(folio(&order).await, 3);
    company
        .load(
            Resource::Ventas,
            &[
                json!({"tipo": "pedido", "folio": 70}),
                json!({"tipo": "pedido", "serie": "P", "folio": 900}),
                json!({"tipo": "cotizacion", "folio": 8}),
                json!({"tipo": "cotizacion", "folio": 4}),
                json!({"tipo": "venta", "folio": 5_000}),
            ],
        )
        .await;
    for (body, expected) in [(&order, 71), (&quote, 9), (&quote, 10)] {
        assert_eq!(folio(body).await, expected, "{}", body["tipo"]);
    }
}

#[tokio::test]
async fn a_repetition_is_replayed_and_other_data_are_a_conflict() {
    let world = World::new().await;
    let ana = shop(&world).await.admin().await;
    let body = sale("pedido", &[line(NAIL, 1, "1")]);
    let first = ana.write(Method::POST, "/ventas", "una", body.clone()).await;
    first.ok(201);
    let again = ana.write(Method::POST, "/ventas", "una", body.clone()).await;
    again.ok(200);
    assert_eq!((again.body, again.headers.get("idempotent-replayed").is_some()), (first.body, true));
    ana.write(Method::POST, "/ventas", "una", with(&body, "referencia", json!("otra")))
        .await
        .fails(409, "idempotencia_conflicto");
    ana.write(Method::POST, "/ventas", "otra", with(&body, "cliente", json!(99))).await.fails(422, "cliente_invalido");
    ana.write(Method::POST, "/ventas", "otra", body).await.ok(201);
    assert_eq!(ana.walk("/ventas?tipo=pedido").await.len(), 2);
    assert_eq!(notices(&world, "venta.creada").await.len(), 2);
}
