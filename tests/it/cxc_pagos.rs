//! `GET /cxc-pagos`, and the import of payments.

use serde_json::{Value, json};
use svc_tests::Resource::{Cxc, CxcPagos, Facturas, Ventas};
use svc_tests::imports::{blames, refuses_fields, takes_null_for_absent};
use svc_tests::lists::{finds, has_fields, pick, row};
use svc_tests::{Company, World};

use super::documents::{UUIDS, company};

const FIELDS: [&str; 21] = [
    "clave",
    "cxc",
    "venta",
    "cliente",
    "fecha",
    "aplicado",
    "origen",
    "importe",
    "moneda",
    "tipo_cambio",
    "forma_pago_sat",
    "cuenta_bancaria",
    "deposito",
    "referencia",
    "parcialidad",
    "saldo_anterior",
    "saldo_insoluto",
    "complemento",
    "factura",
    "uuid",
    "cancelado",
];

/// A company with a receivable of sale 1 and customer 1, one in dollars of customer 2, one without
/// customer, and a bank account.
async fn with_receivables(world: &World) -> Company {
    let company = company(world).await;
    company.load(Ventas, &[json!({"tipo": "venta", "cliente": 1}), json!({"tipo": "venta", "cliente": 2})]).await;
    let receivables = [
        json!({"total": 100, "venta": 1}),
        json!({"total": 100, "cliente": 2, "moneda": "USD", "tipo_cambio": "17.5"}),
        json!({"total": 100}),
    ];
    company.load(Cxc, &receivables).await;
    company.load(Facturas, &[json!({"tipo": "pago"})]).await;
    world
        .sql::<i64>(
            "INSERT INTO cuentas_bancarias (empresa, clave, nombre)
             SELECT max(empresa), 4, 'Banco' FROM empresas RETURNING clave",
        )
        .await;
    company
}

#[tokio::test]
async fn an_item_has_every_field_and_can_be_imported_again() {
    let world = World::new().await;
    let one = with_receivables(&world).await;
    let other = with_receivables(&world).await;
    let complete = json!({
        "clave": 7, "cxc": 1, "venta": 2, "cliente": 3, "fecha": "2026-01-02", "aplicado": "2026-01-02T03:04:05Z",
        "origen": "saldo_a_favor", "importe": "60.50", "moneda": "USD", "tipo_cambio": "18.000000",
        "forma_pago_sat": "03", "cuenta_bancaria": 4, "deposito": 55, "referencia": "REF\\1", "parcialidad": 2,
        "saldo_anterior": "100.00", "saldo_insoluto": "39.50", "complemento": "timbrado", "factura": 1,
        "uuid": UUIDS[0], "cancelado": true,
    });
    let bare = json!({
        "clave": 8, "cxc": 3, "venta": null, "cliente": null, "fecha": "2026-10-12",
        "aplicado": "2026-10-12T18:00:00Z", "origen": "deposito", "importe": "5.00", "moneda": "MXN",
        "tipo_cambio": "1.000000", "forma_pago_sat": null, "cuenta_bancaria": null, "deposito": null,
        "referencia": null, "parcialidad": 1, "saldo_anterior": "5.00", "saldo_insoluto": "0.00",
        "complemento": "no_aplica", "factura": null, "uuid": null, "cancelado": false,
    });
    let mut upper = complete.clone();
    upper["uuid"] = json!(UUIDS[0].to_uppercase());
    one.load(CxcPagos, &[upper, json!({"cxc": 3, "importe": 5})]).await;
    let ana = one.admin().await;
    let reply = ana.get("/cxc-pagos").await;
    has_fields(&reply, &FIELDS);
    assert_eq!(reply.ok(200), json!({"ok": true, "datos": [complete, bare], "siguiente": null, "hay_mas": false}));
    let shown = ana.walk("/cxc-pagos").await;
    other.load(CxcPagos, &shown).await;
    assert_eq!(other.admin().await.walk("/cxc-pagos").await, shown);
    takes_null_for_absent(&one, CxcPagos, &json!({"cxc": 1, "importe": 5}), "/cxc-pagos").await;
}

#[tokio::test]
async fn filters_find_exactly_and_for_any_span_of_days() {
    let world = World::new().await;
    let one = with_receivables(&world).await;
    let other = with_receivables(&world).await;
    for company in [&one, &other] {
        let rows = [
            json!({"cxc": 1, "importe": 1, "fecha": "2020-01-01"}),
            json!({"cxc": 1, "importe": 1, "fecha": "2026-08-31", "cancelado": true}),
            json!({"cxc": 2, "importe": 1, "fecha": "2026-09-01", "venta": 2}),
            json!({"cxc": 3, "importe": 1, "fecha": "2026-09-02", "cliente": 1}),
        ];
        company.load(CxcPagos, &rows).await;
    }
    let ana = one.admin().await;
    finds(
        &ana,
        "/cxc-pagos",
        &[
            ("", &[1, 2, 3, 4]),
            ("clave=2", &[2]),
            ("clave=99", &[]),
            ("cxc=1", &[1, 2]),
            ("cxc=99", &[]),
            ("cliente=1", &[1, 2, 4]),
            ("cliente=2", &[3]),
            ("cliente=3", &[]),
            ("venta=1", &[1, 2]),
            ("venta=2", &[3]),
            ("cliente=1&venta=1&cxc=1&clave=2", &[2]),
            ("cliente=2&cxc=1", &[]),
            ("fecha_desde=2026-08-31", &[2, 3, 4]),
            ("fecha_desde=2026-08-31T00:00:01Z", &[3, 4]),
            ("fecha_hasta=2026-08-31", &[1, 2]),
            ("fecha_hasta=2026-09-01T00:00:00Z", &[1, 2, 3]),
            ("fecha_desde=2000-01-01&fecha_hasta=2026-09-01", &[1, 2, 3]),
            ("fecha_desde=2026-09-01&fecha_hasta=2026-09-01", &[3]),
            ("fecha_desde=2026-08-01&cliente=1", &[2, 4]),
            ("fecha_desde=2027-01-01", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn omitted_fields_follow_from_the_receivable_and_the_sums() {
    let company = with_receivables(&World::new().await).await;
    let rows = [
        json!({"cxc": 1, "importe": "30", "saldo_anterior": "100"}),
        json!({"cxc": 2, "importe": "30", "saldo_insoluto": "70"}),
        json!({"cxc": 1, "importe": "30", "cliente": 3, "venta": 2, "moneda": "USD"}),
        json!({"cxc": 2, "importe": "30", "moneda": "USD", "tipo_cambio": 18}),
        json!({"cxc": 2, "importe": "30", "saldo_anterior": "10", "saldo_insoluto": "1", "moneda": "MXN"}),
    ];
    let contradicting = json!({"cxc": 1, "importe": "30", "saldo_anterior": "100", "saldo_insoluto": "80"});
    blames(company.import(CxcPagos, &[rows[0].clone(), contradicting]).await, 2, "saldo_insoluto: ");
    company.load(CxcPagos, &rows).await;
    let fields = ["venta", "cliente", "moneda", "tipo_cambio", "saldo_anterior", "saldo_insoluto"];
    let records = company.admin().await.walk("/cxc-pagos").await;
    let found: Vec<Value> = records.iter().map(|record| pick(record, &fields)).collect();
    let expected = [
        json!([1, 1, "MXN", "1.000000", "100.00", "70.00"]),
        json!([null, 2, "USD", "17.500000", "100.00", "70.00"]),
        json!([2, 3, "USD", "1.000000", "30.00", "0.00"]),
        json!([null, 2, "USD", "18.000000", "30.00", "0.00"]),
        json!([null, 2, "MXN", "1.000000", "10.00", "1.00"]),
    ];
    assert_eq!(found, expected.map(|values| row(&fields, values)));
    // Nothing else is touched.
    let receivables = company.admin().await.walk("/cxc").await;
    assert!(receivables.iter().all(|record| record["saldo"] == "100.00"), "{receivables:?}");
    assert_eq!(company.world.count("emitidos").await, 0);
}

#[tokio::test]
async fn a_bad_field_is_named() {
    let company = with_receivables(&World::new().await).await;
    let table = [
        ("clave", json!(0)),
        ("cxc", json!(99)),
        ("cxc", json!(null)),
        ("venta", json!(99)),
        ("cliente", json!(99)),
        ("fecha", json!("2026-01-01T00:00:00Z")),
        ("aplicado", json!("2026-01-01")),
        ("origen", json!("efectivo")),
        ("importe", json!(0)),
        ("importe", json!("20.01")),
        ("importe", json!(null)),
        ("moneda", json!("XYZ")),
        ("tipo_cambio", json!(0)),
        ("forma_pago_sat", json!("98")),
        ("cuenta_bancaria", json!(99)),
        ("deposito", json!("D-1")),
        ("referencia", json!("ñ".repeat(101))),
        ("parcialidad", json!(0)),
        ("saldo_anterior", json!(-1)),
        ("saldo_insoluto", json!("x")),
        ("complemento", json!("pendiente")),
        ("factura", json!(99)),
        ("uuid", json!("x")),
        ("cancelado", json!("no")),
        ("saldo", json!(1)),
    ];
    refuses_fields(&company, CxcPagos, &json!({"cxc": 1, "importe": "10", "saldo_anterior": "20"}), &table).await;
}
