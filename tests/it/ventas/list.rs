//! `GET /ventas`, and the import of sales documents.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::Resource::{Ventas, VentasRenglones};
use svc_tests::imports::{refuses_fields, takes_null_for_absent};
use svc_tests::lists::{finds, has_fields, refuses};
use svc_tests::{Actor, Company, World};

use crate::documents::{UUIDS, company};

const FIELDS: [&str; 33] = [
    "clave",
    "tipo",
    "serie",
    "folio",
    "fecha",
    "sucursal",
    "almacen",
    "cliente",
    "vendedor",
    "moneda",
    "tipo_cambio",
    "condicion_pago",
    "dias_credito",
    "vencimiento",
    "forma_pago_sat",
    "metodo_pago_sat",
    "uso_cfdi",
    "subtotal",
    "descuento",
    "impuestos",
    "retenciones",
    "total",
    "saldo",
    "cancelada",
    "fecha_cancelacion",
    "surtido_estatus",
    "monto_surtido",
    "factura",
    "uuid",
    "origen",
    "referencia",
    "comentarios",
    "modificado",
];

#[tokio::test]
async fn an_item_has_every_field_and_can_be_imported_again() {
    let world = World::new().await;
    let [one, other] = [company(&world).await, company(&world).await];
    let complete = json!({
        "clave": 7, "tipo": "pedido", "serie": "P", "folio": 70, "fecha": "2026-01-02T03:04:05Z", "sucursal": 0,
        "almacen": "001", "cliente": 2, "vendedor": one.owner, "moneda": "USD", "tipo_cambio": "17.543200",
        "condicion_pago": "credito", "dias_credito": 30, "vencimiento": "2026-02-01", "forma_pago_sat": "99",
        "metodo_pago_sat": "PPD", "uso_cfdi": "G03", "subtotal": "1000.00", "descuento": "10.50",
        "impuestos": "158.32", "retenciones": "1.00", "total": "1146.82", "saldo": "46.82", "cancelada": true,
        "fecha_cancelacion": "2026-01-03T00:00:00Z", "surtido_estatus": "parcial", "monto_surtido": "12.123456",
        "factura": 99, "uuid": UUIDS[0], "origen": "api", "referencia": "OC-1", "comentarios": "Con\tcuidado",
        "modificado": "2026-01-03T00:00:01Z",
    });
    let bare = json!({
        "clave": 8, "tipo": "pedido", "serie": null, "folio": null, "fecha": "2026-10-12T18:00:00Z", "sucursal": 0,
        "almacen": null, "cliente": null, "vendedor": null, "moneda": "MXN", "tipo_cambio": "1.000000",
        "condicion_pago": null, "dias_credito": null, "vencimiento": null, "forma_pago_sat": null,
        "metodo_pago_sat": null, "uso_cfdi": null, "subtotal": "0.00", "descuento": "0.00", "impuestos": "0.00",
        "retenciones": "0.00", "total": "0.00", "saldo": "0.00", "cancelada": false, "fecha_cancelacion": null,
        "surtido_estatus": "pendiente", "monto_surtido": "0.00", "factura": null, "uuid": null,
        "origen": "aplicacion", "referencia": null, "comentarios": null, "modificado": "2026-10-12T18:00:00Z",
    });
    let mut upper = complete.clone();
    upper["uuid"] = json!(UUIDS[0].to_uppercase());
    one.load(Ventas, &[upper, json!({"tipo": "pedido"})]).await;
    let ana = one.admin().await;
    has_fields(&ana.get("/ventas?tipo=pedido").await, &FIELDS);
    let cancelled = ana.walk("/ventas?tipo=pedido&cancelada=true").await;
    let valid = ana.get("/ventas?tipo=pedido").await.ok(200);
    assert_eq!(cancelled, [complete]);
    assert_eq!(valid, json!({"ok": true, "datos": [bare], "siguiente": null, "hay_mas": false}));

    let shown = [cancelled, ana.walk("/ventas?tipo=pedido").await].concat();
    other.load(Ventas, &shown).await;
    let bob = other.admin().await;
    let again = [bob.walk("/ventas?tipo=pedido&cancelada=true").await, bob.walk("/ventas?tipo=pedido").await];
    assert_eq!(again.concat(), shown);
}

#[tokio::test]
async fn each_type_is_paged_by_itself_and_remision_is_venta() {
    let company = company(&World::new().await).await;
    let kinds = ["venta", "remision", "factura", "cotizacion", "pedido", "anticipo"];
    company.load(Ventas, &kinds.map(|tipo| json!({"tipo": tipo}))).await;
    let ana = company.admin().await;
    finds(
        &ana,
        "/ventas",
        &[
            ("", &[1, 2]),
            ("tipo=venta", &[1, 2]),
            ("tipo=remision", &[1, 2]),
            ("tipo=factura", &[3]),
            ("tipo=cotizacion", &[4]),
            ("tipo=pedido", &[5]),
            ("tipo=anticipo", &[6]),
            ("clave=2", &[2]),
            ("clave=3", &[]),
            ("clave=3&tipo=factura", &[3]),
            ("clave=3&tipo=remision", &[]),
        ],
    )
    .await;
    for tipo in kinds {
        let shown = if tipo == "remision" { "venta" } else { tipo };
        let records = ana.walk(&format!("/ventas?tipo={tipo}")).await;
        assert!(records.iter().all(|record| record["tipo"] == shown), "{tipo}");
        let fulfilment =
            records.iter().all(|record| record["surtido_estatus"].is_null() && record["monto_surtido"].is_null());
        assert_eq!(fulfilment, tipo != "pedido", "{tipo}");
    }
}

#[tokio::test]
async fn filters_find_within_the_type_and_hide_cancelled_documents() {
    let ana = eight().await;
    finds(
        &ana,
        "/ventas",
        &[
            ("", &[1, 2, 3, 4, 8]),
            ("cancelada=false", &[1, 2, 3, 4, 8]),
            ("cancelada=true", &[5]),
            ("clave=5", &[]),
            ("clave=5&cancelada=true", &[5]),
            ("clave=1&cancelada=true", &[]),
            ("clave=99", &[]),
            ("folio=10", &[1]),
            ("folio=10&tipo=factura", &[6]),
            ("folio=10&tipo=pedido", &[]),
            ("folio=10&cancelada=true", &[5]),
            ("folio=010", &[1]),
            ("folio=1", &[]),
            ("cliente=1", &[1, 3]),
            ("cliente=1&cancelada=true", &[5]),
            ("cliente=1&tipo=factura", &[6]),
            ("cliente=3", &[]),
            ("sucursal=0", &[1, 2, 3, 4, 8]),
            ("sucursal=1", &[]),
            ("sucursal=0&tipo=factura", &[6]),
            ("cliente=1&folio=10&sucursal=0&clave=1", &[1]),
            ("cliente=2&folio=10", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_sku_finds_the_documents_that_have_it_on_a_line() {
    let ana = eight().await;
    finds(
        &ana,
        "/ventas",
        &[
            // 1 has product 1, 2 has product 3 (deleted, with the same SKU), 3 a line whose product
            // has another SKU by now.
            ("sku=A-1", &[1, 2, 3]),
            ("sku=A-1&tipo=factura", &[6]),
            ("sku=A-1&cancelada=true", &[5]),
            ("sku=A-1&cliente=1", &[1, 3]),
            ("sku=A-1&fecha_desde=2026-08-02&fecha_hasta=2026-08-31", &[2]),
            ("sku=B-2", &[1, 3]),
            ("sku=VIEJO", &[4]),
            ("sku=a-1", &[]),
            ("sku=A-%25", &[]),
            ("sku=A", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn dates_are_read_for_92_days_at_the_most() {
    let ana = eight().await;
    finds(
        &ana,
        "/ventas",
        &[
            ("fecha_desde=2026-08-01&fecha_hasta=2026-08-31", &[1, 2]),
            ("fecha_desde=2026-08-01T00:00:01Z&fecha_hasta=2026-08-31", &[2]),
            ("fecha_desde=2026-08-31&fecha_hasta=2026-09-01", &[2, 3]),
            ("fecha_desde=2026-08-31T23:59:59Z&fecha_hasta=2026-08-31T23:59:59Z", &[2]),
            ("fecha_desde=2026-06-01&fecha_hasta=2026-09-01", &[1, 2, 3]),
            // Now is 2026-10-12 18:00.
            ("fecha_desde=2026-07-12", &[1, 2, 3, 4]),
            ("fecha_desde=2026-10-12T18:00:00Z", &[4]),
            ("fecha_desde=2026-09-01&fecha_hasta=2026-10-13", &[3, 4, 8]),
            ("fecha_desde=2026-08-01&fecha_hasta=2026-08-31&tipo=factura", &[6]),
            ("fecha_desde=2026-08-01&fecha_hasta=2026-08-31&cancelada=true", &[5]),
            ("fecha_desde=2026-08-01&fecha_hasta=2026-08-31&cliente=1&sucursal=0", &[1]),
            ("fecha_desde=2020-01-01&fecha_hasta=2020-04-02", &[]),
        ],
    )
    .await;
    refuses(
        &ana,
        "/ventas",
        &[
            ("fecha_hasta=2026-08-31", "rango_invalido"),
            ("fecha_desde=2026-07-11", "rango_invalido"),
            ("fecha_desde=2026-10-13", "rango_invalido"),
            ("fecha_desde=2026-05-31&fecha_hasta=2026-09-01", "rango_invalido"),
            ("fecha_desde=2026-05-31T23:59:59Z&fecha_hasta=2026-09-01T00:00:00Z", "rango_invalido"),
        ],
    )
    .await;
}

#[tokio::test]
async fn omitted_sums_and_states_are_computed() {
    let company = company(&World::new().await).await;
    let records = [
        json!({"tipo": "venta", "subtotal": 100, "descuento": "0.005", "impuestos": "16.00", "retenciones": "1.25"}),
        json!({"tipo": "venta", "subtotal": "100", "total": "5"}),
        json!({"tipo": "venta", "fecha_cancelacion": "2026-01-01T00:00:00Z"}),
        json!({"tipo": "venta", "desglose": false}),
    ];
    company.load(Ventas, &records).await;
    let ana = company.admin().await;
    let total = |records: &[Value], at: usize| records[at]["total"].clone();
    let valid = ana.walk("/ventas").await;
    assert_eq!((total(&valid, 0), total(&valid, 1)), (json!("114.745"), json!("5.00")));
    finds(&ana, "/ventas", &[("", &[1, 2, 4]), ("cancelada=true", &[3])]).await;
    let without: String = company.world.sql("SELECT string_agg(clave::text, ',') FROM ventas WHERE NOT desglose").await;
    assert_eq!(without, "4");
    takes_null_for_absent(&company, Ventas, &json!({"tipo": "venta"}), "/ventas").await;
    assert_eq!(company.world.count("emitidos").await, 0);
}

#[tokio::test]
async fn a_bad_field_is_named() {
    let company = company(&World::new().await).await;
    let table = [
        ("tipo", json!("nota")),
        ("tipo", json!(null)),
        ("clave", json!(0)),
        ("folio", json!("10")),
        ("fecha", json!("2026-01-01")),
        ("sucursal", json!(9)),
        ("almacen", json!("009")),
        ("almacen", json!(1)),
        ("almacen", json!("0001")),
        ("cliente", json!(99)),
        ("vendedor", json!(99)),
        ("moneda", json!("mxn")),
        ("tipo_cambio", json!(0)),
        ("condicion_pago", json!("fiado")),
        ("dias_credito", json!(366)),
        ("vencimiento", json!("2026-02-30")),
        ("forma_pago_sat", json!("98")),
        ("metodo_pago_sat", json!("PUD")),
        ("uso_cfdi", json!("X99")),
        ("subtotal", json!(-1)),
        ("descuento", json!("1.1234567")),
        ("retenciones", json!("x")),
        ("saldo", json!("-0.01")),
        ("cancelada", json!("no")),
        ("surtido_estatus", json!("pendiente")),
        ("monto_surtido", json!("1.00")),
        ("uuid", json!("5a5f2d3c8b1e4c6a9f0d1e2f3a4b5c6d")),
        ("origen", json!("web")),
        ("referencia", json!("ñ".repeat(101))),
        ("comentarios", json!("a\0b")),
        ("desglose", json!(1)),
        ("renglones", json!([])),
    ];
    refuses_fields(&company, Ventas, &json!({"tipo": "venta"}), &table).await;
    for (bad, field) in [
        (json!({"tipo": "venta", "descuento": "0.01"}), "total"),
        (json!({"tipo": "venta", "subtotal": "999999999999999999.99", "impuestos": "0.01"}), "total"),
        (json!({"tipo": "pedido", "surtido_estatus": "nada"}), "surtido_estatus"),
        (json!({"tipo": "venta", "clave": 1}), "clave"),
        (json!({}), "tipo"),
    ] {
        let error = company.import(Ventas, &[json!({"tipo": "venta"}), bad]).await.unwrap_err();
        assert!(error.starts_with(&format!("línea 2: {field}: ")), "{error}");
    }
}

/// A user of a company with eight documents; another company has the same ones.
async fn eight() -> Actor {
    let world = World::new().await;
    let [one, other] = [company(&world).await, company(&world).await];
    for company in [&one, &other] {
        load_eight(company).await;
    }
    one.admin().await
}

async fn load_eight(company: &Company) {
    let sale = |tipo: &str, folio: i64, cliente: Value, fecha: &str| json!({"tipo": tipo, "folio": folio, "cliente": cliente, "fecha": fecha});
    let mut cancelled = sale("venta", 10, json!(1), "2026-08-15T12:00:00Z");
    cancelled["cancelada"] = json!(true);
    let sales = [
        sale("venta", 10, json!(1), "2026-08-01T00:00:00Z"),
        sale("venta", 11, json!(2), "2026-08-31T23:59:59Z"),
        sale("venta", 12, json!(1), "2026-09-01T00:00:00Z"),
        sale("remision", 13, Value::Null, "2026-10-12T18:00:00Z"),
        cancelled,
        sale("factura", 10, json!(1), "2026-08-15T12:00:00Z"),
        sale("pedido", 11, json!(2), "2026-08-15T12:00:00Z"),
        sale("venta", 14, Value::Null, "2026-10-12T18:00:01Z"),
    ];
    company.load(Ventas, &sales).await;
    let line = |venta: i64, producto: i64| json!({"venta": venta, "producto": producto, "cantidad": 1});
    let lines = [
        line(1, 1),
        line(1, 2),
        line(1, 1),
        line(2, 3),
        json!({"venta": 3, "producto": 2, "sku": "A-1", "cantidad": 1}),
        json!({"venta": 4, "sku": "VIEJO", "cantidad": 1}),
        line(5, 1),
        line(6, 1),
    ];
    company.load(VentasRenglones, &lines).await;
}

#[tokio::test]
async fn a_window_without_an_end_stays_open_from_page_to_page() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    let sale = |clave: i64| json!({"clave": clave, "tipo": "venta", "fecha": format!("2026-07-1{clave}T12:00:00Z")});
    company.load(Ventas, &[2, 3, 4].map(sale)).await;
    // The longest allowed range; one more day is refused.
    let first = ana.get("/ventas?fecha_desde=2026-07-12&limite=1").await.ok(200);
    world.clock.advance(TimeDelta::days(1));
    ana.get("/ventas?fecha_desde=2026-07-12&limite=1").await.fails(400, "rango_invalido");
    company.load(Ventas, &[json!({"clave": 9, "tipo": "venta", "fecha": "2026-10-13T00:00:00Z"})]).await;
    let next = |page: &Value| page["siguiente"].as_str().expect("another page").to_owned();
    let second = ana.get(&format!("/ventas?fecha_desde=2026-07-12&limite=1&cursor={}", next(&first))).await.ok(200);
    let third = ana.get(&format!("/ventas?fecha_desde=2026-07-12&cursor={}", next(&second))).await.ok(200);
    assert_eq!((&third["datos"][0]["clave"], &third["hay_mas"]), (&json!(4), &json!(false)), "not what came later");
}
