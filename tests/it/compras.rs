//! `/compras`

use serde_json::{Value, json};
use svc_tests::imports::refuses_fields_beside;
use svc_tests::lists::finds;
use svc_tests::{Actor, Company, Resource, World};

#[tokio::test]
async fn an_item_has_every_field_and_nulls_stay() {
    let company = buyer(&World::new().await).await;
    let complete = json!({
        "clave": 7, "folio": "OC-70", "estatus": "parcial", "proveedor": 2, "fecha": "2026-01-02T03:04:05Z",
        "fecha_entrega": "2026-02-28", "sucursal": 0, "almacen": "001", "moneda": "USD", "tipo_cambio": "17.543200",
        "subtotal": "100.00", "descuento": "10.123456", "impuestos": "14.40", "total": "104.28", "cxp": 99,
        "comentarios": "Urge", "modificado": "2026-01-03T00:00:00Z",
    });
    let bare = json!({
        "clave": 8, "folio": "8", "estatus": "pendiente", "proveedor": 1, "fecha": "2026-10-12T18:00:00Z",
        "fecha_entrega": null, "sucursal": 0, "almacen": null, "moneda": "MXN", "tipo_cambio": "1.000000",
        "subtotal": "0.00", "descuento": "0.00", "impuestos": "0.00", "total": "0.00", "cxp": null,
        "comentarios": null, "modificado": "2026-10-12T18:00:00Z",
    });
    let mut nulls = bare.clone();
    for (field, value) in nulls.as_object_mut().unwrap() {
        if field != "proveedor" {
            *value = Value::Null;
        }
    }
    let mut third = bare.clone();
    third["clave"] = json!(9);
    third["folio"] = json!("9");
    let records = [complete.clone(), json!({"proveedor": 1}), nulls];
    assert_eq!(company.import(Resource::Compras, &records).await, Ok(3));
    let reply = company.admin().await.get("/compras").await;
    let page = reply.ok(200);
    assert_eq!(page, json!({"ok": true, "datos": [complete, bare, third], "siguiente": null, "hay_mas": false}));
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    let bare = concat!(
        r#"{"clave":8,"folio":"8","estatus":"pendiente","proveedor":1,"fecha":"2026-10-12T18:00:00Z","#,
        r#""fecha_entrega":null,"sucursal":0,"almacen":null,"moneda":"MXN","tipo_cambio":"1.000000","#,
        r#""subtotal":"0.00","descuento":"0.00","impuestos":"0.00","total":"0.00","cxp":null,"comentarios":null,"#,
        r#""modificado":"2026-10-12T18:00:00Z"}"#,
    );
    assert!(text.contains(bare), "{text}");
}

#[tokio::test]
async fn filters_find_exactly_what_matches() {
    let ana = six_purchases().await;
    finds(
        &ana,
        "/compras",
        &[
            ("", &[1, 2, 3, 4, 5, 6]),
            ("clave=3", &[3]),
            ("clave=99", &[]),
            ("folio=OC-1", &[1]),
            ("folio=oc-1", &[]),
            ("folio=OC", &[]),
            ("folio=OC-_", &[]),
            ("folio=2", &[2]),
            ("proveedor=1", &[1, 2, 3, 6]),
            ("proveedor=2", &[4, 5]),
            ("proveedor=0", &[]),
            ("estatus=pendiente", &[1, 6]),
            ("estatus=parcial", &[2]),
            ("estatus=recibida", &[3]),
            ("estatus=cancelada", &[4]),
            ("sucursal=0", &[1, 2, 3, 4, 5, 6]),
            ("sucursal=1", &[]),
            ("proveedor=1&estatus=pendiente", &[1, 6]),
            ("proveedor=2&estatus=pendiente", &[]),
            ("proveedor=1&folio=OC-1&sucursal=0&clave=1", &[1]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_range_of_dates_may_be_open_and_of_any_length() {
    let ana = six_purchases().await;
    finds(
        &ana,
        "/compras",
        &[
            ("fecha_desde=2026-01-02", &[2, 3, 4, 5, 6]),
            ("fecha_desde=2026-01-02T00:00:00Z", &[2, 3, 4, 5, 6]),
            ("fecha_desde=2026-01-02T00:00:01Z", &[3, 4, 5, 6]),
            ("fecha_hasta=2026-01-01", &[1]),
            ("fecha_hasta=2026-01-02", &[1, 2, 3]),
            ("fecha_hasta=2026-01-02T00:00:00Z", &[1, 2]),
            ("fecha_hasta=2026-01-01T23:59:58Z", &[]),
            ("fecha_desde=2026-01-01&fecha_hasta=2026-01-01", &[1]),
            ("fecha_desde=2000-01-01&fecha_hasta=2030-12-31", &[1, 2, 3, 4, 5, 6]),
            ("fecha_desde=2026-01-02&fecha_hasta=2026-06-30&proveedor=2", &[4]),
            ("fecha_desde=2027-01-01", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_bad_line_is_named_with_its_field() {
    let company = buyer(&World::new().await).await;
    let table = [
        ("clave", json!(0)),
        ("folio", json!(7)),
        ("estatus", json!("pagada")),
        ("proveedor", Value::Null),
        ("proveedor", json!(0)),
        ("proveedor", json!(99)),
        ("proveedor", json!("Aceros")),
        ("fecha", json!("2026-01-02")),
        ("fecha", json!("2026-01-02T00:00:00-06:00")),
        ("fecha_entrega", json!("2026-02-30")),
        ("sucursal", json!(9)),
        ("almacen", json!("999")),
        ("almacen", json!("0001")),
        ("almacen", json!(1)),
        ("moneda", json!("ZZZ")),
        ("moneda", json!("mxn")),
        ("tipo_cambio", json!(0)),
        ("tipo_cambio", json!("-1")),
        ("subtotal", json!("-1")),
        ("descuento", json!("1.1234567")),
        ("impuestos", json!(true)),
        ("total", json!("1,000.00")),
        ("cxp", json!(0)),
        ("comentarios", json!("ñ".repeat(501))),
        ("modificado", json!("ayer")),
        ("renglones", json!([])),
    ];
    refuses_fields_beside(
        &company,
        Resource::Compras,
        &json!({"proveedor": 1}),
        &json!({"proveedor": 1, "almacen": "001"}),
        &table,
    )
    .await;
    assert_eq!(company.world.count("compras").await, 0);
}

#[tokio::test]
async fn listed_records_can_be_imported_into_another_company() {
    let world = World::new().await;
    let [one, other] = [buyer(&world).await, buyer(&world).await];
    one.load(Resource::Compras, &six()).await;
    let shown = one.admin().await.walk("/compras").await;
    assert_eq!(shown.len(), 6);
    other.load(Resource::Compras, &shown).await;
    assert_eq!(other.admin().await.walk("/compras").await, shown);
}

/// A company with two suppliers.
async fn buyer(world: &World) -> Company {
    let company = world.company().await;
    let suppliers = [json!({"nombre": "Aceros"}), json!({"nombre": "Pinturas"})];
    company.load(Resource::Proveedores, &suppliers).await;
    company
}

/// A user of a company with six purchase orders.
async fn six_purchases() -> Actor {
    let company = buyer(&World::new().await).await;
    company.load(Resource::Compras, &six()).await;
    company.admin().await
}

fn six() -> [Value; 6] {
    [
        json!({"proveedor": 1, "folio": "OC-1", "fecha": "2026-01-01T23:59:59Z", "almacen": "001"}),
        json!({"proveedor": 1, "fecha": "2026-01-02T00:00:00Z", "estatus": "parcial", "fecha_entrega": "2026-01-09"}),
        json!({"proveedor": 1, "fecha": "2026-01-02T23:59:59Z", "estatus": "recibida", "total": "116.00", "cxp": 5}),
        json!({"proveedor": 2, "fecha": "2026-06-01T00:00:00Z", "estatus": "cancelada", "comentarios": "Repetida"}),
        json!({"proveedor": 2, "estatus": "desconocido", "moneda": "USD", "tipo_cambio": 17.5}),
        json!({"proveedor": 1}),
    ]
}
