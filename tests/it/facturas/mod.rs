//! `GET /facturas`, and the import of the registry.

mod files;
mod paper;

use serde_json::{Value, json};
use svc_tests::Resource::{Facturas, Ventas};
use svc_tests::imports::{blames, refuses_fields, takes_null_for_absent};
use svc_tests::lists::{finds, has_fields, pick, refuses};
use svc_tests::{Company, World};

use super::documents::{UUIDS, company, company_with_sales};

const FIELDS: [&str; 16] = [
    "clave",
    "tipo",
    "estatus",
    "venta",
    "cliente",
    "serie",
    "folio",
    "uuid",
    "fecha",
    "fecha_timbrado",
    "fecha_cancelacion",
    "motivo_cancelacion",
    "uuid_sustitucion",
    "error_codigo",
    "error_mensaje",
    "modificado",
];

/// A company with four sales.
async fn with_sales(world: &World) -> Company {
    company_with_sales(world, &["factura", "factura", "venta", "pedido"]).await
}

#[tokio::test]
async fn an_item_has_every_field_and_can_be_imported_again() {
    let world = World::new().await;
    let [one, other] = [with_sales(&world).await, with_sales(&world).await];
    let complete = json!({
        "clave": 7, "tipo": "nota_credito", "estatus": "cancelada", "venta": 1, "cliente": 2, "serie": "NC",
        "folio": "0070", "uuid": UUIDS[0], "fecha": "2026-01-02T03:04:05Z", "fecha_timbrado": "2026-01-02T03:05:00Z",
        "fecha_cancelacion": "2026-01-03T00:00:00Z", "motivo_cancelacion": "01", "uuid_sustitucion": UUIDS[1],
        "error_codigo": "CFDI40108", "error_mensaje": "El total no cuadra", "modificado": "2026-01-03T00:00:01Z",
    });
    let bare = json!({
        "clave": 8, "tipo": "factura", "estatus": "vigente", "venta": null, "cliente": null, "serie": null,
        "folio": null, "uuid": null, "fecha": "2026-10-12T18:00:00Z", "fecha_timbrado": null,
        "fecha_cancelacion": null, "motivo_cancelacion": null, "uuid_sustitucion": null, "error_codigo": null,
        "error_mensaje": null, "modificado": "2026-10-12T18:00:00Z",
    });
    let mut upper = complete.clone();
    (upper["uuid"], upper["uuid_sustitucion"]) = (json!(UUIDS[0].to_uppercase()), json!(UUIDS[1].to_uppercase()));
    one.load(Facturas, &[upper, json!({})]).await;
    let ana = one.admin().await;
    let reply = ana.get("/facturas").await;
    has_fields(&reply, &FIELDS);
    assert_eq!(reply.ok(200), json!({"ok": true, "datos": [complete, bare], "siguiente": null, "hay_mas": false}));
    let shown = ana.walk("/facturas").await;
    other.load(Facturas, &shown).await;
    assert_eq!(other.admin().await.walk("/facturas").await, shown);
    takes_null_for_absent(&one, Facturas, &json!({}), "/facturas").await;
}

#[tokio::test]
async fn filters_find_every_status_and_the_exact_value() {
    let world = World::new().await;
    let [one, other] = [with_sales(&world).await, with_sales(&world).await];
    for company in [&one, &other] {
        let row = |tipo: &str, estatus: &str, venta: Value, uuid: Value, fecha: &str| json!({"tipo": tipo, "estatus": estatus, "venta": venta, "uuid": uuid, "fecha": fecha});
        let rows = [
            row("factura", "vigente", json!(1), json!(UUIDS[0]), "2026-08-01T00:00:00Z"),
            row("factura", "cancelada", json!(1), json!(UUIDS[1]), "2026-08-31T23:59:59Z"),
            row("factura", "en_espera", json!(2), Value::Null, "2026-09-01T00:00:00Z"),
            row("factura", "error", json!(3), Value::Null, "2026-10-12T18:00:00Z"),
            row("nota_credito", "vigente", json!(1), json!(UUIDS[2]), "2026-10-12T18:00:01Z"),
            row("pago", "vigente", Value::Null, Value::Null, "2026-08-15T00:00:00Z"),
            row("traslado", "vigente", Value::Null, Value::Null, "2020-01-01T00:00:00Z"),
            row("embarque", "vigente", Value::Null, Value::Null, "2020-01-01T00:00:00Z"),
            row("externa", "vigente", Value::Null, Value::Null, "2020-01-01T00:00:00Z"),
        ];
        company.load(Facturas, &rows).await;
    }
    let ana = one.admin().await;
    let upper = format!("uuid={}", UUIDS[1].to_uppercase());
    let lower = format!("uuid={}&tipo=factura", UUIDS[1]);
    let unlike = format!("uuid={}&estatus=error", UUIDS[1]);
    finds(
        &ana,
        "/facturas",
        &[
            ("", &[1, 2, 3, 4, 5, 6, 7, 8, 9]),
            ("clave=2", &[2]),
            ("clave=99", &[]),
            (&upper, &[2]),
            (&lower, &[2]),
            (&unlike, &[]),
            ("uuid=00000000-0000-0000-0000-000000000000", &[]),
            ("venta=1", &[1, 2, 5]),
            ("venta=4", &[]),
            ("venta=1&tipo=factura", &[1, 2]),
            ("venta=1&tipo=factura&estatus=vigente", &[1]),
            ("tipo=factura", &[1, 2, 3, 4]),
            ("tipo=nota_credito", &[5]),
            ("tipo=pago", &[6]),
            ("tipo=traslado", &[7]),
            ("tipo=embarque", &[8]),
            ("tipo=externa", &[9]),
            ("estatus=vigente", &[1, 5, 6, 7, 8, 9]),
            ("estatus=cancelada", &[2]),
            ("estatus=en_espera", &[3]),
            ("estatus=error", &[4]),
            ("fecha_desde=2026-08-01&fecha_hasta=2026-08-31", &[1, 2, 6]),
            ("fecha_desde=2026-08-01T00:00:01Z&fecha_hasta=2026-08-31T23:59:58Z", &[6]),
            ("fecha_desde=2026-07-12", &[1, 2, 3, 4, 6]),
            ("fecha_desde=2026-07-12&tipo=factura&estatus=error", &[4]),
            ("fecha_desde=2026-10-01&fecha_hasta=2026-10-31", &[4, 5]),
        ],
    )
    .await;
}

#[tokio::test]
async fn dates_are_read_for_92_days_at_the_most() {
    let ana = World::new().await.company().await.admin().await;
    refuses(
        &ana,
        "/facturas",
        &[
            ("fecha_hasta=2026-08-31", "rango_invalido"),
            ("fecha_desde=2026-07-11", "rango_invalido"),
            ("fecha_desde=2026-01-01&fecha_hasta=2026-04-04", "rango_invalido"),
        ],
    )
    .await;
}

#[tokio::test]
async fn the_first_invoice_of_a_sale_that_has_none_becomes_the_sale_s() {
    let company = company(&World::new().await).await;
    let mut sales = vec![json!({"tipo": "factura"}); 5];
    sales[1] = json!({"tipo": "factura", "factura": 77, "uuid": UUIDS[2]});
    company.load(Ventas, &sales).await;
    let invoices = [
        json!({"clave": 10, "tipo": "nota_credito", "venta": 1}),
        json!({"clave": 11, "venta": 1, "uuid": UUIDS[0].to_uppercase()}),
        json!({"clave": 12, "venta": 1, "uuid": UUIDS[1]}),
        json!({"clave": 13, "venta": 2, "uuid": UUIDS[2]}),
        json!({"clave": 14, "venta": 3, "estatus": "en_espera"}),
        json!({"clave": 15, "tipo": "externa", "venta": 4}),
    ];
    company.load(Facturas, &invoices).await;
    // A later import changes nothing of an earlier one.
    company.load(Facturas, &[json!({"clave": 16, "venta": 1})]).await;
    let ana = company.admin().await;
    let sales = ana.walk("/ventas?tipo=factura").await;
    let found: Vec<_> = sales.iter().map(|sale| pick(sale, &["factura", "uuid"])).collect();
    let expected = [
        json!({"factura": 11, "uuid": UUIDS[0]}),
        json!({"factura": 77, "uuid": UUIDS[2]}),
        json!({"factura": 14, "uuid": null}),
        json!({"factura": null, "uuid": null}),
        json!({"factura": null, "uuid": null}),
    ];
    assert_eq!(found, expected);
    let waiting = ana.walk("/facturas?estatus=en_espera").await;
    assert_eq!((waiting.len(), &waiting[0]["uuid"]), (1, &Value::Null));
    assert_eq!(company.world.count("emitidos").await, 0);
}

#[tokio::test]
async fn a_refused_file_leaves_the_sales_without_invoice() {
    let company = with_sales(&World::new().await).await;
    let error = company.import(Facturas, &[json!({"venta": 1}), json!({"venta": 2, "cliente": 99})]).await;
    assert!(error.unwrap_err().starts_with("línea 2: cliente: "));
    assert_eq!(company.world.count("ventas WHERE factura IS NOT NULL").await, 0);
}

#[tokio::test]
async fn a_bad_field_is_named() {
    let company = with_sales(&World::new().await).await;
    let table = [
        ("clave", json!(0)),
        ("tipo", json!("ingreso")),
        ("estatus", json!("timbrando")),
        ("venta", json!(99)),
        ("cliente", json!(99)),
        ("serie", json!("S".repeat(26))),
        ("folio", json!(7)),
        ("uuid", json!("x")),
        ("fecha", json!("2026-01-01")),
        ("fecha_timbrado", json!("ayer")),
        ("fecha_cancelacion", json!(7)),
        ("motivo_cancelacion", json!("05")),
        ("uuid_sustitucion", json!("x")),
        ("error_codigo", json!(301)),
        ("error_mensaje", json!("a\0b")),
        ("total", json!("1.00")),
    ];
    refuses_fields(&company, Facturas, &json!({}), &table).await;
}

#[tokio::test]
async fn a_fiscal_folio_is_one_document_s() {
    let world = World::new().await;
    let company = company(&world).await;
    company.load(Facturas, &[json!({"uuid": UUIDS[0]}), json!({"uuid": UUIDS[1], "estatus": "cancelada"})]).await;
    for uuid in [UUIDS[0].to_uppercase(), UUIDS[1].to_owned()] {
        blames(company.import(Facturas, &[json!({}), json!({"uuid": uuid, "tipo": "pago"})]).await, 2, "uuid: ");
    }
    let twice = [json!({"uuid": UUIDS[2]}), json!({}), json!({"uuid": UUIDS[2].to_uppercase()})];
    blames(company.import(Facturas, &twice).await, 3, "uuid: ");
    assert_eq!(company.world.count("facturas").await, 2);
    let of_three = [json!({"uuid": UUIDS[2]})];
    let both = tokio::join!(company.import(Facturas, &of_three), company.import(Facturas, &of_three));
    assert!([&both.0, &both.1].contains(&&Ok(1)), "{both:?}");
    blames(if both.0.is_ok() { both.1 } else { both.0 }, 1, "uuid: ");
}
