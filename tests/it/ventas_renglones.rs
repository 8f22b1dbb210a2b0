//! `GET /ventas-renglones`, and the import of sales lines.

use serde_json::{Value, json};
use svc_tests::Resource::{Productos, VentasRenglones};
use svc_tests::imports::{refuses_fields, takes_null_for_absent};
use svc_tests::lists::{finds, has_fields, pick, refuses};
use svc_tests::{Company, World};

use super::documents::company_with_sales;

const FIELDS: [&str; 20] = [
    "clave",
    "venta",
    "renglon",
    "producto",
    "sku",
    "descripcion",
    "cantidad",
    "cantidad_surtida",
    "unidad",
    "unidad_sat",
    "codigo_sat",
    "objeto_impuesto",
    "precio_unitario",
    "descuento",
    "subtotal",
    "iva_tasa",
    "iva",
    "total",
    "ieps",
    "retenciones",
];

/// A company with two orders and a sale.
async fn with_sales(world: &World) -> Company {
    company_with_sales(world, &["pedido", "venta", "pedido"]).await
}

#[tokio::test]
async fn an_item_has_every_field_and_can_be_imported_again() {
    let world = World::new().await;
    let [one, other] = [with_sales(&world).await, with_sales(&world).await];
    let complete = json!({
        "clave": 5, "venta": 1, "renglon": 3, "producto": 2, "sku": "B-2", "descripcion": "Clavo de 2\"",
        "cantidad": 2.5, "cantidad_surtida": 0.25, "unidad": "Pieza", "unidad_sat": "H87",
        "codigo_sat": "31162800", "objeto_impuesto": "02", "precio_unitario": "10.123456", "descuento": "0.31",
        "subtotal": "25.31", "iva_tasa": "0.160000", "iva": "4.00", "total": "29.00",
        "ieps": "0.00", "retenciones": "0.00",
    });
    let bare = json!({
        "clave": 6, "venta": 1, "renglon": 4, "producto": null, "sku": null, "descripcion": null, "cantidad": 3,
        "cantidad_surtida": 0, "unidad": null, "unidad_sat": null, "codigo_sat": null, "objeto_impuesto": null,
        "precio_unitario": "0.00", "descuento": "0.00", "subtotal": "0.00", "iva_tasa": null, "iva": "0.00",
        "total": "0.00", "ieps": "0.00", "retenciones": "0.00",
    });
    one.load(VentasRenglones, &[complete.clone(), json!({"venta": 1, "cantidad": 3})]).await;
    let ana = one.admin().await;
    let reply = ana.get("/ventas-renglones?venta=1").await;
    has_fields(&reply, &FIELDS);
    assert_eq!(reply.ok(200), json!({"ok": true, "datos": [complete, bare], "siguiente": null, "hay_mas": false}));
    let shown = ana.walk("/ventas-renglones?venta=1").await;
    other.load(VentasRenglones, &shown).await;
    assert_eq!(other.admin().await.walk("/ventas-renglones?venta=1").await, shown);
}

#[tokio::test]
async fn one_document_is_read_at_a_time() {
    let company = with_sales(&World::new().await).await;
    let line = |venta: i64, sku: &str| json!({"venta": venta, "sku": sku, "cantidad": 1});
    let lines = [line(1, "A-1"), line(2, "A-1"), line(1, "B-2"), line(1, "VIEJO"), line(1, "A-1")];
    company.load(VentasRenglones, &lines).await;
    let ana = company.admin().await;
    finds(
        &ana,
        "/ventas-renglones",
        &[
            ("venta=1", &[1, 3, 4, 5]),
            ("venta=2", &[2]),
            ("venta=3", &[]),
            ("venta=99", &[]),
            ("venta=1&sku=A-1", &[1, 5]),
            ("venta=1&sku=VIEJO", &[4]),
            ("venta=2&sku=B-2", &[]),
            ("venta=1&sku=a-1", &[]),
            ("venta=1&sku=A%25", &[]),
        ],
    )
    .await;
    refuses(
        &ana,
        "/ventas-renglones",
        &[("", "filtro_requerido"), ("sku=A-1", "filtro_requerido"), ("limite=5", "filtro_requerido")],
    )
    .await;
}

#[tokio::test]
async fn the_sku_shown_is_the_product_s_of_today_else_the_line_s() {
    let company = with_sales(&World::new().await).await;
    company.load(Productos, &[json!({"clave": 9})]).await;
    let lines = [
        json!({"venta": 1, "producto": 1, "cantidad": 1}),
        json!({"venta": 1, "sku": "B-2", "cantidad": 1}),
        json!({"venta": 1, "producto": 2, "sku": "ANTES", "cantidad": 1}),
        json!({"venta": 1, "producto": 9, "sku": "ANTES", "cantidad": 1}),
        json!({"venta": 1, "sku": "NADIE", "cantidad": 1}),
        // An active product has precedence over a deleted one with the same SKU.
        json!({"venta": 1, "sku": "A-1", "cantidad": 1}),
    ];
    company.load(VentasRenglones, &lines).await;
    let ana = company.admin().await;
    let records = ana.walk("/ventas-renglones?venta=1").await;
    let shown: Vec<_> = records.iter().map(|record| pick(record, &["producto", "sku"])).collect();
    let expected = [
        json!({"producto": 1, "sku": "A-1"}),
        json!({"producto": 2, "sku": "B-2"}),
        json!({"producto": 2, "sku": "B-2"}),
        json!({"producto": 9, "sku": "ANTES"}),
        json!({"producto": null, "sku": "NADIE"}),
        json!({"producto": 1, "sku": "A-1"}),
    ];
    assert_eq!(shown, expected);
    finds(&ana, "/ventas-renglones", &[("venta=1&sku=ANTES", &[4]), ("venta=1&sku=B-2", &[2, 3])]).await;
    // A renamed product's lines are found by its new SKU alone.
    ana.put("/productos/1", json!({"sku": "A-9"})).await.ok(200);
    finds(&ana, "/ventas-renglones", &[("venta=1&sku=A-1", &[]), ("venta=1&sku=A-9", &[1, 6])]).await;
}

#[tokio::test]
async fn omitted_amounts_are_computed_and_rounded_half_up() {
    let company = with_sales(&World::new().await).await;
    let table = [
        (json!({"cantidad": 3, "precio_unitario": "10"}), ["30.00", "0.00", "30.00"]),
        (json!({"cantidad": 1, "precio_unitario": "2.675"}), ["2.68", "0.00", "2.68"]),
        (json!({"cantidad": 0.5, "precio_unitario": "0.01", "iva_tasa": "0.16"}), ["0.01", "0.00", "0.01"]),
        (json!({"cantidad": 1, "precio_unitario": "100.03", "iva_tasa": "0.160000"}), ["100.03", "16.00", "116.03"]),
        (
            json!({"cantidad": 2, "precio_unitario": "50", "descuento": "20", "iva_tasa": "0.080000"}),
            ["100.00", "6.40", "86.40"],
        ),
        (json!({"cantidad": 1, "precio_unitario": "100", "iva_tasa": "exento"}), ["100.00", "0.00", "100.00"]),
        (json!({"cantidad": 1, "precio_unitario": "100", "iva_tasa": "0"}), ["100.00", "0.00", "100.00"]),
        (json!({"cantidad": 1, "precio_unitario": "0.03125", "iva_tasa": "0.16"}), ["0.03", "0.00", "0.03"]),
        (
            json!({"cantidad": 1, "precio_unitario": "9", "subtotal": "10", "iva_tasa": "0.16", "descuento": "1"}),
            ["10.00", "1.44", "10.44"],
        ),
        (json!({"cantidad": 1, "subtotal": "10", "iva": "1.23"}), ["10.00", "1.23", "11.23"]),
        (
            json!({"cantidad": 10, "precio_unitario": "100", "iva_tasa": "0.16", "ieps_tasa": "0.08"}),
            ["1000.00", "172.80", "1252.80"],
        ),
        (
            json!({"cantidad": 10, "precio_unitario": "100", "iva_tasa": "0.16", "ieps_cuota": "1.5",
                   "retencion_isr": "0.1", "retencion_iva": "0.106667"}),
            ["1000.00", "162.40", "970.73"],
        ),
        (
            json!({"cantidad": 1, "subtotal": "10", "iva": "1", "ieps": "2", "retenciones": "3"}),
            ["10.00", "1.00", "10.00"],
        ),
        (
            json!({"cantidad": 1, "subtotal": "0", "descuento": "9", "iva": "0", "total": "0", "iva_tasa": "0.16"}),
            ["0.00", "0.00", "0.00"],
        ),
    ];
    let lines: Vec<Value> = table
        .iter()
        .map(|(line, _)| {
            let mut line = line.clone();
            line["venta"] = json!(2);
            line
        })
        .collect();
    company.load(VentasRenglones, &lines).await;
    let records = company.admin().await.walk("/ventas-renglones?venta=2").await;
    for (record, (line, expected)) in records.iter().zip(&table) {
        let [subtotal, iva, total] = expected;
        let amounts = json!({"subtotal": subtotal, "iva": iva, "total": total});
        assert_eq!(pick(record, &["subtotal", "iva", "total"]), amounts, "{line}");
    }
    let rates: Vec<_> = records.iter().map(|record| record["iva_tasa"].clone()).collect();
    assert_eq!(rates[2..7], ["0.160000", "0.160000", "0.080000", "exento", "0.000000"].map(Value::from));
}

#[tokio::test]
async fn a_line_without_number_gets_the_document_s_next() {
    let company = with_sales(&World::new().await).await;
    let line = |venta: i64| json!({"venta": venta, "cantidad": 1});
    let numbered = |venta: i64, renglon: i64| json!({"venta": venta, "renglon": renglon, "cantidad": 1});
    company.load(VentasRenglones, &[line(1), numbered(1, 7), line(2), line(1)]).await;
    company.load(VentasRenglones, &[line(1), line(2)]).await;
    let ana = company.admin().await;
    for (venta, expected) in [(1, json!([1, 7, 8, 9])), (2, json!([1, 2]))] {
        let records = ana.walk(&format!("/ventas-renglones?venta={venta}")).await;
        let numbers: Vec<_> = records.iter().map(|record| record["renglon"].clone()).collect();
        assert_eq!(json!(numbers), expected);
    }
    for taken in [numbered(1, 7), numbered(1, 9)] {
        let error = company.import(VentasRenglones, &[line(1), taken]).await.unwrap_err();
        assert!(error.starts_with("línea 2: renglon: "), "{error}");
    }
    takes_null_for_absent(&company, VentasRenglones, &line(1), "/ventas-renglones?venta=1").await;
}

#[tokio::test]
async fn a_bad_field_is_named() {
    let company = with_sales(&World::new().await).await;
    let table = [
        ("venta", json!(99)),
        ("venta", json!(null)),
        ("clave", json!(-1)),
        ("renglon", json!(0)),
        ("producto", json!(99)),
        ("producto", json!("A-1")),
        ("sku", json!(7)),
        ("cantidad", json!(null)),
        ("cantidad", json!(-1)),
        ("cantidad", json!("1")),
        ("cantidad_surtida", json!(-0.5)),
        ("unidad_sat", json!("ZZZ")),
        ("codigo_sat", json!("99999999")),
        ("objeto_impuesto", json!("99")),
        ("precio_unitario", json!("-1")),
        ("descuento", json!("0.01")),
        ("iva_tasa", json!("16")),
        ("iva_tasa", json!(0.16)),
        ("iva_tasa", json!("Exento")),
        ("iva", json!("x")),
        ("total", json!(-1)),
        ("costo", json!("1.00")),
    ];
    refuses_fields(&company, VentasRenglones, &json!({"venta": 1, "cantidad": 1}), &table).await;
    let huge = json!({"venta": 1, "cantidad": 999_999_999_999_999_i64, "precio_unitario": "999999999999999999"});
    let error = company.import(VentasRenglones, &[huge]).await.unwrap_err();
    assert!(error.starts_with("línea 1: subtotal: "), "{error}");
}
