//! `GET /cxc`, and the import of receivables.

use chrono::TimeDelta;
use serde_json::json;
use svc_tests::Resource::{Cxc, Facturas, Ventas};
use svc_tests::imports::{blames, refuses_fields, takes_null_for_absent};
use svc_tests::lists::{finds, has_fields, pick, row};
use svc_tests::{Company, World};

use crate::documents::{UUIDS, company};

const FIELDS: [&str; 19] = [
    "clave",
    "folio",
    "estatus",
    "cliente",
    "venta",
    "tipo_venta",
    "factura",
    "uuid",
    "metodo_pago_sat",
    "fecha",
    "vencimiento",
    "moneda",
    "tipo_cambio",
    "total",
    "pagado",
    "saldo",
    "parcialidades",
    "sucursal",
    "modificado",
];

/// A company with two sales, of customers 1 and 2, and an invoice.
async fn with_sales(world: &World) -> Company {
    let company = company(world).await;
    let sales = [json!({"tipo": "venta", "cliente": 1}), json!({"tipo": "factura", "cliente": 2})];
    company.load(Ventas, &sales).await;
    company.load(Facturas, &[json!({"venta": 2})]).await;
    company
}

#[tokio::test]
async fn an_item_has_every_field_and_can_be_imported_again() {
    let world = World::new().await;
    let [one, other] = [with_sales(&world).await, with_sales(&world).await];
    let complete = json!({
        "clave": 7, "folio": "F-70", "estatus": "pendiente", "cliente": 3, "venta": 2, "tipo_venta": "factura",
        "factura": 1, "uuid": UUIDS[0], "metodo_pago_sat": "PPD", "fecha": "2026-01-02", "vencimiento": "2026-02-01",
        "moneda": "USD", "tipo_cambio": "17.500000", "total": "1160.00", "pagado": "160.00", "saldo": "1000.00",
        "parcialidades": 2, "sucursal": 0, "modificado": "2026-01-03T00:00:01Z",
    });
    let bare = json!({
        "clave": 8, "folio": null, "estatus": "pendiente", "cliente": null, "venta": null, "tipo_venta": null,
        "factura": null, "uuid": null, "metodo_pago_sat": null, "fecha": "2026-10-12", "vencimiento": null,
        "moneda": "MXN", "tipo_cambio": "1.000000", "total": "5.00", "pagado": "0.00", "saldo": "5.00",
        "parcialidades": 0, "sucursal": 0, "modificado": "2026-10-12T18:00:00Z",
    });
    let mut upper = complete.clone();
    upper["uuid"] = json!(UUIDS[0].to_uppercase());
    one.load(Cxc, &[upper, json!({"total": 5})]).await;
    let ana = one.admin().await;
    let reply = ana.get("/cxc").await;
    has_fields(&reply, &FIELDS);
    assert_eq!(reply.ok(200), json!({"ok": true, "datos": [complete, bare], "siguiente": null, "hay_mas": false}));
    let shown = ana.walk("/cxc").await;
    other.load(Cxc, &shown).await;
    assert_eq!(other.admin().await.walk("/cxc").await, shown);
    takes_null_for_absent(&one, Cxc, &json!({"total": 5}), "/cxc").await;
    assert_eq!(one.world.count("emitidos").await, 0);
}

#[tokio::test]
async fn only_pending_receivables_are_shown_by_default() {
    let world = World::new().await;
    let [one, other] = [with_sales(&world).await, with_sales(&world).await];
    for company in [&one, &other] {
        let rows = [
            json!({"total": 100, "venta": 1, "uuid": UUIDS[0]}),
            json!({"total": 100, "pagado": 100, "venta": 1, "uuid": UUIDS[0]}),
            json!({"total": 100, "estatus": "cancelado", "venta": 2, "uuid": UUIDS[1]}),
            json!({"total": 0, "estatus": "pendiente", "cliente": 1}),
            json!({"total": 100, "saldo": 40, "cliente": 2}),
            json!({"total": 100, "saldo": 0, "cliente": 3}),
        ];
        company.load(Cxc, &rows).await;
    }
    let ana = one.admin().await;
    let upper = format!("uuid={}", UUIDS[0].to_uppercase());
    let paid = format!("uuid={}&estatus=pagado", UUIDS[0]);
    let cancelled = format!("uuid={}", UUIDS[1]);
    finds(
        &ana,
        "/cxc",
        &[
            ("", &[1, 4, 5]),
            ("estatus=pendiente", &[1, 4, 5]),
            ("estatus=pagado", &[2, 6]),
            ("estatus=cancelado", &[3]),
            ("clave=1", &[1]),
            ("clave=2", &[2]),
            ("clave=3", &[3]),
            ("clave=2&estatus=pendiente", &[]),
            ("clave=99", &[]),
            ("cliente=1", &[1, 4]),
            ("cliente=1&estatus=pagado", &[2]),
            ("cliente=2", &[5]),
            ("cliente=3", &[]),
            ("cliente=3&estatus=pagado", &[6]),
            ("venta=1", &[1, 2]),
            ("venta=1&estatus=pendiente", &[1]),
            ("venta=1&cliente=1", &[1, 2]),
            ("venta=1&cliente=2", &[]),
            ("venta=2", &[3]),
            ("venta=99", &[]),
            (&upper, &[1, 2]),
            (&paid, &[2]),
            (&cancelled, &[3]),
            ("uuid=00000000-0000-0000-0000-000000000000", &[]),
            ("con_saldo=true", &[1, 5]),
            ("con_saldo=false", &[4]),
            ("con_saldo=true&estatus=pagado", &[]),
            ("con_saldo=false&estatus=pagado", &[2, 6]),
            ("con_saldo=true&venta=1", &[1]),
            ("con_saldo=false&venta=1", &[2]),
            ("con_saldo=true&cliente=2", &[5]),
        ],
    )
    .await;
}

#[tokio::test]
async fn overdue_means_owed_and_due_before_today() {
    let world = World::new().await;
    let company = with_sales(&world).await;
    let rows = [
        json!({"total": 10, "vencimiento": "2026-10-11"}),
        json!({"total": 10, "vencimiento": "2026-10-12"}),
        json!({"total": 10, "vencimiento": "2026-10-13"}),
        json!({"total": 10}),
        json!({"total": 0, "estatus": "pendiente", "vencimiento": "2026-01-01"}),
        json!({"total": 10, "pagado": 10, "vencimiento": "2026-01-01"}),
        json!({"total": 10, "estatus": "cancelado", "vencimiento": "2026-01-01"}),
    ];
    company.load(Cxc, &rows).await;
    let ana = company.admin().await;
    finds(
        &ana,
        "/cxc",
        &[
            ("vencido=true", &[1]),
            ("vencido=false", &[2, 3, 4, 5]),
            ("vencido=true&con_saldo=false", &[]),
            ("vencido=false&con_saldo=true", &[2, 3, 4]),
            ("vencido=false&con_saldo=false", &[5]),
            ("vencido=true&estatus=pagado", &[]),
            ("vencido=false&estatus=pagado", &[6]),
            ("vencido=true&clave=1", &[1]),
            ("vencido=true&clave=2", &[]),
            ("vencido=true&clave=7", &[7]),
        ],
    )
    .await;
    // Midnight in UTC, six in the evening in Mexico.
    world.clock.advance(TimeDelta::seconds(6 * 3600 - 1));
    finds(&ana, "/cxc", &[("vencido=true", &[1])]).await;
    world.clock.advance(TimeDelta::seconds(1));
    finds(&ana, "/cxc", &[("vencido=true", &[1, 2]), ("vencido=false", &[3, 4, 5])]).await;
}

#[tokio::test]
async fn omitted_fields_follow_from_the_sale_and_the_sums() {
    let company = with_sales(&World::new().await).await;
    let rows = [
        json!({"total": "100", "venta": 2}),
        json!({"total": "100", "venta": 1, "cliente": 3, "tipo_venta": "pedido", "pagado": "99.995"}),
        json!({"total": "100", "tipo_venta": "remision", "saldo": "0.01"}),
        json!({"total": "100", "pagado": "100"}),
        json!({"total": "100", "estatus": "pagado"}),
        json!({"total": "100", "pagado": "10", "saldo": "0", "estatus": "cancelado"}),
        json!({"total": "100", "saldo": "0", "estatus": "pendiente"}),
    ];
    company.load(Cxc, &rows).await;
    let ana = company.admin().await;
    let fields = ["cliente", "tipo_venta", "estatus", "pagado", "saldo"];
    let expected = [
        json!([2, "factura", "pendiente", "0.00", "100.00"]),
        // The sale's current type, not the imported one.
        json!([3, "venta", "pendiente", "99.995", "0.005"]),
        json!([null, "venta", "pendiente", "99.99", "0.01"]),
        json!([null, null, "pagado", "100.00", "0.00"]),
        json!([null, null, "pagado", "100.00", "0.00"]),
        json!([null, null, "cancelado", "10.00", "0.00"]),
        json!([null, null, "pendiente", "100.00", "0.00"]),
    ];
    for (clave, expected) in (1..).zip(expected) {
        let record = ana.get(&format!("/cxc?clave={clave}")).await.ok(200)["datos"][0].clone();
        assert_eq!(pick(&record, &fields), row(&fields, expected), "{clave}");
    }
    let stored: String = company.world.sql("SELECT string_agg(tipo_venta, ',' ORDER BY clave) FROM cxc").await;
    assert_eq!(stored, "factura,pedido,venta");
}

#[tokio::test]
async fn a_bad_field_is_named() {
    let company = with_sales(&World::new().await).await;
    let table = [
        ("clave", json!(0)),
        ("folio", json!(7)),
        ("estatus", json!("vencido")),
        ("cliente", json!(99)),
        ("venta", json!(99)),
        ("tipo_venta", json!("nota")),
        ("factura", json!(99)),
        ("uuid", json!("x")),
        ("metodo_pago_sat", json!("PUD")),
        ("fecha", json!("2026-01-01T00:00:00Z")),
        ("vencimiento", json!("2026-02-30")),
        ("moneda", json!("XYZ")),
        ("tipo_cambio", json!("-1")),
        ("total", json!(-1)),
        ("total", json!(null)),
        ("pagado", json!("10.01")),
        ("saldo", json!("-1")),
        ("saldo", json!("10.01")),
        ("parcialidades", json!(-1)),
        ("sucursal", json!(9)),
        ("importe", json!(1)),
    ];
    refuses_fields(&company, Cxc, &json!({"total": "10"}), &table).await;
    for (line, field) in [
        (json!({"total": "100", "pagado": "10", "saldo": "120"}), "saldo"),
        (json!({"total": "100", "pagado": "10", "saldo": "0"}), "saldo"),
        (json!({"total": "100", "pagado": "10", "saldo": "1", "estatus": "cancelado"}), "saldo"),
        (json!({"total": "100", "pagado": "10", "estatus": "pagado"}), "estatus"),
        (json!({"total": "100", "saldo": "100", "estatus": "pagado"}), "estatus"),
    ] {
        blames(company.import(Cxc, &[json!({"total": "10"}), line]).await, 2, &format!("{field}: "));
    }
}

#[tokio::test]
async fn companies_with_the_same_claves_never_see_one_another() {
    let world = World::new().await;
    for (name, tipo) in [("Una", "venta"), ("Otra", "pedido")] {
        let company = company(&world).await;
        company.load(Ventas, &[json!({"tipo": tipo, "cliente": 1})]).await;
        let row = json!({"total": 1, "folio": name, "venta": 1, "uuid": UUIDS[0], "vencimiento": "2026-01-01"});
        company.load(Cxc, &[row]).await;
        let reader = company.admin().await;
        let uuid = format!("uuid={}", UUIDS[0]);
        for query in ["", "clave=1", "cliente=1", "venta=1", &uuid, "con_saldo=true", "vencido=true"] {
            let records = reader.walk(&format!("/cxc?{query}")).await;
            let found: Vec<_> = records.iter().map(|record| pick(record, &["folio", "tipo_venta"])).collect();
            assert_eq!(found, [json!({"folio": name, "tipo_venta": tipo})], "{query}");
        }
    }
}
