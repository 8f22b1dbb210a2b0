//! `sale.capture`

use serde_json::{Value, json};
use svc_core::domain::words::{SaleKind, SaleOrigin};
use svc_core::json::Json;
use svc_core::operations::CaptureSale;
use svc_core::operations::SaleBody;
use svc_tests::lists::pick;
use svc_tests::{BASE_URL, World, books};

use super::super::shop::{
    FOOD, NAIL, SERVICE, captured, entries, found, ledger, line, nails, only, queued, refuses, sale, shop, stock, with,
};
use super::super::{did, emitted, events};

#[tokio::test]
async fn an_order_reserves_and_a_quote_does_not_and_neither_is_owed() {
    let company = shop(&World::new().await).await;
    let ana = company.admin().await;
    let order = did(company.run_by_name("sale.capture", &nails("pedido")).await);
    assert_eq!(order, json!({"venta": 1, "tipo": "pedido", "folio": 1}));
    let quote = did(company.run_by_name("sale.capture", &nails("cotizacion")).await);
    assert_eq!(quote, json!({"venta": 2, "tipo": "cotizacion", "folio": 1}));
    assert_eq!(stock(&ana, "A-1", "001").await, Some((json!(0), json!(2))));
    for (tipo, venta, surtido) in [("pedido", 1, json!("pendiente")), ("cotizacion", 2, Value::Null)] {
        let document = found(&ana, tipo, venta).await;
        for (field, value) in [
            ("origen", json!("aplicacion")),
            ("almacen", json!("001")),
            ("sucursal", json!(0)),
            ("condicion_pago", json!("contado")),
            ("vencimiento", Value::Null),
            ("serie", Value::Null),
            ("total", json!("232.00")),
            ("saldo", json!("232.00")),
            ("factura", Value::Null),
            ("surtido_estatus", surtido),
        ] {
            assert_eq!(document[field], value, "{tipo} {field}");
        }
    }
    assert_eq!(ana.walk("/cxc?estatus=pendiente").await.len() + ana.walk("/facturas").await.len(), 0);
    assert_eq!(entries(&company, 1).await.len() + entries(&company, 2).await.len(), 0);
    assert_eq!(
        emitted(&company.world).await,
        [
            ("venta.creada".to_owned(), json!({"venta": 1, "tipo": "pedido"})),
            ("venta.creada".to_owned(), json!({"venta": 2, "tipo": "cotizacion"})),
            ("inventario.existencia_cambiada".to_owned(), json!({"existencia": 1, "producto": 1, "almacen": "001"})),
        ]
    );
    let addresses: Vec<Value> =
        events(&company.world).await.iter().map(|event| event["recurso"]["url"].clone()).collect();
    assert_eq!(addresses[0], format!("{BASE_URL}/ventas?clave=1&tipo=pedido"));
    assert_eq!(addresses[2], format!("{BASE_URL}/inventario?clave=1"));
    books::check(&company.world, &company).await;
}

#[tokio::test]
async fn a_sale_is_owed_at_once_and_its_goods_leave() {
    let company = shop(&World::new().await).await;
    let ana = company.admin().await;
    let lines = [line(NAIL, 2, "100.00"), line(FOOD, 3, "10.00"), line(SERVICE, 1, "50.00"), line(NAIL, 1, "90.00")];
    // `remision` is an older name of a sale.
    let made = did(company.run_by_name("sale.capture", &sale("remision", &lines)).await);
    assert_eq!(made, json!({"venta": 1, "tipo": "venta", "folio": 1, "cxc": 1}));
    let document = found(&ana, "venta", 1).await;
    assert_eq!(
        pick(&document, &["total", "saldo", "vencimiento", "surtido_estatus"]),
        json!({"total": "424.40", "saldo": "424.40", "vencimiento": "2026-10-12", "surtido_estatus": null})
    );
    let receivable = only(&ana, "/cxc").await;
    for (field, value) in [
        ("folio", json!("1")),
        ("estatus", json!("pendiente")),
        ("cliente", json!(1)),
        ("venta", json!(1)),
        ("tipo_venta", json!("venta")),
        ("factura", Value::Null),
        ("metodo_pago_sat", json!("PUE")),
        ("fecha", json!("2026-10-12")),
        ("vencimiento", json!("2026-10-12")),
        ("total", json!("424.40")),
        ("saldo", json!("424.40")),
    ] {
        assert_eq!(receivable[field], value, "{field}");
    }
    assert_eq!(
        ledger(&ana, 1).await,
        [
            "venta: 2 of A-1 for 80.00, then -2 in warehouse 1",
            "venta: 3 of C-2 for 4.50, then -3 in warehouse 1",
            "venta: 1 of A-1 for 40.00, then -3 in warehouse 1"
        ]
    );
    assert_eq!(
        entries(&company, 1).await,
        ["venta 1: 105.01 +424.40 401.01 -340.00 401.04 -30.00 209.01 -54.40 501.01 +124.50 115.01 -124.50"]
    );
    let emitted: Vec<String> = emitted(&company.world).await.into_iter().map(|(tipo, _)| tipo).collect();
    assert_eq!(emitted, ["venta.creada", "inventario.existencia_cambiada", "inventario.existencia_cambiada"]);
    books::check(&company.world, &company).await;
}

#[tokio::test]
async fn a_captured_invoice_is_queued_to_be_stamped() {
    let company = shop(&World::new().await).await;
    let ana = company.admin().await;
    let credit = json!({"condicion_pago": "credito", "sucursal": 3, "origen": "plataforma", "metodo_pago_sat": "PPD",
                        "forma_pago_sat": "99"});
    let made = did(company.run_by_name("sale.capture", &with(&nails("factura"), credit)).await);
    assert_eq!(made, json!({"venta": 1, "tipo": "factura", "folio": 1, "factura": 1, "cxc": 1}));
    let invoice = only(&ana, "/facturas").await;
    for (field, value) in [
        ("estatus", json!("en_espera")),
        ("tipo", json!("factura")),
        ("venta", json!(1)),
        ("cliente", json!(1)),
        ("serie", json!("F3")),
        ("folio", json!("1")),
        ("uuid", Value::Null),
        ("fecha", json!("2026-10-12T18:00:00Z")),
    ] {
        assert_eq!(invoice[field], value, "{field}");
    }
    assert_eq!(queued(&company).await, [1]);
    let document = found(&ana, "factura", 1).await;
    for (field, value) in [
        ("serie", json!("F3")),
        ("factura", json!(1)),
        ("sucursal", json!(3)),
        ("almacen", json!("031")),
        ("origen", json!("plataforma")),
        ("dias_credito", json!(15)),
        ("vencimiento", json!("2026-10-27")),
    ] {
        assert_eq!(document[field], value, "{field}");
    }
    let receivable = only(&ana, "/cxc").await;
    assert_eq!(
        pick(&receivable, &["folio", "factura", "vencimiento", "sucursal"]),
        json!({"folio": "F3-1", "factura": 1, "vencimiento": "2026-10-27", "sucursal": 3})
    );
    assert_eq!(stock(&ana, "A-1", "031").await, Some((json!(-2), json!(0))));
    assert_eq!(entries(&company, 1).await[0].split(':').next(), Some("factura F3-1"));
    // The API does not invoice it again, and both share one series of folios.
    ana.post("/ventas/1/facturar", json!({})).await.fails(422, "venta_no_api");
    let with_origin = with(&nails("factura"), json!({"origen": "api"}));
    assert_eq!(captured(&company, &with_origin).await, 2);
    ana.post("/ventas/2/facturar", json!({})).await.fails(422, "venta_ya_facturada");
    let order = ana.post("/ventas", nails("pedido")).await.ok(201)["venta"].clone();
    let invoice = ana.post(&format!("/ventas/{order}/facturar"), json!({})).await.ok(202);
    assert_eq!([&invoice["serie"], &invoice["folio"]], [&json!("F"), &json!("2")]);
    books::check(&company.world, &company).await;
}

#[tokio::test]
async fn an_advance_is_owed_and_nothing_is_sold_yet() {
    let company = shop(&World::new().await).await;
    let ana = company.admin().await;
    let dollars = with(&nails("anticipo"), json!({"moneda": "USD", "tipo_cambio": "17.5"}));
    let made = did(company.run_by_name("sale.capture", &dollars).await);
    assert_eq!(made, json!({"venta": 1, "tipo": "anticipo", "folio": 1, "cxc": 1}));
    assert_eq!(entries(&company, 1).await, ["anticipo 1: 105.01 +4060.00 206.01 -3500.00 209.01 -560.00"]);
    assert_eq!(ledger(&ana, 1).await.len() + ana.walk("/inventario").await.len(), 0);
    let receivable = only(&ana, "/cxc").await;
    assert_eq!(
        pick(&receivable, &["tipo_venta", "moneda", "tipo_cambio", "total"]),
        json!({"tipo_venta": "anticipo", "moneda": "USD", "tipo_cambio": "17.500000", "total": "232.00"})
    );
    books::check(&company.world, &company).await;
}

#[tokio::test]
async fn a_free_sale_is_paid_and_given_credit_days_win() {
    let company = shop(&World::new().await).await;
    let ana = company.admin().await;
    captured(&company, &sale("venta", &[line(SERVICE, 1, "0")])).await;
    let receivable = only(&ana, "/cxc?estatus=pagado").await;
    assert_eq!([&receivable["total"], &receivable["saldo"]], [&json!("0.00"), &json!("0.00")]);
    assert_eq!(entries(&company, 1).await.len(), 0);
    for (changes, due) in [
        (json!({"condicion_pago": "credito", "dias_credito": 30}), "2026-11-11"),
        (json!({"condicion_pago": "credito", "dias_credito": 0}), "2026-10-12"),
        // Cash is due at once, whatever else the body says.
        (json!({"dias_credito": 30}), "2026-10-12"),
        (json!({"condicion_pago": "contado", "almacen": "002"}), "2026-10-12"),
    ] {
        let venta = captured(&company, &with(&nails("venta"), changes.clone())).await;
        assert_eq!(found(&ana, "venta", venta).await["vencimiento"], due, "{changes}");
        assert_eq!(only(&ana, &format!("/cxc?venta={venta}")).await["vencimiento"], due, "{changes}");
    }
    assert_eq!(stock(&ana, "A-1", "002").await, Some((json!(-2), json!(0))));
    books::check(&company.world, &company).await;
}

#[tokio::test]
async fn faults_are_named() {
    let company = shop(&World::new().await).await;
    let body = nails("factura");
    let refused = [
        (json!({"origen": "correo"}), "dato_invalido", "origen: "),
        (json!({"sucursal": "3"}), "dato_invalido", "sucursal: "),
        (json!({"sucursal": 4}), "almacen_invalido", "almacen: "),
        (json!({"sucursal": -1}), "almacen_invalido", "almacen: "),
        (json!({"sucursal": 4, "almacen": "001"}), "referencia_invalida", "sucursal: "),
        (json!({"sucursal": i64::MAX, "almacen": "001"}), "referencia_invalida", "sucursal: "),
        (json!({"almacen": "009"}), "almacen_invalido", "almacen: "),
        (json!({"tipo": "nota"}), "dato_invalido", "tipo: "),
        (json!({"tipo": null}), "dato_requerido", "tipo: "),
        (json!({"cliente": 2}), "cliente_invalido", "cliente: "),
        (json!({"renglones": []}), "dato_requerido", "renglones"),
        (json!({"renglones": [line(9, 1, "1")]}), "producto_invalido", "renglones[0].producto: "),
        (json!({"moneda": "USD"}), "dato_requerido", "tipo_cambio: "),
        (json!({"metodo_pago_sat": "PUP"}), "metodo_pago_invalido", "metodo_pago_sat: "),
        (json!({"vendedor": 9}), "vendedor_invalido", "vendedor: "),
        (json!({"folio": 9}), "campo_no_permitido", "folio: "),
    ];
    let table: Vec<_> = refused.into_iter().map(|(change, code, said)| (with(&body, change), code, said)).collect();
    refuses(&company, "sale.capture", &table).await;
    // Refused documents took no number.
    assert_eq!(
        did(company.run_by_name("sale.capture", &body).await),
        json!({"venta": 1, "tipo": "factura", "folio": 1, "factura": 1, "cxc": 1})
    );
}

#[tokio::test]
async fn amounts_beyond_the_ledger_are_refused() {
    let company = shop(&World::new().await).await;
    let rates = json!({"moneda": "USD", "tipo_cambio": "999999999999"});
    for tipo in ["venta", "factura", "anticipo"] {
        let much = with(&sale(tipo, &[line(SERVICE, 999_999_999, "999999999")]), rates.clone());
        let error = company.run_by_name("sale.capture", &much).await.expect_err("too much in pesos");
        assert_eq!(error.code().status(), 400, "{tipo}: {error}");
    }
    let goods = sale("venta", &[line(NAIL, 999_999_999_999_999, "0")]);
    captured(&company, &goods).await;
    company.world.run("UPDATE productos SET costo = 999999").await;
    refuses(&company, "sale.capture", &[(goods, "dato_invalido", "renglones: el costo de lo vendido")]).await;
    books::check(&company.world, &company).await;
}

#[tokio::test]
async fn an_embedder_captures_with_typed_inputs() {
    let company = shop(&World::new().await).await;
    let body = Json::parse_object(nails("pedido").to_string().as_bytes()).unwrap();
    let sale: SaleBody<SaleKind> = body.read().unwrap();
    let capture = CaptureSale { origen: Some(SaleOrigin::Plataforma), sucursal: Some(3), sale };
    let made = company.run(&capture).await.unwrap();
    assert_eq!(serde_json::to_value(made).unwrap(), json!({"venta": 1, "tipo": "pedido", "folio": 1}));
    let document = found(&company.admin().await, "pedido", 1).await;
    assert_eq!([&document["origen"], &document["almacen"]], [&json!("plataforma"), &json!("031")]);
}
